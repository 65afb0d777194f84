// An aggregate that begins with $changeStream: its options, where it begins in the change log, and
// its cursor. (docs/design/changes.md)

import { fail, type GatewayError } from '../../../base/errors.js'
import type { Call } from '../../../bus/document/call.js'
import {
  anyValue,
  bool,
  ignored,
  object,
  oneOf,
  optional,
  withDefault,
} from '../../../bus/document/params.js'
import { Schema } from '../../../bus/document/schema.js'
import { beginRecording } from '../../../engine/changes/begin-recording.js'
import { watchKey } from '../../../engine/changes/change-record.js'
import { ChangeSource, next, WatchSource } from '../../../engine/changes/change-source.js'
import {
  coveredSince,
  newestTime,
  type Scope,
  trimmedBefore,
} from '../../../engine/changes/recording.js'
import { fatalError, historyLost } from '../../../engine/changes/stream-errors.js'
import { parseToken, type Token, tokenText } from '../../../engine/changes/token.js'
import { homeAccess } from '../../../engine/collection/catalog/homes.js'
import type { Source } from '../../../engine/sources/holding-source.js'
import { openBehind, type PipelineEnvironment } from '../../../engine/sources/pipeline-source.js'
import type { Resource } from '../../../engine/types.js'
import type { QueryContext } from '../../../query/context.js'
import { compilePipeline, type StagePlan } from '../../../query/pipeline.js'
import { type ClusterTime, changeKey, isEarlier } from '../../../store/layout.js'
import type { Program, ReadTx } from '../../../store/store.js'
import { readPhase, type Sweep } from '../../../store/sweep.js'
import { elementsOf, fieldsOf } from '../../../value/elements.js'
import { bigintOf, bsonType, type Document, documentOf, type Value } from '../../../value/value.js'
import { writeArray } from '../../../value/writer.js'
import { firstBatch } from './cursors.js'

const stageName = '$changeStream'
const splitName = '$changeStreamSplitLargeEvent'

const schema = new Schema(stageName, {
  fullDocument: withDefault(
    oneOf(['default', 'updateLookup', 'whenAvailable', 'required']),
    'default',
  ),
  fullDocumentBeforeChange: withDefault(oneOf(['off', 'whenAvailable', 'required']), 'off'),
  resumeAfter: optional(object),
  startAfter: optional(object),
  startAtOperationTime: optional(anyValue),
  allChangesForCluster: withDefault(bool, false),
  showExpandedEvents: withDefault(bool, false),
  showMigrationEvents: ignored,
})

type Options = ReturnType<typeof schema.parse>

type WatchCall = Call<
  {
    readonly pipeline: Value
    readonly cursor: { readonly batchSize: number | undefined } | undefined
  },
  string | undefined
>

/** The specification of a change stream; undefined for another pipeline. */
export function watched(pipeline: Value): Value | undefined {
  const [first] = elementsOf(pipeline)
  if (first?.type !== bsonType.object) return undefined
  const [stage, ...others] = fieldsOf(first)
  return stage?.[0] === stageName && others.length === 0 ? stage[1] : undefined
}

/** A stream of a database or of all leaves out what the caller may not read. */
export function watchResources(db: string, target: string | undefined): Resource[] {
  if (target === undefined) return [{ db, privileges: [] }]
  return [{ db, collection: target, privileges: ['read'] }]
}

/** Begins the recording if this is the first stream of its scope, then opens the stream. */
export function* runWatch(
  call: WatchCall,
  spec: Value,
  context: QueryContext,
  environment: PipelineEnvironment,
): Sweep<Document> {
  if (spec.type !== bsonType.object) {
    throw fail('Location50808', '$changeStream stage expects a document as argument')
  }
  const options = schema.parse(documentOf(spec))
  const scope = scopeOf(call, options.allChangesForCluster)
  const { stages, splits } = compileRest(call.args.pipeline, context)
  const resumed = resumePoint(options)
  const after = resumed?.token
  if (after?.fragment !== undefined && !splits) throw notSplitting()
  if (!mayBegin(call, scope)) {
    const since = yield* readPhase((tx) => coveredSince(tx, scope))
    if (since === undefined) throw call.unauthorized(call.db, 'NOT_RECORDED', notRecorded)
  }
  yield* beginRecording(scope)
  return yield* readPhase(function* (tx) {
    const position = yield* beginning(tx, scope, resumed)
    const changes = new ChangeSource(scope, position, {
      fullDocument: options.fullDocument,
      beforeChange: options.fullDocumentBeforeChange,
      isExpanded: options.showExpandedEvents,
    })
    const piped: Source = openBehind(changes, stages, environment)
    return yield* firstBatch(tx, call, {
      source: new WatchSource(changes, piped, { splits, after }),
      batchSize: call.args.cursor?.batchSize,
      collection: call.target ?? '$cmd.aggregate',
      tail: { awaitsData: true, keys: [watchKey(scope)] },
    })
  })
}

const notRecorded =
  ': nothing is recorded there yet. An operator opens a stream of it, or sets CHANGES=all'

/**
 * Whether the caller may begin the recording, which costs every writer of the scope: of a
 * collection that it may read, of its home, or of the database of its service user.
 */
function mayBegin(call: WatchCall, { db, name }: Scope): boolean {
  const { kind } = call.identity
  if (kind === 'operator' || kind === 'anonymous') return kind === 'operator'
  if (db === undefined || name !== undefined) return db !== undefined
  const home = homeAccess(db)
  return (home !== undefined || kind === 'user') && call.may('read', home, { db })
}

