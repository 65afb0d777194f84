// What a write group has read so far, and what its earlier programs have changed. Programs are
// answered from here; only what is not known costs a round trip.

import { type Bytes, mapKey } from '../../base/bytes/bytes.js'
import { MiB } from '../../base/units.js'
import { isOwnersSum, keyClass } from '../layout.js'
import { compareKeys } from '../memtable/ordered-map.js'
import { addCounts, decodeCount, encodeCount, zeroCount } from '../programs/counters.js'
import { fetchedAtOnce, getEach, getEachVersioned } from '../programs/fetching.js'
import { type OwnPage, OwnPages } from '../programs/own-pages.js'
import { type Additions, addTo, WriteBuffer } from '../programs/write-buffer.js'
import { unbounded } from '../steps.js'
import type { Ask, Entry, Fetched, KeyRange, Versioned } from '../store.js'
import { copy, hasCounters, isCounter, readPoints, readRange, readVersions } from './asks.js'
import type { Guesses } from './guesses.js'
import { type Link, settled } from './link.js'
import type { NumberBlocks, WantedNumbers } from './numbers.js'
import { sharedKeysMax } from './reads/sharing.js'
import type { Put } from './writes.js'

interface KnownRange {
  readonly limit: number
  readonly entries: readonly Entry[]
}

/** What is known of a scan: its entries, or what is to be read before. */
type Scanned =
  | { readonly entries: Entry[]; readonly missing?: undefined }
  | { readonly missing: OwnPage }

/** What a round has to ask. */
interface Wanted {
  readonly points: Map<string, Bytes>
  /** Of programs that read ahead: each has its bound. */
  readonly pages: { readonly keys: readonly Bytes[]; readonly bytesMax: number }[]
  readonly versions: Map<string, Bytes>
  readonly ranges: Map<string, { readonly range: KeyRange; readonly limit: number }>
  readonly numbers: WantedNumbers
}

/** Beyond so many bytes that a group has read, only its first programs go on. */
const readBytesMax = 16 * MiB

/** The group is one program with its own bounds. */
const noBounds = { puts: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY }

/** Reads counters in another transaction: what is added meanwhile is no conflict. */
export type ReadBeside = (keys: readonly Bytes[]) => Promise<ReadonlyMap<string, Versioned>>

export class Known {
  private readonly points = new Map<string, Versioned | undefined>()
  private readonly versions = new Map<string, number | undefined>()
  private readonly ranges = new Map<string, KnownRange>()
  /** Of all values that were read. */
  private readBytes = 0
  /** Changes of the programs that have run. */
  readonly changes = new WriteBuffer(() => 0, noBounds)
  readonly additions: Additions = new Map()
  readonly appended: Bytes[] = []

  constructor(
    private readonly beside: ReadBeside,
    private readonly numbers: NumberBlocks,
    private readonly guesses: Guesses,
  ) {}

  /** Adds the changes of a program to what the next ones see, with versions for its puts. */
  take(buffer: WriteBuffer, nextVersion?: () => number): void {
    this.changes.take(buffer, nextVersion)
    for (const { key } of buffer.changes) if (isCounter(key)) this.additions.delete(mapKey(key))
    for (const addition of buffer.additions?.values() ?? []) addTo(this.additions, addition)
    for (const record of buffer.appended ?? []) this.appended.push(record)
  }

  /** It has read so much that fewer programs have to do. */
  get isFull(): boolean {
    return this.readBytes > readBytesMax
  }

  /** Whether there is anything to commit. */
  get isEmpty(): boolean {
    return this.changes.isEmpty && this.additions.size === 0 && this.appended.length === 0
  }

  /** Whether the programs that have run have changed what answers this question. */
  hasChanged(ask: Ask): boolean {
    if (this.changes.isEmpty && this.additions.size === 0) return false
    switch (ask.kind) {
      case 'get':
        return this.hasChangedPoint(ask.key)
      case 'getMany':
      case 'ahead':
      case 'getVersions':
        return ask.keys.some((key) => this.hasChangedPoint(key))
      case 'scan':
        return this.hasChangedIn(ask.range)
      case 'scanFetch': {
        if (this.hasChangedIn(ask.range)) return true
        const entries = this.scan(unbounded(ask.range), ask.limit)
        return entries?.some(({ value }) => this.hasChangedPoint(value)) !== false
      }
      case 'numbers':
      case 'pause':
      case 'elsewhere':
        return false
    }
  }

