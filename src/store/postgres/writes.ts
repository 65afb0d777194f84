// The statements that change the tables, sent without waiting in between. Keys are in order, so two
// gateways that change the same keys rarely wait for each other in a circle.

import { type Bytes, mapKey } from '../../base/bytes/bytes.js'
import { compareKeys } from '../memtable/ordered-map.js'
import type { Additions } from '../programs/write-buffer.js'
import { isCounter } from './asks.js'
import type { Link } from './link.js'
import { packBytes, packNumbers } from './packed.js'
import type { Row, Statement } from './statement.js'

/** A put with its version; without a value, a removal. */
export interface Put {
  readonly key: Bytes
  readonly value: Bytes | undefined
  readonly version: number
}

const put: Statement = {
  name: 'put',
  text: `INSERT INTO pairs (key, version, value)
    SELECT * FROM unnest($1::bytea[], $2::bigint[], $3::bytea[])
    ON CONFLICT (key) DO UPDATE SET version = excluded.version, value = excluded.value`,
}
/** Half the processor time of a put: nothing is looked up before it. */
const insert: Statement = {
  name: 'insert',
  text: `INSERT INTO pairs (key, version, value)
    SELECT * FROM unnest($1::bytea[], $2::bigint[], $3::bytea[])`,
}
/** For fewer, a statement of its own costs more than it saves. */
const insertedMin = 8
const remove: Statement = {
  name: 'remove',
  text: 'DELETE FROM pairs WHERE key = ANY($1::bytea[])',
}
const add: Statement = {
  name: 'add',
  text: `INSERT INTO counts (key, gateway, documents, bytes)
    SELECT key, $1::bigint, documents, bytes
    FROM unnest($2::bytea[], $3::bigint[], $4::bigint[]) a(key, documents, bytes)
    ON CONFLICT (key, gateway) DO UPDATE SET
      documents = counts.documents + excluded.documents, bytes = counts.bytes + excluded.bytes`,
}
const removeCounts: Statement = {
  name: 'remove_counts',
  text: 'DELETE FROM counts WHERE key = ANY($1::bytea[])',
}

/**
 * Puts and removals; each key once, or all its puts are in order and the last one counts. Keys that
 * `isNew` names are inserted: PostgreSQL refuses them if another gateway was faster.
 */
export function writePairs(
  link: Link,
  changes: readonly Put[],
  isNew: (put: Put) => boolean = () => false,
): Promise<readonly Row[]>[] {
  const puts = changes.filter(({ key, value }) => value !== undefined && !isCounter(key))
  const removals = changes.filter(({ key, value }) => value === undefined && !isCounter(key))
  const sent: Promise<readonly Row[]>[] = []
  if (removals.length > 0) {
    sent.push(link.run(remove, [packBytes(inOrder(removals).map(({ key }) => key))]))
  }
  if (puts.length < insertedMin) return [...sent, ...writePuts(link, put, puts)]
  const fresh: Put[] = []
  const others: Put[] = []
  for (const each of puts) (isNew(each) ? fresh : others).push(each)
  if (fresh.length < insertedMin) return [...sent, ...writePuts(link, put, puts)]
  return [...sent, ...writePuts(link, insert, fresh), ...writePuts(link, put, others)]
}

function writePuts(
  link: Link,
  statement: Statement,
  puts: readonly Put[],
): Promise<readonly Row[]>[] {
  if (puts.length === 0) return []
  const sorted = inOrder(puts)
  const keys = packBytes(sorted.map(({ key }) => key))
  const versions = packNumbers(sorted.map(({ version }) => version))
  return [link.run(statement, [keys, versions, packBytes(sorted.map(({ value }) => value))])]
}

/** Counters are removed first: an addition after a removal begins at zero. */
export function writeCounts(
  link: Link,
  gateway: number,
  changes: readonly Put[],
  additions: Additions,
): Promise<readonly Row[]>[] {
  const sent: Promise<readonly Row[]>[] = []
  const removed = new Map<string, Bytes>()
  for (const { key } of changes) if (isCounter(key)) removed.set(mapKey(key), key)
  if (removed.size > 0) sent.push(link.run(removeCounts, [packBytes([...removed.values()])]))
  if (additions.size > 0) {
    const all = inOrder([...additions.values()])
    sent.push(
      link.run(add, [
        gateway,
        packBytes(all.map(({ key }) => key)),
        packNumbers(all.map(({ documents }) => documents)),
        packNumbers(all.map(({ bytes }) => bytes)),
      ]),
    )
  }
  return sent
}

function inOrder<T extends { readonly key: Bytes }>(items: readonly T[]): T[] {
  return [...items].sort((a, b) => compareKeys(a.key, b.key))
}
