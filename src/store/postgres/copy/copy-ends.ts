// The tables of a shared store as the source or the target of a copy. No gateway may use them
// meanwhile: a source must have none, and a gateway refuses to start on an unfinished target.

import { type Bytes, mapKey } from '../../../base/bytes/bytes.js'
import { fail } from '../../../base/errors.js'
import { type CopySource, type CopyTarget, type Pair, pairsAtOnce } from '../../copy/ends.js'
import { isVersioned, keyClass } from '../../layout.js'
import { compareKeys } from '../../memtable/ordered-map.js'
import { decodeCount } from '../../programs/counters.js'
import type { Additions } from '../../programs/write-buffer.js'
import type { Address } from '../address.js'
import { isCounter, sumOf, sums } from '../asks.js'
import { openingError } from '../failures.js'
import { Link, settled } from '../link.js'
import { packOne } from '../packed.js'
import { finishCopy, prepareCopy, versionsAtOnce } from '../schema.js'
import type { Row, Statement } from '../statement.js'
import { writeCounts, writePairs } from '../writes.js'

const begin: Statement = { name: 'begin_c', text: 'BEGIN' }
const commit: Statement = { name: 'commit', text: 'COMMIT' }
const after = 'key > $1::bytea'
const pairsAfter: Statement = {
  name: 'copy_pairs',
  text: `SELECT key, version, value FROM pairs WHERE ${after} ORDER BY key LIMIT ${pairsAtOnce}`,
}
const countsAfter: Statement = {
  name: 'copy_counts',
  text: `SELECT key, ${sums} FROM counts WHERE ${after}
    GROUP BY key ORDER BY key LIMIT ${pairsAtOnce}`,
}
/** Counts of a copy; gateways count from 1. */
const ofCopy = 0
export const afterCounters = Uint8Array.of(keyClass.count + 1)

/** How many pairs PostgreSQL assumes, and the last versions that were drawn. */
export const sizes = `SELECT reltuples::bigint, (SELECT last_value FROM versions)
  FROM pg_class WHERE oid = 'pairs'::regclass`

/** -1 before PostgreSQL has counted. */
export function pairsIn(row: Row | undefined): number {
  return Math.max(0, Number(row?.[0]))
}

export function highestIn(row: Row | undefined): number {
  return Number(row?.[1]) + versionsAtOnce - 1
}

/** One state of the tables, in a transaction. */
export class PostgresSource implements CopySource {
  private constructor(
    private readonly link: Link,
    readonly pairs: number,
    readonly highest: number,
  ) {}

  /** Rejects with OperationFailed if a gateway uses the tables, or if there are none. */
  static async open(address: Address): Promise<PostgresSource> {
    const link = await openLink(address)
    try {
      await link.command('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
      await requireStopped(link, address.schema)
      const [row] = await link.command(sizes)
      return new PostgresSource(link, pairsIn(row), highestIn(row))
    } catch (error) {
      await link.close()
      throw openingError(error)
    }
  }

  page(key: Bytes): Promise<readonly Pair[]> {
    return pageOf(this.link, key)
  }

  close(): Promise<void> {
    return this.link.close()
  }
}

export class PostgresTarget implements CopyTarget {
  private constructor(
    private readonly link: Link,
    readonly last: Bytes | undefined,
  ) {}

  /** Continues an interrupted copy of the same source. Rejects with OperationFailed otherwise. */
  static async open(address: Address, source: string): Promise<PostgresTarget> {
    const link = await openLink(address)
    try {
      await requireAlone(link, address.schema)
      await prepareCopy(link, address.schema, source)
      const [row] = await link.command('SELECT key FROM pairs ORDER BY key DESC LIMIT 1')
      return new PostgresTarget(link, row?.[0] as Bytes | undefined)
    } catch (error) {
      await link.close()
      throw openingError(error)
    }
  }

  /** For a restore, which begins anew after one that was interrupted. */
  static async openEmpty(address: Address, source: string): Promise<PostgresTarget> {
    const target = await PostgresTarget.open(address, source)
    await target.link.command('TRUNCATE pairs, counts')
    return new PostgresTarget(target.link, undefined)
  }

  async put(pairs: readonly Pair[]): Promise<void> {
    const { link } = this
    const additions: Additions = new Map()
    for (const { key, value } of pairs) {
      if (isCounter(key)) additions.set(mapKey(key), { key, ...decodeCount(value) })
    }
    // A killed copy may have stored them: it continues behind the last key that is no counter.
    const removed = [...additions.values()].map(({ key }) => ({
      key,
      value: undefined,
      version: 0,
    }))
    await settled([
      link.run(begin),
      ...writePairs(link, pairs),
      ...writeCounts(link, ofCopy, removed, additions),
      link.run(commit),
    ])
  }

  page(key: Bytes): Promise<readonly Pair[]> {
    return pageOf(this.link, key)
  }

  async finish(highest: number): Promise<void> {
    await this.link.command('SET synchronous_commit = on')
    await finishCopy(this.link, highest)
    await this.link.command('ANALYZE pairs')
  }

  /** Leaves an empty store. */
  async abandon(): Promise<void> {
    await this.link.command('BEGIN; TRUNCATE pairs, counts; DROP TABLE copying; COMMIT')
  }

  close(): Promise<void> {
    return this.link.close()
  }
}

async function openLink({ connectionString, schema }: Address): Promise<Link> {
  try {
    const options = { connectionString, schema, synchronousCommit: 'off' } as const
    return await Link.open(options, 'sigil copy')
  } catch (error) {
    throw openingError(error)
  }
}

async function requireStopped(link: Link, schema: string): Promise<void> {
  const [found] = await link.command(`SELECT to_regclass('"${schema}".heartbeats')`)
  if (found?.[0] == null) {
    throw fail('OperationFailed', `there is no store in schema ${schema} (?schema= names another)`)
  }
  const [row] = await link.command(
    'SELECT count(*) FROM heartbeats WHERE until > clock_timestamp()',
  )
  if (Number(row?.[0]) === 0) return
  throw fail(
    'OperationFailed',
    `${row?.[0]} gateways use schema ${schema}: stop them first. One that was killed counts for ` +
      'half a minute',
  )
}

/** The lock ends with the connection. */
async function requireAlone(link: Link, schema: string): Promise<void> {
  const [row] = await link.command(`SELECT pg_try_advisory_lock(hashtext('sigil copy ${schema}'))`)
  if (row?.[0] === 't') return
  throw fail('OperationFailed', `another copy into schema ${schema} is under way`)
}

/** Counters have a table of their own, and their place among the keys. */
async function pageOf(link: Link, key: Bytes): Promise<Pair[]> {
  const start = packOne(key)
  const [pairs, counts] = await settled([
    link.run(pairsAfter, [start]),
    compareKeys(key, afterCounters) < 0 ? link.run(countsAfter, [start]) : noRows,
  ])
  const page = (pairs ?? []).map(pairOf)
  for (const row of counts ?? []) page.push({ key: row[0] as Bytes, value: sumOf(row), version: 0 })
  return page.sort((one, other) => compareKeys(one.key, other.key)).slice(0, pairsAtOnce)
}

const noRows: Promise<readonly Row[]> = Promise.resolve([])

export function pairOf([key, version, value]: Row): Pair {
  const bytes = key as Bytes
  return { key: bytes, value: value as Bytes, version: isVersioned(bytes) ? Number(version) : 0 }
}
