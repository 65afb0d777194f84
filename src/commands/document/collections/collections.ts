// Commands that create, drop and rename collections. An option that Sigil does not enforce is
// refused by name, because ignoring it silently would be worse.

import { equalBytes } from '../../../base/bytes/bytes.js'
import { fail } from '../../../base/errors.js'
import {
  anyValue,
  array,
  bool,
  collection,
  exactNumber,
  ignored,
  number,
  object,
  oneOf,
  optional,
  string,
  structure,
  withDefault,
} from '../../../bus/document/params.js'
import { reply } from '../../../bus/document/reply.js'
import { documentRow } from '../../../bus/document/row.js'
import { plain } from '../../../bus/policy/facts.js'
import { recordDropDatabase } from '../../../engine/changes/record-changes.js'
import { isCovered } from '../../../engine/changes/recording.js'
import {
  createNamespace,
  dropNamespace,
  findNamespace,
  renameNamespace,
  shownNamespaces,
} from '../../../engine/collection/catalog/catalog.js'
import {
  cappedMaxOf,
  cappedSizeOf,
  withCapped,
} from '../../../engine/collection/kinds/capped-options.js'
import { indexCountOf } from '../../../engine/collection/kinds/capped-order.js'
import { clusteredOption } from '../../../engine/collection/kinds/clustered.js'
import { enabledImages } from '../../../engine/collection/kinds/image-options.js'
import type { TimeSeries } from '../../../engine/collection/kinds/time-series-options.js'
import { requireOptionsSize } from '../../../engine/collection/option-changes.js'
import {
  requireValidator,
  validationActions,
  validationLevels,
} from '../../../engine/collection/validation.js'
import type { Namespace } from '../../../engine/types.js'
import type { Program, Tx } from '../../../store/store.js'
import { readPhase, writePhase } from '../../../store/sweep.js'
import { Elements } from '../../../value/elements.js'
import { bsonType, type Document, type Value } from '../../../value/value.js'
import { writeDocument } from '../../../value/writer.js'
import {
  collation,
  emptyDocument,
  type GivenCollation,
  namedResource,
  splitNamespace,
} from '../arguments.js'
import { requireAlone, seriesFields, seriesOptions } from './series-options.js'
import { requireView, viewResources } from './view-definitions.js'

const createParams = {
  capped: withDefault(bool, false),
  size: optional(exactNumber),
  max: optional(number),
  validator: optional(object),
  validationLevel: optional(oneOf(validationLevels)),
  validationAction: optional(oneOf(validationActions)),
  collation,
  viewOn: optional(string),
  pipeline: optional(array),
  timeseries: optional(structure(seriesFields)),
  clusteredIndex: optional(anyValue),
  expireAfterSeconds: optional(number),
  changeStreamPreAndPostImages: optional(object),
  encryptedFields: optional(object),
  storageEngine: optional(object),
  indexOptionDefaults: optional(object),
  autoIndexId: ignored,
  idIndex: ignored,
  temp: ignored,
  flags: ignored,
} as const

/** Options that are stored and returned. All others are refused or have no effect. */
const keptOptions: ReadonlySet<string> = new Set([
  'storageEngine',
  'indexOptionDefaults',
  'validator',
  'validationLevel',
  'validationAction',
  'viewOn',
  'pipeline',
])

const create = documentRow({
  name: 'create',
  ...plain,
  inTransactions: true,
  roles: ['shapes', 'makes'],
  grain: 'point',
  access: 'identity',
  stable: true,
  target: collection,
  params: createParams,
  resources: ({ db, target, args }) => [
    { db, collection: target, privileges: [rulesWrites(args) ? 'own' : 'write'], views: 'allow' },
    ...viewResources(db, args),
  ],
  help: 'Creates an empty collection (plain, capped or time series) or a view.',
  *run(tx, call) {
    refuseOptions(call.args)
    if (call.args.timeseries !== undefined) requireAlone(call)
    const { viewOn, validator, collation: given } = call.args
    if (viewOn !== undefined) yield* requireView(tx, call, viewOn, given?.collation)
    else if (validator !== undefined) requireValidator(validator)
    const kept = keptOf(call.request.body, call.args)
    const options = seriesOptions(cappedOptions(kept, call.args), call)
    requireOptionsSize(options)
    // Creating a collection again with the same options succeeds; a transaction ends with an error.
    const found = call.statement === undefined ? tx.namespace() : undefined
    if (found !== undefined && equalBytes(found.options, options)) return reply()
    yield* createNamespace(tx, call.db, call.target, call.creation(options))
    return reply()
  },
})

