// Commands that make, drop and rename collections. What an option would have to enforce and Sigil
// does not is refused by name: a collection that silently lacks it would be worse.

import { fail } from '../../base/errors.js'
import {
  anyValue,
  array,
  bool,
  collection,
  ignored,
  number,
  object,
  optional,
  string,
  withDefault,
} from '../../bus/params.js'
import { reply } from '../../bus/reply.js'
import { documentRow } from '../../bus/row.js'
import {
  createNamespace,
  dropNamespace,
  findNamespace,
  renameNamespace,
  shownNamespaces,
} from '../../engine/catalog.js'
import type { Namespace } from '../../engine/types.js'
import { readPhase, writePhase } from '../../store/sweep.js'
import { Elements, field } from '../../value/elements.js'
import { boolOf, bsonType, type Document } from '../../value/value.js'
import { writeDocument } from '../../value/writer.js'
import { collation, emptyDocument, splitNamespace, touchesTarget } from './arguments.js'

const createParams = {
  capped: withDefault(bool, false),
  size: optional(number),
  max: optional(number),
  validator: optional(object),
  validationLevel: optional(string),
  validationAction: optional(string),
  collation,
  viewOn: optional(string),
  pipeline: optional(array),
  timeseries: optional(object),
  clusteredIndex: optional(anyValue),
  expireAfterSeconds: optional(anyValue),
  changeStreamPreAndPostImages: optional(object),
  encryptedFields: optional(object),
  storageEngine: optional(object),
  indexOptionDefaults: optional(object),
  autoIndexId: ignored,
  idIndex: ignored,
  temp: ignored,
  flags: ignored,
} as const

/** Options that are kept and echoed; the others are refused or of no effect. */
const keptOptions: ReadonlySet<string> = new Set([
  'storageEngine',
  'indexOptionDefaults',
  'collation',
])

const create = documentRow({
  name: 'create',
  grain: 'point',
  access: 'identity',
  stable: true,
  target: collection,
  params: createParams,
  touches: touchesTarget('write'),
  help: 'Makes an empty collection.',
  *run(tx, call) {
    refuseOptions(call.args)
    yield* createNamespace(tx, call.db, call.target, call.creation(keptOf(call.request.body)))
    return reply()
  },
})

interface CreateArgs {
  readonly capped: boolean
  readonly size: number | undefined
  readonly max: number | undefined
  readonly validator: Document | undefined
  readonly viewOn: string | undefined
  readonly pipeline: unknown
  readonly timeseries: unknown
  readonly clusteredIndex: unknown
  readonly expireAfterSeconds: unknown
  readonly changeStreamPreAndPostImages: Document | undefined
  readonly encryptedFields: unknown
}

function refuseOptions(args: CreateArgs): void {
  const { capped, size, max, validator, changeStreamPreAndPostImages: images } = args
  if (!capped && (size !== undefined || max !== undefined)) {
    const text =
      "the 'capped' field needs to be true when either the 'size' or 'max' fields are present"
    throw fail('InvalidOptions', text)
  }
  if (args.viewOn === undefined && args.pipeline !== undefined) {
    throw fail('InvalidOptions', "'pipeline' option cannot be specified on a collection")
  }
  const enabled = images === undefined ? undefined : field(images, 'enabled')
  const asked: readonly [what: string, isAsked: boolean][] = [
    ['capped collections are', capped],
    ['validators are', validator !== undefined && validator.length > emptyDocument.length],
    ['views are', args.viewOn !== undefined],
    ['time-series collections are', args.timeseries !== undefined],
    ['clustered indexes are', args.clusteredIndex !== undefined],
    ['expiry is', args.expireAfterSeconds !== undefined],
    ['client-side encryption is', args.encryptedFields !== undefined],
    ['images of changes are', enabled?.type === bsonType.bool && boolOf(enabled)],
  ]
  for (const [what, isAsked] of asked) {
    if (isAsked) throw fail('CommandNotSupported', `${what} not supported`)
  }
}

function keptOf(body: Document): Document {
  return writeDocument((writer) => {
    const elements = new Elements(body)
    while (elements.next()) {
      if (keptOptions.has(elements.name())) writer.value(elements.name(), elements.value())
    }
  })
}

const drop = documentRow({
  name: 'drop',
  grain: 'point',
  access: 'identity',
  stable: true,
  target: collection,
  params: { release: withDefault(bool, false) },
  touches: touchesTarget('admin'),
  help:
    'Drops a collection with its indexes; a missing one is no error. Its name stays reserved for ' +
    'its owner unless `release` is true.',
  *run(tx, call) {
    const ns = yield* findNamespace(tx, call.db, call.target)
    if (ns === undefined) return reply()
    yield* dropNamespace(tx, ns, call.args.release)
    return reply((writer) => {
      writer.int32('nIndexesWas', ns.indexes.length + 1).string('ns', `${ns.db}.${ns.name}`)
    })
  },
})

/** Collections dropped by one program: each puts a record for itself and one for every index. */
const dropsPerProgram = 50

const dropDatabase = documentRow({
  name: 'dropDatabase',
  grain: 'sweep',
  access: 'identity',
  stable: true,
  target: anyValue,
  params: {},
  touches: ({ db }) => [{ db, needs: [] }],
  help: 'Drops every collection of the database; each of them needs the right to.',
  *run(call) {
    const { db } = call
    if (db === 'admin' || db === 'config' || db === 'local') {
      throw fail('IllegalOperation', `Dropping the '${db}' database is prohibited.`)
    }
    const requireRight = (ns: Namespace): void => {
      if (!call.may('admin', ns.access)) throw call.unauthorized()
    }
    // What the server keeps for itself stays.
    const all = (yield* readPhase((tx) => shownNamespaces(tx, db))).filter(
      ({ access }) => access.audience === undefined,
    )
    for (const ns of all) requireRight(ns)
    for (let at = 0; at < all.length; at += dropsPerProgram) {
      const group = all.slice(at, at + dropsPerProgram)
      yield* writePhase(function* (tx) {
        for (const { name } of group) {
          const ns = yield* findNamespace(tx, db, name)
          if (ns === undefined) continue
          requireRight(ns)
          yield* dropNamespace(tx, ns)
        }
      })
    }
    return reply((writer) => {
      if (all.length > 0) writer.string('dropped', db)
    })
  },
})

const renameCollection = documentRow({
  name: 'renameCollection',
  grain: 'point',
  access: 'identity',
  adminOnly: true,
  target: string,
  params: { to: string, dropTarget: withDefault(bool, false), stayTemp: ignored },
  touches: ({ target, args }) => [
    { ...splitNamespace(target), needs: ['admin'] },
    { ...splitNamespace(args.to), needs: ['admin'] },
  ],
  help: 'Gives a collection another name, perhaps in another database.',
  *run(tx, { target, args }) {
    const from = splitNamespace(target)
    const to = splitNamespace(args.to)
    if (target === args.to) throw fail('IllegalOperation', "Can't rename a collection to itself")
    const ns = yield* findNamespace(tx, from.db, from.collection)
    if (ns === undefined) {
      throw fail('NamespaceNotFound', `Source collection ${target} does not exist`)
    }
    yield* renameNamespace(tx, ns, to.db, to.collection, args.dropTarget)
    return reply()
  },
})

export const collectionRows = [create, drop, dropDatabase, renameCollection]
