// Lists running commands (shapes, never values) and ends them. A caller sees its own commands, the
// operator all.

import { hostname } from 'node:os'
import { shownCommandBytesMax } from '../../../base/limits/documents.js'
import type { Operation } from '../../../bus/document/bus-view.js'
import type { Call } from '../../../bus/document/call.js'
import { genericFields } from '../../../bus/document/generic.js'
import {
  anyValue,
  bool,
  ignored,
  optional,
  wholeNumber,
  withDefault,
} from '../../../bus/document/params.js'
import { reply } from '../../../bus/document/reply.js'
import { documentRow } from '../../../bus/document/row.js'
import { shapeOf } from '../../../bus/document/shape.js'
import { plain } from '../../../bus/policy/facts.js'
import { latencyKinds, meters } from '../../../bus/policy/meters.js'
import { accountDatabaseOf, identityKey } from '../../../identity/identity.js'
import { accountNameOf } from '../../../identity/sign-in/credentials.js'
import { compileFilter } from '../../../query/filter.js'
import { Elements, field } from '../../../value/elements.js'
import { binaryValue, bsonType, type Document, stringOf } from '../../../value/value.js'
import { type DocumentWriter, writeDocument } from '../../../value/writer.js'
import { lockNames, writeLocks } from './server-status.js'

type AnyCall = Call<unknown, unknown>

const currentOp = documentRow({
  name: 'currentOp',
  ...plain,
  grain: 'local',
  access: 'identity',
  adminOnly: true,
  target: anyValue,
  params: { $all: optional(bool), $ownOps: withDefault(bool, false), $truncateOps: ignored },
  // Unknown fields are conditions on operations.
  ignoresUnknown: true,
  help:
    'Lists the running commands with their shapes, and the open transactions, filtered by the ' +
    'other fields.',
  run: (call) => {
    const filter = compileFilter(conditionsOf(call.request.body), call.context)
    const which = call.args.$ownOps ? 'own' : 'visible'
    const found = [...operationDocuments(call, which), ...idleSessionDocuments(call, which)]
    return reply((writer) => {
      writer.openArray('inprog')
      for (const document of found) if (filter.matches(document)) writer.pushDocument(document)
      writer.close()
    })
  },
})

const notConditions: ReadonlySet<string> = new Set([
  ...['$all', '$ownOps', '$truncateOps'],
  ...Object.keys(genericFields),
])

/** The fields of the command that are conditions. */
function conditionsOf(body: Document): Document {
  return writeDocument((writer) => {
    const elements = new Elements(body)
    elements.next()
    while (elements.next()) {
      const name = elements.name()
      if (!notConditions.has(name)) writer.value(name, elements.value())
    }
  })
}

const killOp = documentRow({
  name: 'killOp',
  ...plain,
  grain: 'local',
  access: 'identity',
  adminOnly: true,
  target: anyValue,
  params: { op: wholeNumber },
  help: 'Ends a command at its next pause.',
  run: (call) => {
    for (const other of visible(call)) if (other.id === call.args.op) other.kill()
    return reply((writer) => writer.string('info', 'attempting to kill op'))
  },
})

/**
 * A document for each visible command, or for each of the caller's own: the content of `currentOp`
 * and `$currentOp`.
 */