/** Whether the options restrict which documents may exist. */
function rulesWrites(args: CreateArgs): boolean {
  const { validator, validationLevel, validationAction, timeseries } = args
  const rules = [validator, validationLevel, validationAction, timeseries]
  return rules.some((option) => option !== undefined)
}

interface CreateArgs {
  readonly capped: boolean
  readonly size: number | bigint | undefined
  readonly max: number | undefined
  readonly collation: GivenCollation | undefined
  readonly validator: Document | undefined
  readonly viewOn: string | undefined
  readonly pipeline: Value | undefined
  readonly validationLevel: string | undefined
  readonly validationAction: string | undefined
  readonly timeseries: TimeSeries | undefined
  readonly clusteredIndex: Value | undefined
  readonly expireAfterSeconds: number | undefined
  readonly changeStreamPreAndPostImages: Document | undefined
  readonly encryptedFields: unknown
}

function refuseOptions(args: CreateArgs): void {
  const { capped, size, max, changeStreamPreAndPostImages: images } = args
  if (capped && size === undefined) {
    throw fail('InvalidOptions', "the 'size' field is required when 'capped' is true")
  }
  if (!capped && (size !== undefined || max !== undefined)) {
    const text =
      "the 'capped' field needs to be true when either the 'size' or 'max' fields are present"
    throw fail('InvalidOptions', text)
  }
  if (args.viewOn === undefined && args.pipeline !== undefined) {
    throw fail('InvalidOptions', "'pipeline' requires 'viewOn' to also be specified")
  }
  if (args.timeseries !== undefined) return
  if (args.viewOn !== undefined) refuseCollectionOptions(args)
  if (args.clusteredIndex !== undefined) requireUncapped(args)
  if (images !== undefined) enabledImages(images)
  if (args.expireAfterSeconds !== undefined && args.clusteredIndex === undefined) {
    const text =
      "'expireAfterSeconds' is only supported on time-series collections or when the " +
      "'clusteredIndex' option is specified"
    throw fail('InvalidOptions', text)
  }
  const asked: readonly [what: string, isAsked: boolean][] = [
    ['expiry of a clustered collection is', args.expireAfterSeconds !== undefined],
    ['client-side encryption is', args.encryptedFields !== undefined],
  ]
  for (const [what, isAsked] of asked) {
    if (isAsked) throw fail('CommandNotSupported', `${what} not supported`)
  }
}

function requireUncapped({ capped }: CreateArgs): void {
  if (capped) throw fail('InvalidOptions', 'A capped collection cannot have a clusteredIndex')
}

/** Refuses options about documents, which a view does not have. */
function refuseCollectionOptions(args: CreateArgs): void {
  const { capped, validator, validationLevel, validationAction, expireAfterSeconds } = args
  const { clusteredIndex, changeStreamPreAndPostImages } = args
  const given = {
    validator,
    validationLevel,
    validationAction,
    expireAfterSeconds,
    clusteredIndex,
    changeStreamPreAndPostImages,
  }
  const names = Object.entries(given).filter(([, value]) => value !== undefined)
  const [first] = capped ? ['capped'] : (names[0] ?? [])
  if (first !== undefined) throw fail('InvalidOptions', `option not supported on a view: ${first}`)
}

/** The options with the bounds of a capped collection. Throws 51024, BadValue. */
function cappedOptions(options: Document, { capped, size, max }: CreateArgs): Document {
  if (!capped || size === undefined) return options
  const documentsMax = max === undefined ? undefined : cappedMaxOf(max)
  return withCapped(options, { bytesMax: cappedSizeOf(size), documentsMax })
}

function keptOf(body: Document, args: CreateArgs): Document {
  const { collation: given, clusteredIndex: clustered } = args
  const { changeStreamPreAndPostImages: images } = args
  return writeDocument((writer) => {
    const elements = new Elements(body)
    while (elements.next()) {
      if (isKept(elements)) writer.value(elements.name(), elements.value())
    }
    if (given?.collation !== undefined) writer.document('collation', given.collation.spec)
    if (clustered !== undefined) writer.document('clusteredIndex', clusteredOption(clustered))
    if (images !== undefined && enabledImages(images)) {
      writer.document('changeStreamPreAndPostImages', images)
    }
  })
}

