// Transactions of a store that is not in this process: each read is a question, which the program
// yields and is resumed with the answer of. Changes are buffered until the program ends.

import { type Bytes, mapKey } from '../../base/bytes/bytes.js'
import { MiB } from '../../base/units.js'
import { work } from '../../base/work/work-budget.js'
import { Asked, Done, nothing, requireBounded } from '../steps.js'
import type {
  Count,
  Elsewhere,
  Entry,
  Fetched,
  KeyRange,
  Numbers,
  Program,
  ReadBefore,
  ReadTx,
  Step,
  Tx,
  Versioned,
} from '../store.js'
import { decodeCount } from './counters.js'
import { fetchScanned, getInSteps } from './fetching.js'
import { OwnPages } from './own-pages.js'
import type { WriteBuffer } from './write-buffer.js'

/** What a program has read ahead; undefined for a missing key. */
type Ahead = Map<string, Versioned | undefined>

/** A program keeps what it has read ahead up to here, and as much again from before. */
const aheadKeysMax = 4_096
const aheadBytesMax = 8 * MiB

/** Reads of a program, each a question to the store. */
export class AskingReadTx implements ReadTx {
  private ahead: Ahead | undefined
  private olderAhead: Ahead | undefined
  private aheadBytes = 0

  /** `isHeld`: one state, also over pauses. */
  constructor(private readonly isHeld = false) {}

  get(key: Bytes): Step<Bytes | undefined> {
    const known = this.known(key)
    if (known !== undefined) return new Done(known.value?.value)
    return new Asked({ kind: 'get', key }, (told) => (told as Versioned | undefined)?.value)
  }

  getVersioned(key: Bytes): Step<Versioned | undefined> {
    const known = this.known(key)
    if (known !== undefined) return new Done(known.value)
    return new Asked({ kind: 'get', key }, (told) => told as Versioned | undefined)
  }

  readAhead(keys: readonly Bytes[], bytesMax = Number.POSITIVE_INFINITY): Step<ReadBefore> {
    return new Asked({ kind: 'ahead', keys, bytesMax }, (told) => {
      const found = told as readonly (Versioned | undefined)[]
      const bytes = bytesOf(found)
      this.ahead ??= new Map()
      if (this.aheadBytes > aheadBytesMax || this.ahead.size > aheadKeysMax) {
        this.olderAhead = this.ahead
        this.ahead = new Map()
        this.aheadBytes = 0
      }
      this.aheadBytes += bytes
      for (const [i, each] of found.entries()) this.ahead.set(mapKey(keys[i] as Bytes), each)
      return { keys: found.length, bytes }
    })
  }

  /** What was read ahead for a key; the program owns the bytes. */
  private known(key: Bytes): { readonly value: Versioned | undefined } | undefined {
    if (this.ahead === undefined) return undefined
    const name = mapKey(key)
    const from = this.ahead.has(name) ? this.ahead : this.olderAhead
    const found = from?.get(name)
    if (found !== undefined) return { value: { ...found, value: new Uint8Array(found.value) } }
    return from?.has(name) === true ? { value: undefined } : undefined
  }

  private forget(): void {
    if (this.isHeld) return
    this.ahead = undefined
    this.olderAhead = undefined
  }

  getMany(
    keys: readonly Bytes[],
    bytesMax = Number.POSITIVE_INFINITY,
  ): Step<(Bytes | undefined)[]> {
    return new Asked({ kind: 'getMany', keys, bytesMax }, (told) => told as (Bytes | undefined)[])
  }

  getVersions(keys: readonly Bytes[]): Step<(number | undefined)[]> {
    return new Asked({ kind: 'getVersions', keys }, (told) => told as (number | undefined)[])
  }

  scan(range: KeyRange, limit: number): Step<Entry[]> {
    requireBounded(limit)
    return new Asked({ kind: 'scan', range, limit }, (told) => told as Entry[])
  }

  scanFetch(range: KeyRange, limit: number): Step<Fetched[]> {
    requireBounded(limit)
    return new Asked({ kind: 'scanFetch', range, limit }, (told) => told as Fetched[])
  }

  count(key: Bytes): Step<Count> {
    return new Asked({ kind: 'get', key }, (told) =>
      decodeCount((told as Versioned | undefined)?.value),
    )
  }

  pause(_units?: number): Step<void> {
    this.forget()
    return new Asked({ kind: 'pause' }, () => undefined)
  }

  elsewhere({ begin }: Elsewhere): Step<void> {
    this.forget()
    return new Asked({ kind: 'elsewhere', begin }, () => undefined)
  }
}

export interface Applied {
  readonly check: () => void
  readonly told: () => void
}

export class AskingTx extends AskingReadTx implements Tx {
  /** In the order of their calls: what is asked before, and told after the changes are applied. */
  readonly applied: Applied[] = []
  /** Whether the program has read the version of one of its own puts. */
  knowsVersions = false
  private readonly buffer: WriteBuffer

