// What a store should answer: every key that was ever there, in order, with the changes that it has
// seen. A state is a position, the number of programs that have committed by then, so whatever was
// read in between can be looked for afterwards.

import { type Bytes, equalBytes, mapKey } from '../../src/base/bytes/bytes.js'
import {
  addCounts,
  decodeCount,
  encodeCount,
  zeroCount,
} from '../../src/store/programs/counters.js'
import { endsFetch, endsRange } from '../../src/store/steps.js'
import type { Count, Entry, Fetched, KeyRange, Versioned } from '../../src/store/store.js'
import type { Operation, ReadOperation } from './store-scripts.js'

interface Change {
  readonly position: number
  /** Undefined for a removal. */
  readonly value: Bytes | undefined
  /** Once it is known. */
  version: number | undefined
}

/** What a program has changed so far. */
interface Own {
  readonly value: Bytes | undefined
  version: number | undefined
}

type Owned = ReadonlyMap<string, Own>

/** Above the store's own metadata, and above all classes. */
export const everything = { start: Uint8Array.of(1), end: Uint8Array.of(0xff) }

const nothingOwned: Owned = new Map()
/** Shorter values may come twice. */
const uniqueBytesMin = 8

export class StoreModel {
  /** The newest state. */
  position = 0
  /** Of all versions that were told. */
  highestVersion = 0
  private keys: string[] = []
  private readonly changes = new Map<string, Change[]>()
  private readonly versions = new Map<number, string>()
  private readonly newest = new Map<string, { readonly at: number; readonly version: number }>()

  /**
   * Plays a program on the state before it, `answers` being what it was told, one a reading
   * operation. Answers what was wrong; where nothing was and it does not fail, it is committed.
   */
  play(
    operations: readonly Operation[],
    answers: readonly unknown[],
    { commits, before = this.position, versionsLast = false }: PlayOptions,
  ): string | undefined {
    const own = new Map<string, Own>()
    const added = new Map<string, Count>()
    let told = 0
    for (const operation of operations) {
      switch (operation.kind) {
        case 'put':
          own.set(mapKey(operation.key), { value: operation.value, version: undefined })
          break
        case 'remove':
          own.set(mapKey(operation.key), { value: undefined, version: undefined })
          added.delete(mapKey(operation.key))
          break
        case 'add': {
          const name = mapKey(operation.key)
          added.set(name, addCounts(operation, added.get(name)))
          break
        }
        default: {
          const view = new ModelView(this, before, own, added)
          const answer = answers[told++]
          const wrong = view.mismatch(operation, answer) ?? view.learn(operation, answer)
          if (wrong !== undefined) return wrong
        }
      }
    }
    if (commits) this.commit(own, added, versionsLast)
    return undefined
  }

  /** The change of a key that is seen at a position. */
  changeAt(name: string, position: number): Change | undefined {
    const changes = this.changes.get(name)
    if (changes === undefined) return undefined
    let place = changes.length - 1
    while (place >= 0 && (changes[place] as Change).position > position) place--
    return changes[place]
  }

  valueAt(name: string, position: number): Bytes | undefined {
    return this.changeAt(name, position)?.value
  }

  /** Keys of a range, in its order, whether they are there or not. */
  *keysIn({ start, end, reverse }: KeyRange): Generator<string, void> {
    const first = this.lowerBound(mapKey(start))
    const after = this.lowerBound(mapKey(end))
    if (reverse === true) for (let i = after - 1; i >= first; i--) yield this.keys[i] as string
    else for (let i = first; i < after; i++) yield this.keys[i] as string
  }

  /** Keeps nothing but the newest state. */
  forgetOlder(): void {
    const kept: string[] = []
    for (const name of this.keys) {
      const changes = this.changes.get(name) as Change[]
      changes.splice(0, changes.length - 1)
      if (changes[0]?.value === undefined) this.changes.delete(name)
      else kept.push(name)
    }
    this.keys = kept
  }

  /** Of a change that was told with it; answers what is wrong with that. */
  learn(name: string, change: Change, version: number): string | undefined {
    if ((change.value?.length ?? 0) < uniqueBytesMin) return undefined
    change.version = version
    const newest = this.newest.get(name)
    if (newest === undefined || newest.at < change.position) {
      if (newest !== undefined && newest.version >= version) {
        return `version ${version} of ${show(name)} came after ${newest.version}`
      }
      this.newest.set(name, { at: change.position, version })
    } else if (newest.at > change.position && newest.version <= version) {
      return `version ${version} of ${show(name)} came before ${newest.version}`
    }
    return this.once(name, change.value, version)
  }