export function operationDocuments(
  call: Pick<AnyCall, 'bus' | 'session' | 'services'>,
  which: 'own' | 'visible',
): Document[] {
  const elapsed = call.services.clock.elapsed()
  const all = [...visible(call)]
  const chosen = which === 'own' ? all.filter((other) => isOwnCall(call, other)) : all
  return chosen.map((other) =>
    writeDocument((writer) => {
      const ms = Math.max(0, elapsed - other.startedMs)
      const collection = other.resources[0]?.collection
      writer
        .string('type', 'op')
        .string('host', hostname())
        .string('desc', `conn${other.session.id}`)
      writer.int32('connectionId', other.session.id).string('client', other.session.remoteAddress)
      writeApplication(writer, other.session.clientMetadata)
      writer.bool('active', true).string('currentOpTime', new Date(other.now).toISOString())
      writeUser(writer, other)
      writer.bool('threaded', true).int32('opid', other.id)
      if (other.lsid !== undefined) writeSession(writer, other.lsid)
      if (other.txnNumber !== undefined) {
        writer.openDocument('transaction')
        writeParameters(writer, other.txnNumber)
        writer.close()
      }
      writer.int64('secs_running', Math.floor(ms / 1000))
      writer.int64('microsecs_running', Math.round(ms * 1000))
      writer
        .string('op', meters[other.row.metered].shown)
        .string('ns', collection === undefined ? other.db : `${other.db}.${collection}`)
      writeCommand(writer, other, isOwnCall(call, other))
      writer.int32('numYields', 0)
      if (other.isKilled) writer.bool('killPending', true)
      writeHeldLocks(writer, other)
      writer.bool('waitingForFlowControl', false).openDocument('flowControlStats').close()
    }),
  )
}

/** The locks that MongoDB holds for a command on a collection; others take none. */
function writeHeldLocks(writer: DocumentWriter, { resources, row }: Operation): void {
  const mode = latencyKinds[meters[row.metered].latency] === 'writes' ? 'w' : 'r'
  const isLocked = resources.some(({ collection }) => collection !== undefined)
  writer.openDocument('locks')
  if (isLocked) for (const name of lockNames) writer.string(name, mode)
  writer.close().bool('waitingForLock', false).openDocument('lockStats')
  if (isLocked) writeLocks(writer, { [mode]: 1 })
  writer.close()
}

/**
 * The command as sent, without session and secrets. For commands of other callers the operator sees
 * only target and shape, because values are private. A long command also shows only its shape;
 * MongoDB truncates it.
 */
function writeCommand(writer: DocumentWriter, other: Operation, isOwn: boolean): void {
  const { body } = other.request
  const isWhole = isOwn && body.length <= shownCommandBytesMax
  writer.openDocument('command')
  const elements = new Elements(body)
  for (let isFirst = true; elements.next(); isFirst = false) {
    const name = elements.name()
    const value = elements.value()
    if (other.row.secrets?.includes(name) === true || name === 'lsid') continue
    const isTarget = isFirst && (value.type === bsonType.string || value.isNumber)
    if (isWhole || isTarget) writer.value(name, value)
  }
  if (!isWhole) writer.string('$truncated', shapeOf(body, other.row.secrets))
  if (field(body, '$db') === undefined || !isWhole) writer.string('$db', other.db)
  writer.close()
}

/** A document for each connection without a running command. */
export function idleConnectionDocuments(
  call: Pick<AnyCall, 'bus' | 'session' | 'services'>,
  which: 'own' | 'visible',
): Document[] {
  const { session, services } = call
  const busy = new Set([...call.bus.inFlight()].map((other) => other.session))
  const seesAll = which === 'visible' && session.identity.kind === 'operator'
  const time = new Date(services.clock.now()).toISOString()
  const idle = [...(services.sessions?.() ?? [])].filter((other) => !busy.has(other))
  return idle
    .filter((other) => seesAll || isOwnCall(call, { session: other }))
    .map((other) =>
      writeDocument((writer) => {
        writer.string('type', 'op').string('host', hostname()).string('desc', `conn${other.id}`)
        writer.int32('connectionId', other.id).string('client', other.remoteAddress)
        writeApplication(writer, other.clientMetadata)
        writer.bool('active', false).string('currentOpTime', time)
        writeUser(writer, other)
      }),
    )
}

