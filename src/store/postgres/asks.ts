// Answers the questions of programs over one connection. All questions of a round are sent at once:
// the points in one statement, each scan in its own.

import { type Bytes, mapKey } from '../../base/bytes/bytes.js'
import { KiB } from '../../base/units.js'
import { keyClass } from '../layout.js'
import { compareKeys } from '../memtable/ordered-map.js'
import { encodeCount } from '../programs/counters.js'
import { getEach, getEachVersioned } from '../programs/fetching.js'
import type { Ask, Entry, Fetched, KeyRange, Versioned } from '../store.js'
import { type Link, settled } from './link.js'
import { packBytes, packOne } from './packed.js'
import type { Row, Statement } from './statement.js'

const getPoints: Statement = {
  name: 'points',
  text: 'SELECT key, version, value FROM pairs WHERE key = ANY($1::bytea[])',
}
/** The same, without the values of more than $2 bytes. */
const getSmall: Statement = {
  name: 'smallpoints',
  text: `SELECT key, version, CASE WHEN octet_length(value) <= $2::bigint THEN value END
    FROM pairs WHERE key = ANY($1::bytea[])`,
}
/**
 * The values of the first keys of a list: up to the one that brings those before it to $2 bytes.
 */
const getPage: Statement = {
  name: 'pointpage',
  text: `SELECT key, version, value FROM (
      SELECT key, version, value, sum(octet_length(value)) OVER (
        ORDER BY at ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ) AS bytes FROM unnest($1::bytea[]) WITH ORDINALITY AS asked (key, at)
      JOIN pairs USING (key)
    ) page WHERE coalesce(bytes, 0) < $2::bigint`,
}
const getVersions: Statement = {
  name: 'versions',
  text: 'SELECT key, version FROM pairs WHERE key = ANY($1::bytea[])',
}
/** The columns of a counter, behind its key. */
export const sums = 'sum(documents)::text, sum(bytes)::text'
const getChecked: Statement = {
  name: 'checked',
  text: `${getPoints.text}
    UNION ALL SELECT key, version, NULL FROM pairs WHERE key = ANY($2::bytea[])`,
}
const getCounts: Statement = {
  name: 'counts',
  text: `SELECT key, ${sums} FROM counts WHERE key = ANY($1::bytea[]) GROUP BY key`,
}
const inRange = 'key >= $1::bytea AND key < $2::bytea'
const scanText = (order: string) =>
  `SELECT key, value FROM pairs WHERE ${inRange} ORDER BY key ${order} LIMIT $3::bigint`
const scans = both('scan', scanText)
/** As scans, up to the row whose value brings those before it to $4 bytes. */
const scanPages = both(
  'page',
  (order) =>
    `SELECT key, value FROM (
       SELECT key, value, sum(octet_length(value)) OVER (
         ORDER BY key ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
       ) AS bytes FROM (${scanText(order)}) found
     ) page WHERE coalesce(bytes, 0) < $4::bigint ORDER BY key ${order}`,
)
const scanFetches = both(
  'fetch',
  (order) =>
    `SELECT e.key, e.value, r.value FROM (${scanText(order)}) e
     LEFT JOIN pairs r ON r.key = e.value ORDER BY e.key ${order}`,
)
/** As scanFetches, up to the row whose record brings those before it to $4 bytes. */
const fetchPages = both(
  'fetchpage',
  (order) =>
    `SELECT key, value, record FROM (
       SELECT e.key, e.value, r.value AS record, sum(octet_length(r.value)) OVER (
         ORDER BY e.key ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
       ) AS bytes FROM (${scanText(order)}) e LEFT JOIN pairs r ON r.key = e.value
     ) page WHERE coalesce(bytes, 0) < $4::bigint ORDER BY key ${order}`,
)
const scanCounts = both(
  'sums',
  (order) =>
    `SELECT key, ${sums} FROM counts WHERE ${inRange}
     GROUP BY key ORDER BY key ${order} LIMIT $3::bigint`,
)

/** So few rows, of 2 MB at most, have no bound in bytes: it costs more than they do. */
const fewRowsMax = 8

/** Values up to here have no bound together: 2 MiB of 128 keys, which are read at once. */
const smallBytesMax = 16 * KiB

/** A statement in the two directions: ascending, descending. */
function both(name: string, text: (order: string) => string): readonly [Statement, Statement] {
  return [
    { name: `${name}_up`, text: text('ASC') },
    { name: `${name}_down`, text: text('DESC') },
  ]
}

/** Values of keys, by mapKey; missing keys are absent. */
type Points = Map<string, Versioned>

/** Behind the values that bring those before to `bytesMax`, it may find none. */
export async function readPoints(
  link: Link,
  keys: readonly Bytes[],
  bytesMax = Number.POSITIVE_INFINITY,
): Promise<Points> {
  const counters = keys.filter(isCounter)
  const others = counters.length === 0 ? keys : keys.filter((key) => !isCounter(key))
  const isPage = bytesMax !== Number.POSITIVE_INFINITY && others.length > fewRowsMax
  const [pairs, counts] = await settled([
    others.length === 0
      ? none
      : isPage
        ? readPage(link, others, bytesMax)
        : link.run(getPoints, [packBytes(others)]),
    counters.length === 0 ? none : link.run(getCounts, [packBytes(counters)]),
  ])
  const found: Points = new Map()
  for (const [key, version, value] of pairs ?? []) {
    found.set(mapKey(key as Bytes), { value: value as Bytes, version: Number(version) })
  }
  for (const row of counts ?? []) {
    found.set(mapKey(row[0] as Bytes), { value: sumOf(row), version: 0 })
  }
  return found
}

