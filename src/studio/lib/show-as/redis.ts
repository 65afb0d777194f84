// Queries of the documents of a key-value database as commands. Only what one command does in the
// same way is shown.

import { type Ejson, isObject } from '../ejson.js'
import { type DocumentQuery, filterOf } from './query.js'
import { exactJson, NotShown } from './quote.js'

interface KeyCommand {
  readonly database: number
  readonly words: readonly string[]
}

const reads: Readonly<Record<string, (key: string) => readonly string[]>> = {
  string: (key) => ['GET', key],
  hash: (key) => ['HGETALL', key],
  list: (key) => ['LRANGE', key, '0', '-1'],
  set: (key) => ['SMEMBERS', key],
  zset: (key) => ['ZRANGE', key, '0', '-1', 'WITHSCORES'],
}

export function commandOf(query: DocumentQuery): KeyCommand {
  const [, number] = /^kv(\d|1[0-5])$/.exec(query.collection) ?? []
  if (number === undefined) throw new NotShown('Only kv0 to kv15 have keys.')
  return { database: Number(number), words: wordsOf(query) }
}

function wordsOf(query: DocumentQuery): readonly string[] {
  switch (query.kind) {
    case 'find': {
      const filter = filterOf(query)
      const { _id, type, ...rest } = isObject(filter) ? filter : {}
      const isOne = Object.keys(rest).length === 0 && query.fields === ''
      if (!isOne || typeof _id !== 'string') {
        throw new NotShown('A command reads one key: filter by _id and type.')
      }
      const read = typeof type === 'string' ? reads[type] : undefined
      if (read === undefined) throw new NotShown('Each type has its own command: add the type.')
      return read(_id)
    }
    case 'delete':
      return ['DEL', keyOf(query.id)]
    case 'insert':
      return [...setOf(exactJson(query.document, 'document')), 'NX']
    case 'replace':
      return setOf(exactJson(query.document, 'document'), query.id)
    case 'update':
      throw new NotShown('No command changes fields of a document.')
  }
}

function setOf(document: Ejson, id?: Ejson): readonly string[] {
  const { _id = id, type, value, ...rest } = isObject(document) ? document : {}
  if (Object.keys(rest).length > 0) throw new NotShown('A key with an expiry is not shown.')
  if (type !== 'string' || typeof value !== 'string') {
    throw new NotShown('No single command replaces a whole hash, list or set.')
  }
  return ['SET', keyOf(_id), value]
}

function keyOf(id: Ejson | undefined): string {
  if (typeof id !== 'string') throw new NotShown('The key is no text.')
  return id
}