  /** A version is of one value of one key. */
  once(name: string, value: Bytes | undefined, version: number): string | undefined {
    this.highestVersion = Math.max(this.highestVersion, version)
    const what = `${name}=${value === undefined ? '' : mapKey(value.subarray(0, uniqueBytesMin))}`
    const known = this.versions.get(version)
    this.versions.set(version, what)
    if (known === undefined || known === what) return undefined
    return `version ${version} was given to ${show(known)} and ${show(what)}`
  }

  private commit(own: Map<string, Own>, added: Map<string, Count>, versionsLast: boolean): void {
    for (const [name, count] of added) {
      const stored = own.has(name) ? undefined : this.valueAt(name, this.position)
      const value = encodeCount(addCounts(decodeCount(stored), count))
      own.set(name, { value, version: undefined })
    }
    const position = ++this.position
    for (const [name, { value, version }] of own) {
      const change = { position, value, version: versionsLast ? version : undefined }
      const changes = this.changes.get(name)
      if (changes !== undefined) changes.push(change)
      else if (value !== undefined) this.add(name, change)
    }
  }

  private add(name: string, change: Change): void {
    this.changes.set(name, [change])
    this.keys.splice(this.lowerBound(name), 0, name)
  }

  private lowerBound(name: string): number {
    let low = 0
    let high = this.keys.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.keys[middle] as string) < name) low = middle + 1
      else high = middle
    }
    return low
  }
}

interface PlayOptions {
  readonly commits: boolean
  /** The state that it ran on; the newest unless said. */
  readonly before?: number
  /** Whether versions that a program sees of its own puts are those that they keep. */
  readonly versionsLast?: boolean
}

/** One state, as a program with changes of its own sees it. */
export class ModelView {
  constructor(
    private readonly model: StoreModel,
    private readonly position: number,
    private readonly own: Owned = nothingOwned,
    private readonly added: ReadonlyMap<string, Count> = new Map(),
  ) {}

  /** What is wrong with an answer; undefined where it is right. */
  mismatch(operation: ReadOperation, answer: unknown): string | undefined {
    switch (operation.kind) {
      case 'get':
        return this.wrongValue(operation.key, answer as Bytes | undefined)
      case 'getVersioned':
        return this.wrongVersioned(operation.key, answer as Versioned | undefined)
      case 'count':
        return this.wrongCount(operation.key, answer as Count)
      case 'getMany':
        return this.wrongValues(operation, answer as (Bytes | undefined)[])
      case 'scan':
      case 'scanOwn':
      case 'scanFetch':
        return this.wrongEntries(operation, answer as Fetched[])
    }
  }

  /** Takes the versions of a right answer down; answers what is wrong with them. */
  learn(operation: ReadOperation, answer: unknown): string | undefined {
    if (operation.kind !== 'getVersioned' || answer === undefined) return undefined
    const name = mapKey(operation.key)
    const { value, version } = answer as Versioned
    const own = this.own.get(name)
    if (own !== undefined) {
      own.version = version
      if (value.length < uniqueBytesMin) return undefined
      return this.model.once(name, own.value, version)
    }
    const change = this.model.changeAt(name, this.position)
    return change === undefined ? undefined : this.model.learn(name, change, version)
  }

  /** With the program's own changes. */
  value(name: string): Bytes | undefined {
    const own = this.own.get(name)
    return own === undefined ? this.model.valueAt(name, this.position) : own.value
  }

  private wrongValue(key: Bytes, answer: Bytes | undefined): string | undefined {
    const name = mapKey(key)
    const value = this.value(name)
    return isSame(value, answer) ? undefined : differs(name, value, answer)
  }

  private wrongVersioned(key: Bytes, answer: Versioned | undefined): string | undefined {
    const wrong = this.wrongValue(key, answer?.value)
    if (wrong !== undefined || answer === undefined) return wrong
    const name = mapKey(key)
    const known = this.own.get(name) ?? this.model.changeAt(name, this.position)
    const { version } = answer
    if (version > 0 && (known?.version ?? version) === version) return undefined
    return `${show(name)} has version ${version}, not ${known?.version}`
  }

  private wrongCount(key: Bytes, answer: Count): string | undefined {
    const name = mapKey(key)
    const base = this.own.has(name) ? zeroCount : decodeCount(this.value(name))
    const { documents, bytes } = addCounts(base, this.added.get(name))
    if (answer.documents === documents && answer.bytes === bytes) return undefined
    return `${show(name)} counts ${answer.documents}, ${answer.bytes}, not ${documents}, ${bytes}`
  }

  private wrongValues(
    { keys, bytesMax = Number.POSITIVE_INFINITY }: Points,
    answer: readonly (Bytes | undefined)[],
  ): string | undefined {
    let bytes = 0
    let expected = 0
    for (const key of keys) {
      const wrong = this.wrongValue(key, answer[expected])
      if (wrong !== undefined) return wrong
      bytes += answer[expected++]?.length ?? 0
      if (bytes >= bytesMax) break
    }
    if (answer.length === expected) return undefined
    return `${answer.length} values of ${keys.length} keys, not ${expected}`
  }