function scopeOf({ db, target }: WatchCall, isForAll: boolean): Scope {
  if (!isForAll) {
    if (target === undefined) return requireOrdinary({ db })
    return requireOrdinary({ db, name: target })
  }
  if (db === 'admin' && target === undefined) return {}
  const text =
    "A $changeStream with 'allChangesForCluster:true' may only be opened on the 'admin' " +
    'database, and with no collection name; found '
  throw fail('InvalidOptions', `${text}${db}.${target ?? '$cmd.aggregate'}`)
}

function requireOrdinary(scope: Scope): Scope {
  const { db = '', name } = scope
  if (db === 'admin' || db === 'config' || db === 'local') {
    const text = `$changeStream may not be opened on the internal ${db} database`
    throw fail('InvalidNamespace', text)
  }
  if (name?.startsWith('system.') === true) {
    const text = `$changeStream may not be opened on the internal ${db}.${name} collection`
    throw fail('InvalidNamespace', text)
  }
  return scope
}

interface ResumePoint {
  /** The first time to read. */
  readonly from: ClusterTime
  /** Undefined for a start at a time. */
  readonly token?: Token
}

/** Undefined for the present. */
function resumePoint(options: Options): ResumePoint | undefined {
  const { resumeAfter, startAfter, startAtOperationTime: at } = options
  const starts = [resumeAfter, startAfter, at].filter((one) => one !== undefined)
  if (starts.length > 1) throw severalStarts(at !== undefined)
  if (at !== undefined) {
    if (at.type !== bsonType.timestamp) {
      throw fail('TypeMismatch', "'startAtOperationTime' of $changeStream must be a timestamp")
    }
    const both = BigInt.asUintN(64, bigintOf(at))
    return { from: { seconds: Number(both >> 32n), increment: Number(both & 0xffffffffn) } }
  }
  const given = resumeAfter ?? startAfter
  if (given === undefined) return undefined
  const token = parseToken(given)
  const { time, kind, fragment } = token
  if (kind === 'invalidate' && resumeAfter !== undefined) {
    throw fail(
      'InvalidResumeToken',
      "Attempting to resume a change stream using 'resumeAfter' is not allowed from an " +
        'invalidate notification.',
    )
  }
  const isWithin = kind === 'mark' || fragment !== undefined
  return { from: isWithin ? time : next(time), token }
}

function notSplitting(): GatewayError {
  const text = 'To resume from a split event, the stream must include a'
  return fatalError(`${text} ${splitName} stage`)
}

function severalStarts(hasTime: boolean): GatewayError {
  if (!hasTime) {
    const text = "Do not specify both 'resumeAfter' and 'startAfter' in a $changeStream stage."
    return fail('Location50865', text)
  }
  const names = "'resumeAfter'/'startAfter' and 'startAtOperationTime'"
  return fail('Location40674', `Only one type of resume option is allowed, but got both ${names}.`)
}

/** Throws ChangeStreamHistoryLost for a time before the recording began. */
function* beginning(
  tx: ReadTx,
  scope: Scope,
  resumed: ResumePoint | undefined,
): Program<ClusterTime> {
  const since = yield* coveredSince(tx, scope)
  const newest = yield* newestTime(tx)
  if (since === undefined || newest === undefined) throw historyLost()
  if (resumed === undefined) return next(newest)
  const { from, token } = resumed
  if (isEarlier(from, since) || isEarlier(from, yield* trimmedBefore(tx))) throw historyLost()
  const isOfEvent = token !== undefined && token.kind !== 'mark'
  if (isOfEvent && !(yield* isInLog(tx, token.time))) throw notFound(token)
  return from
}

/** The token of another history, such as one before a restored backup, names no record. */
function* isInLog(tx: ReadTx, time: ClusterTime): Program<boolean> {
  return isEarlier(time, yield* trimmedBefore(tx)) || (yield* tx.get(changeKey(time))) !== undefined
}

function notFound(token: Token): GatewayError {
  const text = 'cannot resume stream; the resume token was not found.'
  return fatalError(`${text} {_data: "${tokenText(token)}"}`)
}

interface Rest {
  readonly stages: StagePlan[]
  /** Whether its last stage is $changeStreamSplitLargeEvent. */
  readonly splits: boolean
}

function compileRest(pipeline: Value, context: QueryContext): Rest {
  const rest = elementsOf(pipeline).slice(1)
  const splits = isSplitting(rest.at(-1))
  if (splits) rest.pop()
  if (rest.some(isSplitting)) {
    throw fail('Location7182802', `${splitName} must be the last stage in the pipeline`)
  }
  const stages = compilePipeline(writeArray(rest), context, {
    only: {
      kind: 'changeStream',
      refuse: (name) =>
        fail('IllegalOperation', `${name} is not permitted in a $changeStream pipeline`),
    },
  })
  return { stages, splits }
}

/** Throws 7182800 unless the stage is empty. */
function isSplitting(stage: Value | undefined): boolean {
  if (stage?.type !== bsonType.object) return false
  const [named] = fieldsOf(stage)
  if (named?.[0] !== splitName) return false
  const [, given] = named
  if (given.type === bsonType.object && fieldsOf(given).next().done === true) return true
  throw fail('Location7182800', `${splitName} spec should be an empty object`)
}