  private hasChangedPoint(key: Bytes): boolean {
    if (this.changes.find(key) !== undefined) return true
    return isCounter(key) && this.additions.has(mapKey(key))
  }

  private hasChangedIn(range: KeyRange): boolean {
    if (this.additions.size > 0 && hasCounters(range)) return true
    return this.changes.hasChangedIn(range)
  }

  /** Asks for what is not known of these questions, in one round trip. */
  async learn(link: Link, asks: readonly Ask[]): Promise<void> {
    const wanted: Wanted = {
      points: new Map(),
      pages: [],
      versions: new Map(),
      ranges: new Map(),
      numbers: new Map(),
    }
    for (const ask of asks) this.want(ask, wanted)
    const { points, pages, versions, ranges, numbers } = wanted
    const reads: Promise<void>[] = []
    if (numbers.size > 0) reads.push(this.numbers.fill(numbers))
    if (points.size > 0) reads.push(this.learnPoints(link, points))
    for (const { keys, bytesMax } of pages) reads.push(this.learnPage(link, keys, bytesMax))
    if (versions.size > 0) reads.push(this.learnVersions(link, versions))
    for (const [name, { range, limit }] of ranges) {
      reads.push(this.learnRange(link, name, range, limit))
    }
    await settled(reads)
  }

  /** The answer; undefined if something is to be learned first. */
  answer(ask: Ask): { readonly value: unknown } | undefined {
    switch (ask.kind) {
      case 'get':
        return this.knowsPoint(ask.key) ? { value: this.point(ask.key) } : undefined
      case 'getMany':
        return this.known(this.records(ask.keys, ask.bytesMax))
      case 'ahead':
        return this.known(this.readAhead(ask.keys, ask.bytesMax))
      case 'getVersions':
        if (!ask.keys.every((key) => this.knowsVersion(key))) return undefined
        return { value: ask.keys.map((key) => this.versionOf(key)) }
      case 'scan':
        return this.known(this.scan(ask.range, ask.limit))
      case 'scanFetch':
        return this.known(this.fetched(ask.range, ask.limit))
      case 'numbers':
        return this.numbers.has(ask.counter, ask.count) ? { value: undefined } : undefined
      case 'pause':
      case 'elsewhere':
        return { value: undefined }
    }
  }

  private known<T>(value: T | undefined): { readonly value: T } | undefined {
    return value === undefined ? undefined : { value }
  }

  private want(ask: Ask, wanted: Wanted): void {
    switch (ask.kind) {
      case 'get':
        this.wantPoint(ask.key, wanted)
        break
      case 'getMany':
        this.wantRecords(ask.keys, ask.bytesMax, wanted)
        break
      case 'ahead':
        this.wantAhead(ask.keys, ask.bytesMax, wanted)
        break
      case 'getVersions':
        for (const key of ask.keys) {
          if (!this.knowsVersion(key)) wanted.versions.set(mapKey(key), key)
        }
        break
      case 'scan': {
        const { missing } = this.scanned(ask.range, ask.limit)
        if (missing !== undefined) this.wantRange(missing, wanted)
        break
      }
      case 'scanFetch':
        this.wantFetched(ask.range, ask.limit, wanted)
        break
      case 'numbers':
        this.wantNumbers(ask, wanted)
        break
      case 'pause':
      case 'elsewhere':
    }
  }

  private wantPoint(key: Bytes, { points }: Wanted): void {
    if (!this.knowsPoint(key)) points.set(mapKey(key), key)
  }

  /** Few keys go with those of other programs. */
  private wantAhead(keys: readonly Bytes[], bytesMax: number, wanted: Wanted): void {
    const unknown = keys.filter((key) => !this.knowsPoint(key))
    const isPage = unknown.length > sharedKeysMax && !unknown.some(isOwnersSum)
    if (isPage) wanted.pages.push({ keys: unknown, bytesMax })
    else for (const key of unknown) this.wantPoint(key, wanted)
  }

  private wantRange({ range, limit }: OwnPage, { ranges }: Wanted): void {
    const name = rangeName(range)
    ranges.set(name, { range, limit: Math.max(limit, ranges.get(name)?.limit ?? 0) })
  }