  private wrongEntries(scan: Scan, answer: readonly Fetched[]): string | undefined {
    let place = 0
    for (const [name, value] of this.entries(scan)) {
      const entry = answer[place++]
      if (entry === undefined) {
        if (hasReachedBytes(scan, answer)) return undefined
        return `a ${scan.kind} ended before ${show(name)}`
      }
      const found = mapKey(entry.key)
      if (found !== name) return `a ${scan.kind} found ${show(found)}, not ${show(name)}`
      if (!isSame(value, entry.value)) return differs(name, value, entry.value)
      if (scan.kind !== 'scanFetch') continue
      const wrong = this.wrongValue(value, entry.record)
      if (wrong !== undefined) return wrong
    }
    if (answer.length === place) return undefined
    return `a ${scan.kind} answered ${answer.length} entries, not ${place}`
  }

  /** What a scan answers; only scanOwn sees changes of its own. */
  private *entries(scan: Scan): Generator<[string, Bytes], void> {
    const isOwn = scan.kind === 'scanOwn' && this.own.size > 0
    const names = isOwn ? this.namesWithOwn(scan.range) : this.model.keysIn(scan.range)
    let left = scan.limit
    for (const name of names) {
      const value = isOwn ? this.value(name) : this.model.valueAt(name, this.position)
      if (value === undefined) continue
      yield [name, value]
      if (--left === 0) return
    }
  }

  private namesWithOwn(range: KeyRange): string[] {
    const [start, end] = [mapKey(range.start), mapKey(range.end)]
    const names = new Set(this.model.keysIn(range))
    for (const name of this.own.keys()) if (name >= start && name < end) names.add(name)
    const sorted = [...names].sort()
    return range.reverse === true ? sorted.reverse() : sorted
  }
}

/** Whether a scan may have ended at its bytes: those of its records if it fetches them. */
function hasReachedBytes({ kind, range, limit }: Scan, answer: readonly Fetched[]): boolean {
  if (range.bytesMax === undefined || answer.length === 0 || answer.length >= limit) return false
  return !(kind === 'scanFetch' ? endsFetch : endsRange)(answer, range, limit)
}

type Points = Extract<ReadOperation, { readonly keys: readonly Bytes[] }>
type Scan = Extract<ReadOperation, { readonly range: KeyRange }>

/**
 * Of a scan that let others work in between: each entry and record is from some state of these,
 * and what is left out was missing in some.
 */
export function mixedMismatch(
  model: StoreModel,
  scan: Scan,
  answer: readonly Fetched[],
  from: number,
  to: number,
): string | undefined {
  const wrongIn = (name: string, expected: Bytes | undefined): string | undefined => {
    for (let state = from; state <= to; state++) {
      if (isSame(model.valueAt(name, state), expected)) return undefined
    }
    return differs(name, model.valueAt(name, to), expected)
  }
  let place = 0
  for (const name of model.keysIn(scan.range)) {
    if (place === scan.limit || (place === answer.length && hasReachedBytes(scan, answer))) break
    const entry = answer[place]
    const isFound = entry !== undefined && mapKey(entry.key) === name
    const wrong = wrongIn(name, isFound ? entry.value : undefined)
    if (wrong !== undefined) return wrong
    if (!isFound) continue
    place++
    if (scan.kind !== 'scanFetch') continue
    const wrongRecord = wrongIn(mapKey(entry.value), entry.record)
    if (wrongRecord !== undefined) return wrongRecord
  }
  return place === answer.length ? undefined : 'a scan answered what was never there'
}

/** What is wrong with the entries of a whole store, as those of one state. */
export function wrongWhole(
  model: StoreModel,
  entries: readonly Entry[],
  state: number,
): string | undefined {
  const all = { kind: 'scan', range: everything, limit: Number.POSITIVE_INFINITY } as const
  return mixedMismatch(model, all, entries as readonly Fetched[], state, state)
}

function isSame(expected: Bytes | undefined, found: Bytes | undefined): boolean {
  if (expected === undefined || found === undefined) return expected === found
  return equalBytes(expected, found)
}

function differs(name: string, expected: Bytes | undefined, found: Bytes | undefined): string {
  return `${show(name)} is ${brief(found)}, not ${brief(expected)}`
}

function brief(value: Bytes | undefined): string {
  if (value === undefined) return 'missing'
  return `${value.length} bytes ${show(mapKey(value.subarray(0, uniqueBytesMin)))}`
}

function show(name: string): string {
  return Buffer.from(name.slice(0, 40), 'latin1').toString('hex')
}
