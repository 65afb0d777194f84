// What a transaction rests on: for each key the version that its state had, or a digest where keys
// have no versions, and for each scan a digest of what it returned. The check reads the same again.
// It compares states, so it holds no matter who has changed them. (docs/design/transactions.md,
// rule 18)

import { createHash } from 'node:crypto'
import { type Bytes, mapKey } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import { optimisticReadsMax } from '../../base/limits/engine.js'
import { isVersioned, keyClass } from '../layout.js'
import { KeyRanges } from '../programs/key-ranges.js'
import type { Entry, KeyRange, Program, ReadTx, Versioned } from '../store.js'
import { isLookedAt, type Reads, readsTooMuch } from './reads.js'

/** A version or a digest; undefined if there is no such key. */
type State = number | string | undefined

interface SeenKey {
  readonly key: Bytes
  readonly state: State
}

interface SeenRange {
  readonly range: KeyRange
  readonly limit: number
  readonly digest: string
}

/** Keys that a commit checks in its own turn: below 2 ms. They are also one question to a store. */
const keysAtOnceMax = 500

export class ReadSet implements Reads {
  private readonly keys = new Map<string, SeenKey>()
  private readonly scans: SeenRange[] = []
  private readonly ranges = new KeyRanges()
  /** Two reads of one key have found different states, so no check can succeed. */
  private isTorn = false
  /** Keys that the last failed check has found changed; some of them, if they are many. */
  lost: readonly Bytes[] = []

  get isEmpty(): boolean {
    return this.keys.size === 0 && this.scans.length === 0
  }

  /** Whether the state of a key is noted; `name` in mapKey form. */
  has(name: string): boolean {
    return this.keys.has(name)
  }

  /** The keys whose states are noted, without those of scans. */
  *noted(): Generator<Bytes> {
    for (const { key } of this.keys.values()) yield key
  }

  /** Whether a check takes well below a turn. */
  get isSmall(): boolean {
    return this.scans.length === 0 && this.keys.size <= keysAtOnceMax
  }

  *get(tx: ReadTx, key: Bytes): Program<Bytes | undefined> {
    if (!isLookedAt(key)) return yield* tx.get(key)
    if (isVersioned(key)) return (yield* this.getVersioned(tx, key))?.value
    const value = yield* tx.get(key)
    this.note(key, digestOf(value))
    return value
  }

  *getVersioned(tx: ReadTx, key: Bytes): Program<Versioned | undefined> {
    const found = yield* tx.getVersioned(key)
    if (isLookedAt(key)) this.note(key, found?.version)
    return found
  }

  *scan(tx: ReadTx, range: KeyRange, limit: number): Program<Entry[]> {
    const entries = yield* tx.scan(range, limit)
    if (!isLookedAt(range.start)) return entries
    this.requireRoom(entries.length)
    this.scans.push({ range, limit, digest: digestOfScan(entries) })
    this.ranges.add(range)
    return entries
  }

  /** Notes the states of keys, without values for the caller. */
  *look(tx: ReadTx, keys: readonly Bytes[]): Program<void> {
    const fresh = keys.filter((key) => isLookedAt(key) && !this.keys.has(mapKey(key)))
    for (const some of partsOf(fresh)) {
      const states = yield* statesOf(tx, some)
      for (const [index, key] of some.entries()) this.note(key, states[index])
    }
  }

  /** Throws WriteConflict if anything differs; with `changed`, only these keys can. */
  *check(tx: ReadTx, changed?: ReadonlySet<string>): Program<void> {
    if (!(yield* this.holds(tx, changed))) throw conflict()
  }

  /** Whether everything is as it was noted; with `changed`, only these keys can differ. */
  *holds(tx: ReadTx, changed?: ReadonlySet<string>): Program<boolean> {
    if (this.isTorn) return false
    for (const some of partsOf(this.among(changed))) {
      const lost = yield* differing(tx, some)
      if (lost.length === 0) continue
      this.lost = lost
      return false
    }
    if (changed !== undefined && !this.isScanned(changed)) return true
    return yield* this.areScansAsNoted(tx)
  }