  constructor(
    buffer: WriteBuffer,
    readonly gateway?: string,
    readonly numbers?: Numbers,
  ) {
    super()
    this.buffer = buffer
  }

  override get(key: Bytes): Step<Bytes | undefined> {
    const own = this.buffer.find(key)
    return own === undefined ? super.get(key) : new Done(own.value?.slice())
  }

  override getVersioned(key: Bytes): Step<Versioned | undefined> {
    const own = this.buffer.find(key)
    if (own === undefined) return super.getVersioned(key)
    this.knowsVersions = true
    const { value, version } = own
    return new Done(value === undefined ? undefined : { value: value.slice(), version })
  }

  /** The store keeps it: programs of a group share what they read. */
  override readAhead(
    keys: readonly Bytes[],
    bytesMax = Number.POSITIVE_INFINITY,
  ): Step<ReadBefore> {
    return new Asked({ kind: 'ahead', keys, bytesMax }, (told) => {
      const found = told as readonly (Versioned | undefined)[]
      return { keys: found.length, bytes: bytesOf(found) }
    })
  }

  override getMany(
    keys: readonly Bytes[],
    bytesMax = Number.POSITIVE_INFINITY,
  ): Step<(Bytes | undefined)[]> {
    // As in scanFetch.
    const isPage = bytesMax !== Number.POSITIVE_INFINITY
    if (isPage && this.buffer.changes.length > 0) {
      return getInSteps(keys, bytesMax, (some) => this.getAll(some))
    }
    return new Asked({ kind: 'getMany', keys, bytesMax }, (told) =>
      (told as (Bytes | undefined)[]).map((stored, i) => this.own(keys[i] as Bytes, stored)),
    )
  }

  private *getAll(keys: readonly Bytes[]): Program<(Bytes | undefined)[]> {
    return yield* this.getMany(keys)
  }

  override getVersions(keys: readonly Bytes[]): Step<(number | undefined)[]> {
    return new Asked({ kind: 'getVersions', keys }, (told) =>
      keys.map((key, index) => {
        const own = this.buffer.find(key)
        if (own === undefined) return (told as (number | undefined)[])[index]
        this.knowsVersions = true
        return own.value === undefined ? undefined : own.version
      }),
    )
  }

  override scanFetch(range: KeyRange, limit: number): Step<Fetched[]> {
    requireBounded(limit)
    // What is told may end with a record that the program has made smaller.
    const isPage = range.bytesMax !== undefined
    if (isPage && this.buffer.changes.length > 0) return fetchScanned(this, range, limit)
    return new Asked({ kind: 'scanFetch', range, limit }, (told) =>
      (told as Fetched[]).map(({ key, value, record }) => ({
        key,
        value,
        record: this.own(value, record),
      })),
    )
  }

  override count(key: Bytes): Step<Count> {
    return new Asked({ kind: 'get', key }, (told) =>
      this.buffer.count(key, () => decodeCount((told as Versioned | undefined)?.value)),
    )
  }

  /** A write program cannot pause: exceeding the budget is an error. */
  override pause(units = 0): Step<void> {
    work.spend(units)
    return nothing
  }

  override elsewhere({ refusal }: Elsewhere): never {
    throw refusal
  }

  scanOwn(range: KeyRange, limit: number): Step<Entry[]> {
    requireBounded(limit)
    const { bytesMax } = range
    if (bytesMax !== undefined && this.buffer.changes.length > 0) {
      return this.scanPages(new OwnPages(this.buffer, range, limit, bytesMax))
    }
    const own = this.buffer.ownWrites(range, limit)
    return new Asked({ kind: 'scan', range, limit: own.wanted }, (told) =>
      own.merge(told as Entry[]),
    )
  }

  private *scanPages(pages: OwnPages): Program<Entry[]> {
    for (let page = pages.next(); page !== undefined; page = pages.next()) {
      pages.take(page, yield* this.scan(page.range, page.limit))
    }
    return pages.entries
  }

  put(key: Bytes, value: Bytes): void {
    this.buffer.put(key, value)
  }

  remove(key: Bytes): void {
    this.buffer.remove(key)
  }

  add(key: Bytes, documents: number, bytes: number): void {
    this.buffer.add(key, documents, bytes)
  }

  added(key: Bytes): Count {
    return this.buffer.added(key)
  }

  append(value: Bytes): void {
    this.buffer.append(value)
  }

  whenApplied(check: () => void, told: () => void): void {
    this.applied.push({ check, told })
  }

  private own(key: Bytes, stored: Bytes | undefined): Bytes | undefined {
    const own = this.buffer.find(key)
    return own === undefined ? stored : own.value?.slice()
  }
}

function bytesOf(found: readonly ({ readonly value?: Bytes | undefined } | undefined)[]): number {
  let bytes = 0
  for (const each of found) bytes += each?.value?.length ?? 0
  return bytes
}