/** Drops an empty validator, which means none. */
function isKept(elements: Elements): boolean {
  const name = elements.name()
  if (!keptOptions.has(name) || elements.type === bsonType.null) return false
  const isEmpty = elements.valueEnd - elements.valueStart === emptyDocument.length
  return name !== 'validator' || !isEmpty
}

const drop = documentRow({
  name: 'drop',
  ...plain,
  ends: 'names',
  roles: ['removes'],
  grain: 'point',
  access: 'identity',
  stable: true,
  target: collection,
  params: { release: withDefault(bool, false) },
  resources: namedResource('admin'),
  help:
    'Drops a collection with its indexes; a missing one is no error. Its name stays reserved for ' +
    'its owner unless `release` is true.',
  *run(tx, call) {
    const ns = yield* findNamespace(tx, call.db, call.target)
    if (ns === undefined) return reply()
    yield* dropNamespace(tx, ns, call.args.release)
    if (ns.view !== undefined) return reply((writer) => writer.string('ns', `${ns.db}.${ns.name}`))
    return reply((writer) => {
      writer.int32('nIndexesWas', indexCountOf(ns)).string('ns', `${ns.db}.${ns.name}`)
    })
  },
})

/** Collections that one program drops: each puts one record, and one for every index. */
const dropsPerProgram = 50

const dropDatabase = documentRow({
  name: 'dropDatabase',
  ...plain,
  ends: 'names',
  roles: ['administers'],
  grain: 'sweep',
  access: 'identity',
  stable: true,
  target: anyValue,
  params: {},
  resources: ({ db }) => [{ db, privileges: [] }],
  help: 'Drops every collection of the database. Each of them needs the right to drop it.',
  *run(call) {
    const { db } = call
    if (db === 'admin' || db === 'config' || db === 'local') {
      throw fail('IllegalOperation', `Dropping the '${db}' database is prohibited.`)
    }
    const requireRight = (ns: Namespace): void => {
      if (!call.mayAt('admin', ns)) throw call.unauthorized()
    }
    // Keeps the server's own collections.
    const all = (yield* readPhase((tx) => shownNamespaces(tx, db))).filter(
      ({ access }) => access.audience === undefined && access.isGraph !== true,
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
    if (all.length > 0) yield* writePhase((tx) => recordEnd(tx, db))
    return reply((writer) => {
      if (all.length > 0) writer.string('dropped', db)
    })
  },
})

/** A stream of the database, or of all, shows its end. */
function* recordEnd(tx: Tx, db: string): Program<void> {
  if (yield* isCovered(tx, db)) recordDropDatabase(tx, db)
}

const renameCollection = documentRow({
  name: 'renameCollection',
  ...plain,
  ends: 'names',
  roles: ['removes'],
  grain: 'point',
  access: 'identity',
  adminOnly: true,
  target: string,
  params: { to: string, dropTarget: withDefault(bool, false), stayTemp: ignored },
  resources: ({ target, args }) => [
    { ...splitNamespace(target), privileges: ['admin'], views: 'allow' },
    { ...splitNamespace(args.to), privileges: ['admin'], views: 'allow' },
  ],
  help: 'Renames a collection, also into another database.',
  *run(tx, call) {
    const { target, args } = call
    const from = splitNamespace(target)
    const to = splitNamespace(args.to)
    if (target === args.to) throw fail('IllegalOperation', "Can't rename a collection to itself")
    const ns = yield* findNamespace(tx, from.db, from.collection)
    if (ns === undefined) {
      throw fail('NamespaceNotFound', `Source collection ${target} does not exist`)
    }
    if (ns.view !== undefined) {
      throw fail('CommandNotSupportedOnView', `cannot rename view: ${target}`)
    }
    if (ns.timeSeries !== undefined) {
      const text = `Renaming a time-series collection is not allowed: ${target}`
      throw fail('IllegalOperation', text)
    }
    if (tx.namespace(1)?.view !== undefined) {
      throw fail('NamespaceExists', `a view already exists with that name: ${args.to}`)
    }
    // In the main database a wallet may not rename to a name with mode `shared`: it would receive
    // the writes of other wallets.
    call.services.spaces?.requireMaySet(call.identity, to.db, ns.access.mode, 'private')
    yield* renameNamespace(tx, ns, to.db, to.collection, args.dropTarget)
    return reply()
  },
})

export const collectionRows = [create, drop, dropDatabase, renameCollection]
