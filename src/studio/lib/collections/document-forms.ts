// One stored document in its other forms: the row that SELECT gives, and in a key-value database
// the key that commands read. (docs/studio.md, "Documents")

import { ask } from '../api.js'
import { type Ejson, type EjsonObject, isObject } from '../ejson.js'
import type { Word } from '../key-change.js'
import { linkTo } from '../route.js'
import type { CollectionPlace } from './collection-place.js'

export interface Row {
  readonly statement: string
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  /** Undefined if no row has the id. */
  readonly values: EjsonObject | undefined
}

interface Selected {
  readonly result: {
    readonly columns: Row['columns']
    readonly cursor: { readonly firstBatch: readonly EjsonObject[] }
  }
}

const ejson = 'application/ejson'

export async function rowOf(at: CollectionPlace, id: Ejson, signal: AbortSignal): Promise<Row> {
  const { name, database } = at
  const statement = `SELECT * FROM "${name.replaceAll('"', '""')}" WHERE "_id" = $1`
  const search = database === '' ? '' : `?${new URLSearchParams({ database })}`
  const answer = await ask('POST', `/api/v1/sql${search}`, {
    body: JSON.stringify({ query: statement, params: [id] }),
    headers: { accept: ejson, 'content-type': ejson },
    signal,
  })
  const { result } = (await answer.json()) as Selected
  return { statement, columns: result.columns, values: result.cursor.firstBatch[0] }
}

/** The key that a document is, or undefined where it is none that the caller's commands reach. */
export function keyAt(
  { name, database }: CollectionPlace,
  id: Ejson,
  home: { readonly space: string; readonly isDefault: boolean },
): { readonly database: number; readonly key: Word } | undefined {
  const [, number] = /^kv(\d|1[0-5])$/.exec(name) ?? []
  const isOwn = database === '' ? home.isDefault : database === home.space
  if (number === undefined || !isOwn) return undefined
  const binary = isObject(id) && isObject(id.$binary) ? id.$binary.base64 : undefined
  if (typeof binary === 'string') return { database: Number(number), key: { $binary: binary } }
  return typeof id === 'string' ? { database: Number(number), key: id } : undefined
}

/** The address of the page with the document that a key is; `space` is empty for the default. */
export function linkToDocument(database: number, key: Word, space: string): string {
  const id = typeof key === 'string' ? key : { $binary: { base64: key.$binary, subType: '00' } }
  const filter = JSON.stringify({ _id: id })
  return linkTo(['collections', `kv${database}`], { filter, database: space })
}
