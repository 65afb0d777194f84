// createIndexes waits for its builds, so it is a task. The descriptors are stored behind the call's
// guard; the engine then builds the indexes. dropIndexes and listIndexes are in this file too.

import { fail } from '../../../base/errors.js'
import { anyValue, arrayOf, collection, ignored, typeName } from '../../../bus/document/params.js'
import { reply } from '../../../bus/document/reply.js'
import { documentRow } from '../../../bus/document/row.js'
import type { Field } from '../../../bus/document/schema.js'
import { plain } from '../../../bus/policy/facts.js'
import { parseIndexSpecs } from '../../../engine/index/index-spec.js'
import {
  declareIndexes,
  dropIndexes as dropIndexesOf,
  meantIndexes,
} from '../../../engine/index/indexes.js'
import type { IndexDescriptor } from '../../../engine/types.js'
import { field } from '../../../value/elements.js'
import { boolOf, bsonType, documentOf, type Value } from '../../../value/value.js'
import { targetResource } from '../arguments.js'

/** As `collection`, with MongoDB's error code of these two commands. */
const indexedCollection: Field<string> = {
  ...collection,
  bind: (where) => {
    const read = collection.bind(where)
    return (value) => {
      if (value.type === bsonType.string) return read(value)
      throw fail('BadValue', `collection name has invalid type ${typeName(value.type)}`)
    }
  },
}

const specifications: Field<readonly Value[]> = {
  ...arrayOf(anyValue),
  takesNull: true,
  bind: (where) => {
    const read = arrayOf(anyValue).bind(where)
    return (value) => {
      if (!value.isNullish) return read(value)
      throw fail('Location10065', 'invalid parameter: expected an object (indexes)')
    }
  },
}

const createIndexes = documentRow({
  name: 'createIndexes',
  ...plain,
  inTransactions: true,
  grows: 'indexes',
  roles: ['shapes'],
  grain: 'task',
  access: 'identity',
  stable: true,
  target: indexedCollection,
  params: {
    indexes: specifications,
    commitQuorum: ignored,
    ignoreUnknownIndexOptions: ignored,
  },
  resources: ({ db, target, args }) => [
    { db, collection: target, privileges: [args.indexes.some(rulesWrites) ? 'own' : 'index'] },
  ],
  help: 'Creates indexes, and the collection if it is missing. Replies when they are ready.',
  async run(call) {
    const { db, target, args } = call
    // Parsed behind the guard, so that a caller without rights learns nothing about its mistakes.
    const declared = await call.write((tx) =>
      declareIndexes(tx, db, target, parseIndexSpecs(args.indexes), call.creation()),
    )
    const { statement } = call
    if (statement === undefined) await call.engine.builds.finish(declared, call.requireSpace)
    else if (declared.declared.size > 0 && !statement.check.hasMade(db, target)) {
      throw refusedOn('existing', `${db}.${target}`)
    } else if (declared.building.length > 0) throw refusedOn('non-empty', `${db}.${target}`)
    const { before, after, created } = declared
    return reply((writer) => {
      writer.int32('numIndexesBefore', before).int32('numIndexesAfter', after)
      writer.bool('createdCollectionAutomatically', created)
      if (before === after) writer.string('note', 'all indexes already exist')
    })
  },
})

function refusedOn(what: string, ns: string): Error {
  const text = `Cannot create new indexes on ${what} collection ${ns} in a multi-document `
  return fail('OperationNotSupportedInTransaction', `${text}transaction.`)
}

const dropIndexes = documentRow({
  name: 'dropIndexes',
  ...plain,
  roles: ['shapes'],
  aliases: ['deleteIndexes'],
  grain: 'point',
  access: 'identity',
  stable: true,
  target: indexedCollection,
  params: { index: anyValue },
  resources: targetResource('index'),
  help:
    'Drops indexes by name, by key pattern, or all except the one on _id. Only the owner ' +
    'drops unique and TTL indexes.',
  *run(tx, call) {
    const { db, target, args } = call
    const ns = tx.namespace()
    if (ns !== undefined && meantIndexes(ns, args.index).some(isRuling)) {
      if (!call.mayAt('own', ns)) throw call.unauthorized()
    }
    const before = yield* dropIndexesOf(tx, db, target, args.index)
    return reply((writer) => writer.int32('nIndexesWas', before))
  },
})

/** As rulesWrites, for an existing index. */
export function isRuling({ unique, prepared, expireAfterSeconds }: IndexDescriptor): boolean {
  return unique || prepared === true || expireAfterSeconds !== undefined
}

/** Whether an index restricts documents of other clients: which may exist, or for how long. */
function rulesWrites(spec: Value): boolean {
  if (spec.type !== bsonType.object) return false
  const document = documentOf(spec)
  const unique = field(document, 'unique')
  const isUnique = unique !== undefined && !(unique.type === bsonType.bool && !boolOf(unique))
  const isRuling = ['expireAfterSeconds', 'prepareUnique'].some(
    (name) => field(document, name) !== undefined,
  )
  return isUnique || isRuling
}

export const indexRows = [createIndexes, dropIndexes]
