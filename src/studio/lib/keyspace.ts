// Keys of one key-value database: read in pieces by SCAN, shown by prefix, with what the documents
// behind them tell of all keys of a page in one request.

import { ask, askJson } from './api.js'
import { type Ejson, type EjsonObject, isObject } from './ejson.js'
import type { Reply, Word } from './key-change.js'

interface Place {
  readonly database: number
  /** The collections of the caller's own space. */
  readonly home: string
}

export interface Scanned {
  readonly keys: readonly Word[]
  /** `0` at the end. */
  readonly cursor: string
}

/** What stands in a row of a key. */
export interface Facts {
  readonly type: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number | undefined
  /** Bytes of its document; of a large container its members are counted instead. */
  readonly size: number
  readonly members: number | undefined
}

/** The name that stands before the next separator, and how many keys have it. */
interface Folder {
  readonly prefix: string
  readonly count: number
}

export interface Level {
  readonly folders: readonly Folder[]
  readonly keys: readonly Word[]
}

const separator = ':'

export async function runCommand(
  database: number,
  command: readonly (Word | number)[],
  { transaction, signal }: { transaction?: string; signal?: AbortSignal } = {},
): Promise<Reply> {
  const headers = {
    'x-sigil-kv-db': String(database),
    ...(transaction === undefined ? {} : { 'x-sigil-transaction': transaction }),
  }
  const options = signal === undefined ? { headers } : { headers, signal }
  const body = { command }
  const { result } = await askJson<{ result: Reply }>('POST', '/api/v1/redis', body, options)
  return result
}

/** The next keys that begin with `prefix`. */
export async function scanKeys(
  database: number,
  { prefix, cursor, count }: { prefix: string; cursor: string; count: number },
  signal?: AbortSignal,
): Promise<Scanned> {
  const command = ['SCAN', cursor, 'MATCH', `${literal(prefix)}*`, 'COUNT', count]
  const options = signal === undefined ? {} : { signal }
  const [next, keys] = (await runCommand(database, command, options)) as [string, readonly Word[]]
  return { cursor: String(next), keys }
}

/** A text as the glob that means it alone. */
function literal(text: string): string {
  return text.replace(/[*?[\]\\^-]/g, '\\$&')
}

/** Keys below a prefix, and the folders that the others are in. */
export function levelOf(keys: readonly Word[], prefix: string): Level {
  const counts = new Map<string, number>()
  const own = new Map<string, Word>()
  for (const key of keys) {
    const end = typeof key === 'string' ? key.indexOf(separator, prefix.length) : -1
    if (typeof key === 'string' && end >= 0 && end < key.length - 1) {
      const folder = key.slice(0, end + 1)
      counts.set(folder, (counts.get(folder) ?? 0) + 1)
    } else own.set(JSON.stringify(key), key)
  }
  const folders = [...counts].map(([name, count]) => ({ prefix: name, count }))
  return {
    folders: folders.toSorted((one, other) => (one.prefix < other.prefix ? -1 : 1)),
    keys: [...own.values()].toSorted((one, other) => (wordText(one) < wordText(other) ? -1 : 1)),
  }
}

/** Bytes that are no text are shown in base64. */
export function wordText(word: Word): string {
  return typeof word === 'string' ? word : `base64 ${word.$binary}`
}

/** Of the keys of a page; a key that has gone meanwhile has none. */
export async function factsOf(
  { database, home }: Place,
  keys: readonly Word[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Facts>> {
  const ids = keys.map((key) =>
    typeof key === 'string' ? key : { $binary: { base64: key.$binary, subType: '00' } },
  )
  const input = { field: { $literal: '$truncated' }, input: '$value' }
  const isLarge = { $and: [{ $eq: [{ $type: '$value' }, 'object'] }, { $getField: input }] }
  const shown = {
    type: 1,
    expiresAt: 1,
    size: { $bsonSize: '$$ROOT' },
    members: { $cond: [isLarge, '$value.count', null] },
  }
  const pipeline = [{ $match: { _id: { $in: ids } } }, { $project: shown }]
  const headers = {
    accept: 'application/ejson',
    'content-type': 'application/ejson',
    'x-sigil-database': home,
  }
  const body = JSON.stringify({ pipeline, batchSize: ids.length })
  const path = `/api/v1/collections/kv${database}/aggregate`
  const answer = await ask('POST', path, { body, headers, signal })
  const { cursor } = (await answer.json()) as { cursor: { firstBatch: readonly EjsonObject[] } }
  return new Map(cursor.firstBatch.map((one) => [idText(one._id), factsIn(one)]))
}

export function keyText(key: Word): string {
  return JSON.stringify(key)
}

function idText(id: Ejson | undefined): string {
  const binary = isObject(id) ? id.$binary : undefined
  return keyText(isObject(binary) ? { $binary: String(binary.base64) } : String(id))
}

function factsIn({ type, expiresAt, size, members }: EjsonObject): Facts {
  return {
    type: String(type),
    expiresAt: numberIn(isObject(expiresAt) ? expiresAt.$date : undefined),
    size: numberIn(size) ?? 0,
    members: numberIn(members),
  }
}

function numberIn(value: Ejson | undefined): number | undefined {
  const [inner] = isObject(value) ? Object.values(value) : [value]
  return inner === undefined || inner === null ? undefined : Number(inner)
}
