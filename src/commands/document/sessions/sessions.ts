// Logical sessions. Clients choose their ids and Sigil does not depend on them, so they are
// accepted but not stored. Only open cursors belong to a session; they end with it.

import { fail } from '../../../base/errors.js'
import { sessionIdleMinutes } from '../../../base/limits/documents.js'
import type { Call } from '../../../bus/document/call.js'
import { sessionIdOf } from '../../../bus/document/generic.js'
import { documents } from '../../../bus/document/params.js'
import { reply } from '../../../bus/document/reply.js'
import { documentRow } from '../../../bus/document/row.js'
import { plain } from '../../../bus/policy/facts.js'
import { field } from '../../../value/elements.js'
import { binaryValue, bsonType, type Document } from '../../../value/value.js'
import { bareRow } from '../arguments.js'

const uuidSubtype = 4

const startSession = bareRow({
  name: 'startSession',
  access: 'anonymous',
  help: 'Creates the id of a logical session.',
  run: (call) =>
    reply((writer) => {
      writer.openDocument('id').value('id', binaryValue(uuidSubtype, call.uuid())).close()
      writer.int32('timeoutMinutes', sessionIdleMinutes)
    }),
})

const refreshSessions = documentRow({
  name: 'refreshSessions',
  ...plain,
  grain: 'local',
  access: 'anonymous',
  stable: true,
  target: documents,
  params: {},
  help: 'For drivers: does nothing, because sessions do not expire.',
  run: (call) => {
    idsOf(call.target)
    return reply()
  },
})

const endSessions = documentRow({
  name: 'endSessions',
  ...plain,
  grain: 'local',
  access: 'anonymous',
  stable: true,
  target: documents,
  params: {},
  help: 'Closes the cursors of the named sessions.',
  run: (call) => endNamed(call),
})

const killSessions = documentRow({
  name: 'killSessions',
  ...plain,
  grain: 'local',
  access: 'identity',
  target: documents,
  params: {},
  help:
    'Closes the cursors of the named sessions, or of all sessions of the caller if none is ' +
    'named.',
  run: (call) => (call.target.length === 0 ? endAll(call) : endNamed(call)),
})

const killAllSessions = documentRow({
  name: 'killAllSessions',
  ...plain,
  grain: 'local',
  access: 'identity',
  target: documents,
  params: {},
  help: "Closes the cursors of all the caller's sessions.",
  run: endAll,
})

const killAllSessionsByPattern = documentRow({
  name: 'killAllSessionsByPattern',
  ...plain,
  grain: 'local',
  access: 'identity',
  target: documents,
  params: {},
  help: 'Closes the cursors of the sessions that the patterns name by lsid, or of all.',
  run: (call) => {
    const named = call.target.map((pattern) => field(pattern, 'lsid'))
    const isByName = named.length > 0 && named.every((lsid) => lsid?.type === bsonType.object)
    if (!isByName) return endAll(call)
    return endNamed(
      call,
      named.flatMap((lsid) => (lsid === undefined ? [] : [lsid.payload()])),
    )
  },
})

type SessionsCall = Call<unknown, readonly Document[]>

function endNamed(call: SessionsCall, sessions = call.target): Document {
  const ids = idsOf(sessions)
  call.engine.cursors.killWhere(
    ({ meta }) => meta.owner === call.owner && meta.lsid !== undefined && ids.has(meta.lsid),
  )
  call.bus.transactions.endWhere(({ owner, lsid }) => owner === call.owner && ids.has(lsid))
  return reply()
}

/** The operator can end the sessions of all callers. */
function endAll(call: SessionsCall): Document {
  const isOperator = call.session.identity.kind === 'operator'
  call.engine.cursors.killWhere(({ meta }) => isOperator || meta.owner === call.owner)
  call.bus.transactions.endWhere(({ owner }) => isOperator || owner === call.owner)
  return reply()
}

const sessionsMax = 100_000

function idsOf(sessions: readonly Document[]): Set<string> {
  if (sessions.length > sessionsMax) throw fail('BadValue', `more than ${sessionsMax} sessions`)
  return new Set(sessions.map((session) => Buffer.from(sessionIdOf(session)).toString('hex')))
}

export const sessionRows = [
  startSession,
  refreshSessions,
  endSessions,
  killSessions,
  killAllSessions,
  killAllSessionsByPattern,
]
