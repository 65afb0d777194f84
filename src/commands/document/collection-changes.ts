// collMod: what of a collection can change while it is used. That is when an index expires its
// documents, and whether plans see it; everything else that the peer takes is refused by name.

import { fail } from '../../base/errors.js'
import {
  anyValue,
  bool,
  collection,
  number,
  object,
  optional,
  string,
  structure,
} from '../../bus/params.js'
import { reply } from '../../bus/reply.js'
import { documentRow } from '../../bus/row.js'
import { findNamespace } from '../../engine/catalog.js'
import { type IndexChanges, modifyIndex } from '../../engine/index-changes.js'
import { numberValue } from '../../value/value.js'
import { touchesTarget } from './arguments.js'

const indexChange = structure({
  name: optional(string),
  keyPattern: optional(object),
  expireAfterSeconds: optional(number),
  hidden: optional(bool),
  unique: optional(bool),
  prepareUnique: optional(bool),
})

/** What the peer changes too and Sigil does not. */
const unserved = {
  validator: optional(anyValue),
  validationLevel: optional(anyValue),
  validationAction: optional(anyValue),
  viewOn: optional(anyValue),
  pipeline: optional(anyValue),
  expireAfterSeconds: optional(anyValue),
  timeseries: optional(anyValue),
  changeStreamPreAndPostImages: optional(anyValue),
  cappedSize: optional(anyValue),
  cappedMax: optional(anyValue),
  recordPreImages: optional(anyValue),
} as const

const collMod = documentRow({
  name: 'collMod',
  grain: 'point',
  access: 'identity',
  stable: true,
  target: collection,
  params: { index: optional(indexChange), ...unserved },
  touches: touchesTarget('own'),
  help: 'Changes when an index expires its documents, and whether queries use it.',
  *run(tx, call) {
    const { db, target, args } = call
    const { index, ...others } = args
    for (const [name, value] of Object.entries(others)) {
      if (value !== undefined) throw unsupported(name)
    }
    if (index === undefined) {
      if ((yield* findNamespace(tx, db, target)) !== undefined) return reply()
      throw fail('NamespaceNotFound', `ns does not exist: ${db}.${target}`)
    }
    const { unique, prepareUnique, expireAfterSeconds: seconds, ...rest } = index
    if (unique !== undefined) throw unsupported('index.unique')
    if (prepareUnique !== undefined) throw unsupported('index.prepareUnique')
    const expireAfterSeconds = seconds === undefined ? undefined : numberValue(seconds)
    const changes = yield* modifyIndex(tx, db, target, { ...rest, expireAfterSeconds })
    return changesReply(changes)
  },
})

function unsupported(name: string): Error {
  return fail('CommandNotSupported', `collMod of '${name}' is not supported`)
}

function changesReply({ seconds, hidden }: IndexChanges) {
  return reply((writer) => {
    if (seconds !== undefined) {
      if (seconds.before !== undefined) writer.int64('expireAfterSeconds_old', seconds.before)
      writer.int64('expireAfterSeconds_new', seconds.after ?? 0)
    }
    if (hidden === undefined) return
    writer.bool('hidden_old', hidden.before).bool('hidden_new', hidden.after)
  })
}

export const collectionChangeRows = [collMod]
