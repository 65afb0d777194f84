// The commands at work: listed (shapes, never values) and ended. One sees one's own, the operator
// sees all.

import { hostname } from 'node:os'
import type { Call } from '../../bus/call.js'
import { anyValue, wholeNumber } from '../../bus/params.js'
import { reply } from '../../bus/reply.js'
import { documentRow } from '../../bus/row.js'
import { shapeOf } from '../../bus/shape.js'
import { identityKey } from '../../identity/identity.js'
import { field } from '../../value/elements.js'
import { bsonType, type Document, stringOf } from '../../value/value.js'
import { type DocumentWriter, writeDocument } from '../../value/writer.js'

type AnyCall = Call<unknown, unknown>

const currentOp = documentRow({
  name: 'currentOp',
  grain: 'local',
  access: 'identity',
  adminOnly: true,
  target: anyValue,
  params: {},
  // Conditions on operations stand beside the command's name; tools filter again themselves.
  ignoresUnknown: true,
  help: 'Lists the commands at work with their shapes.',
  run: (call) =>
    reply((writer) => {
      writer.openArray('inprog')
      for (const document of operationDocuments(call)) writer.pushDocument(document)
      writer.close()
    }),
})

const killOp = documentRow({
  name: 'killOp',
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

/** A document for each command that the caller may see: what `currentOp` and `$currentOp` list. */
export function operationDocuments(
  call: Pick<AnyCall, 'bus' | 'session' | 'services'>,
): Document[] {
  const elapsed = call.services.clock.elapsed()
  return [...visible(call)].map((other) =>
    writeDocument((writer) => {
      const ms = Math.max(0, elapsed - other.startedMs)
      const collection = other.touches[0]?.collection
      writer
        .string('type', 'op')
        .string('host', hostname())
        .string('desc', `conn${other.session.id}`)
      writer.int32('connectionId', other.session.id).string('client', other.session.peer)
      writeApplication(writer, other.session.clientMetadata)
      writer.bool('active', true).date('currentOpTime', other.now).int32('opid', other.id)
      writer.int64('secs_running', Math.floor(ms / 1000))
      writer.int64('microsecs_running', Math.round(ms * 1000))
      writer
        .string('op', 'command')
        .string('ns', collection === undefined ? other.db : `${other.db}.${collection}`)
      writer.openDocument('command').string('name', other.command).string('$db', other.db)
      writer.string('shape', shapeOf(other.request.body, other.secrets)).close()
    }),
  )
}

function* visible(call: Pick<AnyCall, 'bus' | 'session'>): Generator<AnyCall> {
  const { identity } = call.session
  for (const other of call.bus.inFlight()) {
    const isOwn = isOwnCall(call, other)
    if (isOwn || identity.kind === 'operator') yield other
  }
}

/** Who has not signed in is nobody in particular: only the command itself is his own. */
function isOwnCall({ session }: Pick<AnyCall, 'session'>, other: AnyCall): boolean {
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
