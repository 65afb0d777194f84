// Sign-in on the document wire: the two SASL commands, their speculative form inside hello, and
// logout. A login may have to query the chain for the owner of a key, so these rows wait.

import type { Bytes } from '../../../base/bytes/bytes.js'
import { fail, GatewayError } from '../../../base/errors.js'
import { credentialBytesMax } from '../../../base/limits/identity.js'
import { anyValue, number, optional, string } from '../../../bus/document/params.js'
import { reply } from '../../../bus/document/reply.js'
import { type DocumentRow, documentRow } from '../../../bus/document/row.js'
import { plain } from '../../../bus/policy/facts.js'
import type { Session } from '../../../bus/session.js'
import {
  conversationId,
  Login,
  type LoginStart,
  type LoginStep,
  requireSameUser,
} from '../../../identity/sign-in/login.js'
import type { Awaitable } from '../../../store/store.js'
import { field, fieldIn } from '../../../value/elements.js'
import {
  binaryValue,
  boolOf,
  bsonType,
  type Document,
  documentOf,
  nullValue,
  stringOf,
  type Value,
} from '../../../value/value.js'
import type { DocumentWriter } from '../../../value/writer.js'
import { bareRow } from '../arguments.js'

const speculativeMechanism = 'SCRAM-SHA-256'

const saslStartRow = documentRow({
  name: 'saslStart',
  ...plain,
  access: 'anonymous',
  grain: 'task',
  stable: true,
  target: anyValue,
  params: { mechanism: string, payload: anyValue, options: optional(anyValue) },
  ignoresUnknown: true,
  secrets: ['payload'],
  help: 'Starts a login with SCRAM-SHA-256, or with PLAIN over TLS or loopback.',
  run: ({ args, db, session }) => {
    const { mechanism, payload, options } = args
    const rest = { mechanism, skipEmptyExchange: skipsEmpty(options), databases: [db] }
    return answer(session, payload, (login) =>
      begin(session, login, { ...rest, payload: payloadOf(payload) }),
    )
  },
})

const saslContinueRow = documentRow({
  name: 'saslContinue',
  ...plain,
  access: 'anonymous',
  grain: 'task',
  stable: true,
  target: anyValue,
  params: { conversationId: number, payload: anyValue },
  ignoresUnknown: true,
  secrets: ['payload'],
  help: 'Continues the login that saslStart or hello started.',
  run: ({ args, session }) =>
    answer(session, args.payload, (login) =>
      login.continue(args.conversationId, payloadOf(args.payload)),
    ),
})

const authenticateRow = documentRow({
  name: 'authenticate',
  ...plain,
  access: 'anonymous',
  grain: 'local',
  stable: true,
  target: anyValue,
  params: { mechanism: optional(string) },
  ignoresUnknown: true,
  help: 'Login by certificate; not supported.',
  run: ({ args }) => {
    const name = args.mechanism ?? 'MONGODB-CR'
    throw fail('MechanismUnavailable', `Unsupported or disabled authentication mechanism ${name}`)
  },
})

const logoutRow = bareRow({
  name: 'logout',
  access: 'anonymous',
  stable: true,
  ignoresUnknown: true,
  help: 'Returns the connection to its state before the sign-in.',
  run: ({ session }) => {
    const login = session.conversation
    if (login instanceof Login) {
      login.reset()
      session.identity = login.initial
    }
    return reply()
  },
})

export const saslRows: readonly DocumentRow[] = [
  saslStartRow,
  saslContinueRow,
  authenticateRow,
  logoutRow,
]

/**
 * The first step of a login inside hello. If it fails, hello still succeeds without it; the client
 * starts again with saslStart and gets the error there.
 */
export function speculate(
  session: Session,
  given: Value | undefined,
): Awaitable<LoginStep | undefined> {
  const login = session.conversation
  if (!(login instanceof Login)) return undefined
  try {
    const start = speculativeStart(given)
    if (start === undefined) return undefined
    const step = begin(session, login, start)
    return step instanceof Promise ? step.catch(none) : step
  } catch (thrown) {
    return none(thrown)
  }
}

/**
 * A login that is abandoned for another one counts as failed: each costs a query to the chain. An
 * honest client abandons at most one.
 */
function begin(session: Session, login: Login, start: LoginStart): Awaitable<LoginStep> {
  if (login.isUnderWay) session.authFailures++
  return login.start(start)
}

function speculativeStart(given: Value | undefined): LoginStart | undefined {
  if (given?.type !== bsonType.object) return undefined
  const mechanism = fieldIn(given, 'mechanism')
  const payload = fieldIn(given, 'payload')
  if (mechanism?.type !== bsonType.string || payload === undefined) return undefined
  const isKnown = payload.type === bsonType.binary || payload.type === bsonType.string
  if (stringOf(mechanism) !== speculativeMechanism || !isKnown) return undefined
  const db = fieldIn(given, 'db')
  return {
    mechanism: speculativeMechanism,
    payload: payloadOf(payload),
    skipEmptyExchange: skipsEmpty(fieldIn(given, 'options')),
    databases: db?.type === bsonType.string ? [stringOf(db)] : [],
  }
}

function none(thrown: unknown): undefined {
  if (!(thrown instanceof GatewayError)) throw thrown
}

/** The payload of a speculative login; the reply uses its type. */
export function payloadField(given: Value): Value {
  return fieldIn(given, 'payload') ?? nullValue
}

/** Replies to one message of a login; a complete login changes the session's identity. */
function answer(
  session: Session,
  given: Value,
  step: (login: Login) => Awaitable<LoginStep>,
): Awaitable<Document> {
  const login = session.conversation
  if (!(login instanceof Login)) {
    throw fail('CommandNotSupported', 'SASL belongs to the document wire')
  }
  try {
    const taken = step(login)
    return taken instanceof Promise
      ? taken.then(
          (late) => take(session, login, given, late),
          (thrown) => refuse(session, thrown),
        )
      : take(session, login, given, taken)
  } catch (thrown) {
    return refuse(session, thrown)
  }
}

function take(session: Session, login: Login, given: Value, step: LoginStep): Document {
  if (step.identity !== undefined) {
    requireSameUser(session.identity, login.initial, step.identity)
    session.identity = step.identity
  }
  return reply((writer) => writeStep(writer, step, given))
}

function refuse(session: Session, thrown: unknown): never {
  if (thrown instanceof GatewayError && thrown.kind === 'AuthenticationFailed') {
    session.authFailures++
  }
  throw thrown
}

/** The payload of the reply has the type of the request's payload. */
export function writeStep(writer: DocumentWriter, step: LoginStep, given: Value): void {
  writer.int32('conversationId', conversationId).bool('done', step.identity !== undefined)
  if (given.type === bsonType.string) {
    writer.string('payload', Buffer.from(step.payload).toString('base64'))
  } else {
    writer.value('payload', binaryValue(0, step.payload))
  }
}

/** The bytes of a payload: binary, or base64 in a string. */
function payloadOf(value: Value): Bytes {
  if (value.end - value.start > credentialBytesMax) {
    throw fail('AuthenticationFailed', 'Authentication failed.')
  }
  if (value.type === bsonType.binary) return value.payload().subarray(5)
  if (value.type === bsonType.string) return new Uint8Array(Buffer.from(stringOf(value), 'base64'))
  throw fail('TypeMismatch', "BSON field 'payload' must be binData or a base64 string")
}

function skipsEmpty(options: Value | undefined): boolean {
  if (options?.type !== bsonType.object) return false
  const skip = field(documentOf(options), 'skipEmptyExchange')
  return skip !== undefined && skip.type === bsonType.bool && boolOf(skip)
}