/** Most values are small, and the bound in bytes costs as much as reading 60 of them. */
async function readPage(
  link: Link,
  keys: readonly Bytes[],
  bytesMax: number,
): Promise<readonly Row[]> {
  const packed = packBytes(keys)
  const rows = await link.run(getSmall, [packed, smallBytesMax])
  const isWhole = rows.every(([_key, _version, value]) => value !== null)
  return isWhole ? rows : link.run(getPage, [packed, bytesMax])
}

export async function readVersions(
  link: Link,
  keys: readonly Bytes[],
): Promise<Map<string, number>> {
  const rows = await link.run(getVersions, [packBytes(keys)])
  return new Map(rows.map(([key, version]) => [mapKey(key as Bytes), Number(version)]))
}

/** Values of keys, none of which is a counter, and the versions of others, in one statement. */
export async function readChecked(
  link: Link,
  keys: readonly Bytes[],
  checked: readonly Bytes[],
): Promise<{ readonly points: Points; readonly versions: ReadonlyMap<string, number> }> {
  if (checked.length === 0) return { points: await readPoints(link, keys), versions: new Map() }
  if (keys.length === 0) return { points: new Map(), versions: await readVersions(link, checked) }
  const points: Points = new Map()
  const versions = new Map<string, number>()
  const rows = await link.run(getChecked, [packBytes(keys), packBytes(checked)])
  for (const [key, version, value] of rows) {
    const name = mapKey(key as Bytes)
    if (value === null) versions.set(name, Number(version))
    else points.set(name, { value: value as Bytes, version: Number(version) })
  }
  return { points, versions }
}

export async function readRange(link: Link, range: KeyRange, limit: number): Promise<Entry[]> {
  const { bytesMax } = range
  const [pairs, counts] = await settled([
    bytesMax === undefined || limit <= fewRowsMax
      ? link.run(way(scans, range), bounds(range, limit))
      : link.run(way(scanPages, range), [...bounds(range, limit), bytesMax]),
    hasCounters(range) ? link.run(way(scanCounts, range), bounds(range, limit)) : none,
  ])
  const entries = (pairs ?? []).map(entryOf)
  if (counts === undefined || counts.length === 0) return entries
  const sign = range.reverse === true ? -1 : 1
  const sums = counts.map((row) => ({ key: row[0] as Bytes, value: sumOf(row) }))
  const merged = [...entries, ...sums].sort((a, b) => sign * compareKeys(a.key, b.key))
  return merged.slice(0, limit)
}

async function readFetched(link: Link, range: KeyRange, limit: number): Promise<Fetched[]> {
  const { bytesMax } = range
  const rows = await (bytesMax === undefined || limit <= fewRowsMax
    ? link.run(way(scanFetches, range), bounds(range, limit))
    : link.run(way(fetchPages, range), [...bounds(range, limit), bytesMax]))
  return rows.map((row) => ({
    key: row[0] as Bytes,
    value: row[1] as Bytes,
    record: row[2] === null ? undefined : copy(row[2] as Bytes),
  }))
}

/** The answer to one question, for a program that reads alone. */
export async function answer(link: Link, ask: Ask): Promise<unknown> {
  switch (ask.kind) {
    case 'get':
      return (await readPoints(link, [ask.key])).get(mapKey(ask.key))
    case 'getMany': {
      const found = await readPoints(link, ask.keys, ask.bytesMax)
      return getEach(ask.keys, ask.bytesMax, (key) => copy(found.get(mapKey(key))?.value))
    }
    case 'ahead': {
      const found = await readPoints(link, ask.keys, ask.bytesMax)
      return getEachVersioned(ask.keys, ask.bytesMax, (key) => found.get(mapKey(key)))
    }
    case 'getVersions': {
      const found = await readVersions(link, ask.keys)
      return ask.keys.map((key) => found.get(mapKey(key)))
    }
    case 'scan':
      return readRange(link, ask.range, ask.limit)
    case 'scanFetch':
      return readFetched(link, ask.range, ask.limit)
    case 'pause':
    case 'elsewhere':
    case 'numbers':
      return undefined
  }
}

/** A program may change what it gets. */
export function copy(bytes: Bytes): Bytes
export function copy(bytes: Bytes | undefined): Bytes | undefined
export function copy(bytes: Bytes | undefined): Bytes | undefined {
  return bytes === undefined ? undefined : new Uint8Array(bytes)
}

export function isCounter(key: Bytes): boolean {
  return key[0] === keyClass.count
}

const none: Promise<readonly Row[]> = Promise.resolve([])
const firstCounter = Uint8Array.of(keyClass.count)
const afterCounters = Uint8Array.of(keyClass.count + 1)

export function hasCounters({ start, end }: KeyRange): boolean {
  return compareKeys(start, afterCounters) < 0 && compareKeys(end, firstCounter) > 0
}

function way([up, down]: readonly [Statement, Statement], range: KeyRange): Statement {
  return range.reverse === true ? down : up
}

function bounds({ start, end }: KeyRange, limit: number): (Buffer | number)[] {
  return [packOne(start), packOne(end), limit]
}

function entryOf(row: Row): Entry {
  return { key: row[0] as Bytes, value: row[1] as Bytes }
}

/** The value of a row with `sums`. */
export function sumOf([, documents, bytes]: Row): Bytes {
  return new Uint8Array(encodeCount({ documents: Number(documents), bytes: Number(bytes) }))
}