/** A document for each open cursor that no command is using. */
export function idleCursorDocuments(
  { engine, owner, session }: Pick<AnyCall, 'engine' | 'owner' | 'session'>,
  which: 'own' | 'visible',
): Document[] {
  const seesAll = which === 'visible' && session.identity.kind === 'operator'
  if (session.identity.kind === 'anonymous') return []
  const open = engine.cursors.list().filter(({ isBusy }) => !isBusy)
  return open
    .filter(({ meta }) => seesAll || meta.owner === owner)
    .map(({ id, meta, openedAt, lastUsedAt }) =>
      writeDocument((writer) => {
        writer.string('type', 'idleCursor').string('host', hostname())
        writer.string('ns', `${meta.db}.${meta.collection}`)
        if (meta.lsid !== undefined) writeSession(writer, meta.lsid)
        writer.openDocument('cursor').int64('cursorId', id)
        writer.date('createdDate', openedAt).date('lastAccessDate', lastUsedAt)
        writer.bool('noCursorTimeout', meta.noCursorTimeout === true)
        writer.bool('tailable', meta.tail !== undefined)
        writer.bool('awaitData', meta.tail?.awaitsData === true).close()
      }),
    )
}

/** A document for each open transaction whose session runs no command. */
export function idleSessionDocuments(
  { bus, owner, session, services }: Pick<AnyCall, 'bus' | 'owner' | 'session' | 'services'>,
  which: 'own' | 'visible',
): Document[] {
  if (session.identity.kind === 'anonymous') return []
  const seesAll = which === 'visible' && session.identity.kind === 'operator'
  const busy = new Set([...bus.inFlight()].map(({ lsid }) => lsid))
  const now = services.clock.now()
  const open = bus.transactions.list(seesAll ? undefined : owner)
  return open
    .filter(({ lsid }) => !busy.has(lsid))
    .map(({ lsid, number, open: its }) =>
      writeDocument((writer) => {
        writer.string('type', 'idleSession').string('host', hostname())
        writer.string('desc', 'inactive transaction').string('client', '')
        writeSession(writer, lsid)
        writer.bool('active', false).openDocument('transaction')
        writeParameters(writer, number)
        if (its !== undefined) {
          writer.string('startWallClockTime', new Date(its.begunAt).toISOString())
          writer.int64('timeOpenMicros', Math.max(0, now - its.begunAt) * 1_000)
          writer.int64('bytes', its.bytes)
        }
        writer.close()
      }),
    )
}

function writeParameters(writer: DocumentWriter, number: number): void {
  writer.openDocument('parameters').int64('txnNumber', number).bool('autocommit', false).close()
}

function writeUser(writer: DocumentWriter, { identity }: Pick<Operation, 'identity'>): void {
  const user = accountNameOf(identity)
  if (user === undefined) return
  writer.openArray('effectiveUsers').pushOpenDocument()
  writer.string('user', user).string('db', accountDatabaseOf(identity)).close().close()
}

function writeSession(writer: DocumentWriter, lsid: string): void {
  writer.openDocument('lsid')
  writer.value('id', binaryValue(uuidSubtype, Buffer.from(lsid, 'hex'))).close()
}

const uuidSubtype = 4

function* visible(call: Pick<AnyCall, 'bus' | 'session'>): Generator<Operation> {
  const { identity } = call.session
  for (const other of call.bus.inFlight()) {
    const isOwn = isOwnCall(call, other)
    if (isOwn || identity.kind === 'operator') yield other
  }
}

/** A connection without a sign-in has no identity, so it owns only this command. */
function isOwnCall(
  { session }: Pick<Operation, 'session'>,
  other: Pick<Operation, 'session'>,
): boolean {
  if (session.identity.kind === 'anonymous') return other.session === session
  return identityKey(other.session.identity) === identityKey(session.identity)
}

function writeApplication(writer: DocumentWriter, metadata: Document | undefined): void {
  const application = metadata === undefined ? undefined : field(metadata, 'application')
  if (application?.type !== bsonType.object) return
  const name = field(application.payload(), 'name')
  if (name?.type === bsonType.string) writer.string('appName', stringOf(name))
}

export const operationRows = [currentOp, killOp]