  private *areScansAsNoted(tx: ReadTx): Program<boolean> {
    for (const { range, limit, digest } of this.scans) {
      if (digestOfScan(yield* tx.scan(range, limit)) !== digest) return false
    }
    return true
  }

  /** Which of several sets hold; their keys are asked for together. */
  static *whichHold(tx: ReadTx, sets: readonly ReadSet[]): Program<boolean[]> {
    const holds = sets.map(({ isTorn }) => !isTorn)
    function* asked() {
      for (const [index, { keys }] of sets.entries()) {
        for (const { key, state } of keys.values()) yield { key, state, index }
      }
    }
    for (const some of partsOf(asked())) {
      const states = yield* statesOf(
        tx,
        some.map(({ key }) => key),
      )
      for (const [at, { state, index }] of some.entries()) {
        if (states[at] !== state) holds[index] = false
      }
    }
    for (const [index, set] of sets.entries()) {
      if (holds[index] === true) holds[index] = yield* set.areScansAsNoted(tx)
    }
    return holds
  }

  /** One by one: there may be a million. */
  private *among(changed: ReadonlySet<string> | undefined): Generator<SeenKey, void> {
    if (changed === undefined) return yield* this.keys.values()
    const isFew = changed.size < this.keys.size
    for (const name of isFew ? changed : this.keys.keys()) {
      const seen = this.keys.get(name)
      if (seen !== undefined && changed.has(name)) yield seen
    }
  }

  private isScanned(changed: ReadonlySet<string>): boolean {
    if (this.ranges.count === 0) return false
    for (const key of changed) if (this.ranges.has(key)) return true
    return false
  }

  /** The first state counts. A held state never differs from it; without one, later reads may. */
  private note(key: Bytes, state: State): void {
    const name = mapKey(key)
    const known = this.keys.get(name)
    if (known !== undefined) {
      if (known.state !== state) this.isTorn = true
      return
    }
    this.requireRoom(1)
    this.keys.set(name, { key, state })
  }

  private requireRoom(entries: number): void {
    if (this.keys.size + this.scans.length + entries > optimisticReadsMax) throw readsTooMuch()
  }
}

function* differing(tx: ReadTx, seen: readonly SeenKey[]): Program<Bytes[]> {
  const states = yield* statesOf(
    tx,
    seen.map(({ key }) => key),
  )
  return seen.filter(({ state }, index) => states[index] !== state).map(({ key }) => key)
}

/** In two questions at most, whatever the number of keys; counters are few. */
function* statesOf(tx: ReadTx, keys: readonly Bytes[]): Program<State[]> {
  const versioned = keys.filter(isVersioned)
  const counters = keys.filter(isCounter)
  const others = keys.filter((key) => !isVersioned(key) && !isCounter(key))
  const versions = versioned.length === 0 ? [] : yield* tx.getVersions(versioned)
  const values = others.length === 0 ? [] : yield* tx.getMany(others)
  const counts: string[] = []
  for (const key of counters) {
    const { documents, bytes } = yield* tx.count(key)
    counts.push(`${documents} ${bytes}`)
  }
  let version = 0
  let value = 0
  let count = 0
  return keys.map((key) => {
    if (isVersioned(key)) return versions[version++]
    return isCounter(key) ? counts[count++] : digestOf(values[value++])
  })
}

function isCounter(key: Bytes): boolean {
  return key[0] === keyClass.count
}

function* partsOf<T>(all: Iterable<T>): Generator<readonly T[], void> {
  let part: T[] = []
  for (const each of all) {
    part.push(each)
    if (part.length < keysAtOnceMax) continue
    yield part
    part = []
  }
  if (part.length > 0) yield part
}

export function conflict(): Error {
  return fail('WriteConflict', 'another operation has changed the same data; try again')
}

function digestOf(value: Bytes | undefined): string | undefined {
  return value === undefined ? undefined : createHash('sha256').update(value).digest('base64')
}

function digestOfScan(entries: readonly Entry[]): string {
  const hash = createHash('sha256')
  const lengths = Buffer.alloc(8)
  for (const { key, value } of entries) {
    lengths.writeUInt32LE(key.length, 0)
    lengths.writeUInt32LE(value.length, 4)
    hash.update(lengths).update(key).update(value)
  }
  return hash.digest('base64')
}