  private wantFetched(range: KeyRange, limit: number, wanted: Wanted): void {
    const scanned = this.scanned(unbounded(range), limit)
    if (scanned.missing !== undefined) this.wantRange(scanned.missing, wanted)
    else {
      const keys = scanned.entries.map(({ value }) => value)
      this.wantRecords(keys, range.bytesMax, wanted)
    }
  }

  /** The next ones that are not known, of all of those before them. */
  private wantRecords(
    keys: readonly Bytes[],
    bytesMax = Number.POSITIVE_INFINITY,
    wanted: Wanted,
  ): void {
    const first = keys.findIndex((key) => !this.knowsPoint(key))
    if (first === -1) return
    let bytes = 0
    for (const key of keys.slice(0, first)) bytes += this.point(key)?.value.length ?? 0
    const most = fetchedAtOnce(first, bytes, bytesMax)
    for (const key of keys.slice(first, first + most)) this.wantPoint(key, wanted)
  }

  private wantNumbers({ counter, count }: Ask & { kind: 'numbers' }, { numbers }: Wanted): void {
    if (this.numbers.has(counter, count)) return
    const name = mapKey(counter)
    const before = numbers.get(name)?.count ?? 0
    numbers.set(name, { counter, count: Math.max(before, count) })
  }

  private async learnPoints(link: Link, keys: ReadonlyMap<string, Bytes>): Promise<void> {
    const all = [...keys.values()]
    const sums = all.filter(isOwnersSum)
    const others = sums.length === 0 ? all : all.filter((key) => !isOwnersSum(key))
    const found = await settled([
      ...(others.length === 0 ? [] : [readPoints(link, others)]),
      ...(sums.length === 0 ? [] : [this.beside(sums)]),
    ])
    for (const [name, key] of keys) {
      const value = found.find((points) => points.has(name))?.get(name)
      this.setPoint(name, value)
      this.guesses.note(key, value)
    }
  }

  /** What is behind the bound may not be told, and is not known. */
  private async learnPage(link: Link, keys: readonly Bytes[], bytesMax: number): Promise<void> {
    const found = await readPoints(link, keys, bytesMax)
    const points = getEachVersioned(keys, bytesMax, (key) => found.get(mapKey(key)))
    for (const [i, point] of points.entries()) this.setPoint(mapKey(keys[i] as Bytes), point)
  }

  private setPoint(name: string, point: Versioned | undefined): void {
    this.points.set(name, point)
    this.readBytes += point?.value.length ?? 0
  }

  private async learnVersions(link: Link, keys: ReadonlyMap<string, Bytes>): Promise<void> {
    const found = await readVersions(link, [...keys.values()])
    for (const name of keys.keys()) this.versions.set(name, found.get(name))
  }

  private async learnRange(
    link: Link,
    name: string,
    range: KeyRange,
    limit: number,
  ): Promise<void> {
    const entries = await readRange(link, range, limit)
    this.ranges.set(name, { limit, entries })
    for (const { value } of entries) this.readBytes += value.length
  }

  private knowsPoint(key: Bytes): boolean {
    return this.points.has(mapKey(key)) || this.changes.find(key) !== undefined
  }

  private knowsVersion(key: Bytes): boolean {
    return this.versions.has(mapKey(key)) || this.knowsPoint(key)
  }

  private point(key: Bytes): Versioned | undefined {
    const own = this.changes.find(key)
    const stored = own === undefined ? this.points.get(mapKey(key)) : own
    const sum = this.sumOf(key, stored?.value)
    if (sum !== undefined) return { value: copy(sum), version: 0 }
    if (stored?.value === undefined) return undefined
    return { value: copy(stored.value), version: stored.version }
  }

  /**
   * Whether this transaction has seen that the key is missing; so is an index entry, if the record
   * is that it leads to.
   */
  isNew({ key, value }: Put): boolean {
    if (key[0] === keyClass.entry && value !== undefined) return this.isMissing(value)
    return this.isMissing(key)
  }

  private isMissing(key: Bytes): boolean {
    const name = mapKey(key)
    return this.points.get(name) === undefined && this.points.has(name)
  }

  /** Of what is known; undefined for a missing key. */
  versionOf(key: Bytes): number | undefined {
    const own = this.changes.find(key)
    if (own !== undefined) return own.value === undefined ? undefined : own.version
    const name = mapKey(key)
    return this.versions.has(name) ? this.versions.get(name) : this.points.get(name)?.version
  }

