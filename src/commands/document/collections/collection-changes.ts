// collMod: changes a collection in use. It can change the validator, an index (expiry, visibility,
// uniqueness), the bounds of a capped collection, time-series options, and a view's definition.
// Other options of MongoDB are refused by name.

import { fail, GatewayError } from '../../../base/errors.js'
import { modifyRunsMax } from '../../../base/limits/documents.js'
import type { Call } from '../../../bus/document/call.js'
import {
  anyValue,
  array,
  bool,
  collection,
  exactNumber,
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
import type { Args } from '../../../bus/document/schema.js'
import { plain } from '../../../bus/policy/facts.js'
import { olderWritesOver } from '../../../engine/changes/begin-recording.js'
import { recordModification } from '../../../engine/changes/record-changes.js'
import { findNamespace } from '../../../engine/collection/catalog/catalog.js'
import { changeCapped } from '../../../engine/collection/kinds/capped-changes.js'
import { changeImages } from '../../../engine/collection/kinds/change-images.js'
import {
  changeValidation,
  changeView,
  requireOptionsOf,
} from '../../../engine/collection/option-changes.js'
import {
  requireValidator,
  validationActions,
  validationLevels,
} from '../../../engine/collection/validation.js'
import {
  type IndexChange,
  type IndexChanges,
  modifyIndex,
} from '../../../engine/index/index-changes.js'
import { requireUniqueEntries } from '../../../engine/index/unique-entries.js'
import type { Guarded, Namespace } from '../../../engine/types.js'
import type { Program, Tx } from '../../../store/store.js'
import { readPhase, type Sweep, writePhase } from '../../../store/sweep.js'
import { field } from '../../../value/elements.js'
import { type Document, documentOf, numberValue } from '../../../value/value.js'
import { changeSeriesBy, requireSeriesChange, seriesChange } from './series-options.js'
import { requireView, viewResources } from './view-definitions.js'

const indexChange = structure({
  name: optional(string),
  keyPattern: optional(object),
  expireAfterSeconds: optional(number),
  hidden: optional(bool),
  unique: optional(bool),
  prepareUnique: optional(bool),
})

/** Options that MongoDB can change and Sigil cannot. */
const unserved = { recordPreImages: optional(anyValue) } as const

const params = {
  index: optional(indexChange),
  cappedSize: optional(exactNumber),
  cappedMax: optional(number),
  changeStreamPreAndPostImages: optional(object),
  validator: optional(object),
  validationLevel: optional(oneOf(validationLevels)),
  validationAction: optional(oneOf(validationActions)),
  viewOn: optional(string),
  pipeline: optional(array),
  dryRun: withDefault(bool, false),
  timeseries: optional(structure(seriesChange)),
  expireAfterSeconds: optional(anyValue),
  ...unserved,
} as const

type ChangeArgs = Args<typeof params>
type ChangeCall = Call<ChangeArgs, string>

const collMod = documentRow({
  name: 'collMod',
  ...plain,
  grain: 'sweep',
  access: 'identity',
  stable: true,
  target: collection,
  params,
  resources: ({ db, target, args }) => [
    { db, collection: target, privileges: ['own'], views: 'allow' },
    ...viewResources(db, args),
  ],
  help:
    'Changes the validator of a collection, the expiry, visibility and uniqueness of an ' +
    'index, the definition of a view, or the expiry of measurements.',
  *run(call) {
    const { args } = call
    for (const name of Object.keys(unserved) as (keyof typeof unserved)[]) {
      if (args[name] === undefined) continue
      throw fail('CommandNotSupported', `collMod of '${name}' is not supported`)
    }
    const { index, dryRun } = args
    if (dryRun && index?.unique !== true) {
      throw fail('InvalidOptions', "The 'dryRun' option is only supported with the 'unique' option")
    }
    if (index?.unique === true) return yield* makeUnique(call, index, dryRun)
    const changes = yield* writePhase((tx) => change(tx, call))
    // From its answer on, changes are recorded with images.
    if (args.changeStreamPreAndPostImages !== undefined) yield* readPhase(olderWritesOver)
    return changesReply(changes)
  },
})

/** Checks all entries before the one program that makes an index unique. */
function* makeUnique(call: ChangeCall, index: IndexArgs, dryRun: boolean): Sweep<Document> {
  const { db, target } = call
  for (let run = 0; run < modifyRunsMax; run++) {
    const version = yield* requireUniqueEntries(db, target, changeOf(index))
    if (dryRun) return reply()
    const changes = yield* writePhase(function* (tx) {
      const ns = yield* findNamespace(tx, db, target)
      return ns?.version === version ? yield* change(tx, call) : undefined
    })
    if (changes !== undefined) return changesReply(changes)
  }
  throw fail('WriteConflict', 'the collection kept changing while its index was checked')
}

type IndexArgs = Args<{ index: typeof indexChange }>['index']

function changeOf(index: IndexArgs): IndexChange {
  const { expireAfterSeconds: seconds, ...rest } = index
  const expireAfterSeconds = seconds === undefined ? undefined : numberValue(seconds)
  return { ...rest, expireAfterSeconds }
}

function* change(tx: Tx & Guarded, call: ChangeCall): Program<IndexChanges> {
  const { db, target, request } = call
  const before = yield* findNamespace(tx, db, target)
  if (before === undefined) throw fail('NamespaceNotFound', `ns does not exist: ${db}.${target}`)
  const changes = yield* changeParts(tx, call, before)
  const index = field(request.body, 'index')
  const after = yield* findNamespace(tx, db, target)
  if (after === undefined) return changes
  recordModification(tx, before, after, index && documentOf(index))
  return changes
}

function* changeParts(tx: Tx & Guarded, call: ChangeCall, ns: Namespace): Program<IndexChanges> {
  const { db, target, args } = call
  const { index, cappedSize, cappedMax, changeStreamPreAndPostImages: images } = args
  requireOptionsOf(ns, {
    ofCollections: namesGiven(args, ofCollections),
    ofViews: namesGiven(args, ['viewOn', 'pipeline']),
  })
  if (ns.view !== undefined) {
    yield* changeDefinition(tx, call, ns)
    return {}
  }
  requireSeriesChange(ns, args, namesGiven(args, notOfSeries))
  if (ns.timeSeries !== undefined) changeSeriesBy(tx, ns, args)
  if (cappedSize !== undefined || cappedMax !== undefined) {
    yield* changeCapped(tx, db, target, { cappedSize, cappedMax })
  }
  if (namesGiven(args, ofValidators).length > 0) yield* changeRules(tx, call)
  if (images !== undefined) yield* changeImages(tx, db, target, images)
  return index === undefined ? {} : yield* modifyIndex(tx, db, target, changeOf(index))
}

const ofValidators = ['validator', 'validationLevel', 'validationAction'] as const
const notOfSeries = [
  ...ofValidators,
  ...(['cappedSize', 'cappedMax', 'changeStreamPreAndPostImages'] as const),
] as const
const ofCollections = [
  ...['timeseries', 'expireAfterSeconds'],
  ...['index', 'cappedSize', 'cappedMax', 'changeStreamPreAndPostImages'],
  ...ofValidators,
] as const

function namesGiven(args: ChangeArgs, names: readonly (keyof ChangeArgs)[]): string[] {
  return names.filter((name) => args[name] !== undefined)
}

function* changeDefinition(tx: Tx & Guarded, call: ChangeCall, ns: Namespace): Program<void> {
  const { viewOn, pipeline } = call.args
  if (viewOn === undefined && pipeline === undefined) return
  // Both are required, so that the command itself names everything that the rights check needs.
  if (viewOn === undefined || pipeline === undefined) {
    throw fail(
      'InvalidOptions',
      "Must specify both 'viewOn' and 'pipeline' when modifying a view and auth is enabled",
    )
  }
  yield* requireView(tx, call, viewOn, ns.collation)
  // From now on the view reads with the rights of the service user, not of the operator.
  const by = call.madeBy
  const access =
    by === undefined || ns.access.owner !== null ? ns.access : { ...ns.access, madeBy: by }
  changeView(tx, { ...ns, access }, { viewOn, pipeline })
}

/** Reads the descriptor again, because an earlier step of this program may have changed it. */
function* changeRules(tx: Tx & Guarded, { db, target, args }: ChangeCall): Program<void> {
  if (args.validator !== undefined) requireRules(args.validator)
  const ns = yield* findNamespace(tx, db, target)
  if (ns !== undefined) changeValidation(tx, ns, args)
}

function requireRules(validator: Document): void {
  try {
    requireValidator(validator)
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown
    const text = `Parsing of collection validator failed :: caused by :: ${thrown.message}`
    throw fail(thrown.kind, text)
  }
}

function changesReply({ seconds, hidden, prepareUnique, unique }: IndexChanges): Document {
  return reply((writer) => {
    if (seconds !== undefined) {
      if (seconds.before !== undefined) writer.int64('expireAfterSeconds_old', seconds.before)
      writer.int64('expireAfterSeconds_new', seconds.after ?? 0)
    }
    if (hidden !== undefined) {
      writer.bool('hidden_old', hidden.before).bool('hidden_new', hidden.after)
    }
    if (unique === true) writer.bool('unique_new', true)
    if (prepareUnique !== undefined) {
      writer.bool('prepareUnique_old', prepareUnique.before)
      writer.bool('prepareUnique_new', prepareUnique.after)
    }
  })
}

export const collectionChangeRows = [collMod]