  private scan(range: KeyRange, limit: number): Entry[] | undefined {
    const scanned = this.scanned(range, limit)
    return scanned.missing === undefined ? scanned.entries : undefined
  }

  private scanned(range: KeyRange, limit: number): Scanned {
    const { bytesMax } = range
    if (hasCounters(range)) return this.scannedCounters(unbounded(range), limit)
    if (bytesMax === undefined) return this.scannedWhole(range, limit)
    const pages = new OwnPages(this.changes, range, limit, bytesMax)
    for (let page = pages.next(); page !== undefined; page = pages.next()) {
      const stored = this.stored(page)
      if (stored === undefined) return { missing: page }
      pages.take(page, stored)
    }
    return { entries: pages.entries }
  }

  private scannedWhole(range: KeyRange, limit: number): Scanned {
    const own = this.changes.ownWrites(range, limit)
    const page = { range, limit: own.wanted }
    const stored = this.stored(page)
    return stored === undefined ? { missing: page } : { entries: own.merge(stored) }
  }

  private scannedCounters(range: KeyRange, limit: number): Scanned {
    const scanned = this.scannedWhole(range, limit)
    if (scanned.missing !== undefined || this.additions.size === 0) return scanned
    return { entries: this.withAdditions(scanned.entries, range, limit) }
  }

  /** What was read; undefined if that is not enough. */
  private stored({ range, limit }: OwnPage): Entry[] | undefined {
    const known = this.ranges.get(rangeName(range))
    if (known === undefined) return undefined
    // Fewer than were asked for are all.
    if (known.limit < limit && known.entries.length === known.limit) return undefined
    return known.entries
      .slice(0, limit)
      .map(({ key, value }) => ({ key: copy(key), value: copy(value) }))
  }

  private fetched(range: KeyRange, limit: number): Fetched[] | undefined {
    const entries = this.scan(unbounded(range), limit)
    if (entries === undefined) return undefined
    const keys = entries.map(({ value }) => value)
    const records = this.records(keys, range.bytesMax)
    return records?.map((record, i) => ({ ...(entries[i] as Entry), record }))
  }

  private readAhead(
    keys: readonly Bytes[],
    bytesMax: number,
  ): (Pick<Put, 'value'> | undefined)[] | undefined {
    let isKnown = true
    const points = getEachVersioned<Pick<Put, 'value'>>(keys, bytesMax, (key) => {
      isKnown &&= this.knowsPoint(key)
      return this.changes.find(key) ?? this.points.get(mapKey(key))
    })
    return isKnown ? points : undefined
  }

  private records(
    keys: readonly Bytes[],
    bytesMax = Number.POSITIVE_INFINITY,
  ): Fetched['record'][] | undefined {
    let isKnown = true
    const records = getEach(keys, bytesMax, (key) => {
      isKnown &&= this.knowsPoint(key)
      return isKnown ? this.point(key)?.value : undefined
    })
    return isKnown ? records : undefined
  }

  /** Counters have the additions of earlier programs, and those that had none before are there. */
  private withAdditions(entries: readonly Entry[], range: KeyRange, limit: number): Entry[] {
    const byName = new Map(entries.map((entry) => [mapKey(entry.key), entry]))
    for (const [name, { key }] of this.additions) {
      const isIn = compareKeys(key, range.start) >= 0 && compareKeys(key, range.end) < 0
      if (isIn && !byName.has(name)) byName.set(name, { key, value: encodeCount(zeroCount) })
    }
    const sign = range.reverse === true ? -1 : 1
    return [...byName.values()]
      .sort((a, b) => sign * compareKeys(a.key, b.key))
      .slice(0, limit)
      .map(({ key, value }) => ({ key: copy(key), value: copy(this.sumOf(key, value) ?? value) }))
  }

  /** A counter with what earlier programs have added; undefined if that is nothing. */
  private sumOf(key: Bytes, stored: Bytes | undefined): Bytes | undefined {
    const added = isCounter(key) ? this.additions.get(mapKey(key)) : undefined
    return added === undefined ? undefined : encodeCount(addCounts(decodeCount(stored), added))
  }
}

function rangeName({ start, end, reverse, bytesMax }: KeyRange): string {
  return `${start.length}.${reverse === true}.${bytesMax}.${mapKey(start)}${mapKey(end)}`
}
