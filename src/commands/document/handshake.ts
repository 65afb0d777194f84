// How a connection begins: hello in its two generations, and signing in. Drivers send a hello on
// every socket before anything else, often with half a login in it, and some fields that no server
// knows yet; so nothing here is strict, and a hello never fails for the login in it.

import type { Bytes } from '../../base/bytes.js'
import { fail, GatewayError } from '../../base/errors.js'
import {
  clientMetadataBytesMax,
  documentBytesMax,
  messageBytesMax,
  sessionIdleMinutes,
  writeBatchMax,
} from '../../base/limits.js'
import { wireVersionMax, wireVersionMin } from '../../base/product.js'
import type { Call } from '../../bus/call.js'
import { anyValue, number, optional, string } from '../../bus/params.js'
import { reply } from '../../bus/reply.js'
import { type DocumentRow, documentRow } from '../../bus/row.js'
import type { Args } from '../../bus/schema.js'
import type { Session } from '../../bus/session.js'
import {
  conversationId,
  Login,
  type LoginStep,
  requireSameUser,
  saslMechanisms,
} from '../../identity/login.js'
import { elementsOf, field } from '../../value/elements.js'
import {
  binaryValue,
  boolOf,
  bsonType,
  type Document,
  documentOf,
  stringOf,
  stringValue,
  type Value,
} from '../../value/value.js'
import type { DocumentWriter } from '../../value/writer.js'

/** What this end can inflate and deflate. */
const compressorNames = new Set(['zlib'])
const speculativeMechanism = 'SCRAM-SHA-256'
const nonceBytes = 8

const helloParams = {
  helloOk: optional(anyValue),
  client: optional(anyValue),
  compression: optional(anyValue),
  saslSupportedMechs: optional(anyValue),
  speculativeAuthenticate: optional(anyValue),
} as const

type HelloCall = Call<Args<typeof helloParams>, Value>

const helloRow = documentRow({
  name: 'hello',
  access: 'anonymous',
  grain: 'local',
  stable: true,
  target: anyValue,
  params: helloParams,
  ignoresUnknown: true,
  secrets: ['speculativeAuthenticate'],
  help: 'Tells what the server is and speaks, and may begin a login.',
  run: (call) => hello(call, 'isWritablePrimary'),
})

const isMasterRow = documentRow({
  name: 'isMaster',
  aliases: ['ismaster'],
  access: 'anonymous',
  grain: 'local',
  target: anyValue,
  params: helloParams,
  ignoresUnknown: true,
  secrets: ['speculativeAuthenticate'],
  help: 'The older name of hello, which drivers still open connections with.',
  run: (call) => hello(call, 'ismaster'),
})

const saslStartRow = documentRow({
  name: 'saslStart',
  access: 'anonymous',
  grain: 'local',
  target: anyValue,
  params: { mechanism: string, payload: anyValue, options: optional(anyValue) },
  ignoresUnknown: true,
  secrets: ['payload'],
  help: 'Begins a login by SCRAM-SHA-256, or by PLAIN where nobody can listen.',
  run: ({ args, session }) => {
    const { mechanism, payload, options } = args
    const start = { mechanism, payload: payloadOf(payload), skipEmptyExchange: skipsEmpty(options) }
    return answer(session, payload, (login) => login.start(start))
  },
})

const saslContinueRow = documentRow({
  name: 'saslContinue',
  access: 'anonymous',
  grain: 'local',
  target: anyValue,
  params: { conversationId: number, payload: anyValue },
  ignoresUnknown: true,
  secrets: ['payload'],
  help: 'Goes on with the login that saslStart or hello began.',
  run: ({ args, session }) =>
    answer(session, args.payload, (login) =>
      login.continue(args.conversationId, payloadOf(args.payload)),
    ),
})

const authenticateRow = documentRow({
  name: 'authenticate',
  access: 'anonymous',
  grain: 'local',
  target: anyValue,
  params: { mechanism: optional(string) },
  ignoresUnknown: true,
  help: 'Login by certificate; not offered.',
  run: ({ args }) => {
    const name = args.mechanism ?? 'MONGODB-CR'
    throw fail('MechanismUnavailable', `Unsupported or disabled authentication mechanism ${name}`)
  },
})

const logoutRow = documentRow({
  name: 'logout',
  access: 'anonymous',
  grain: 'local',
  target: anyValue,
  params: {},
  ignoresUnknown: true,
  help: 'Makes the connection what it was before it signed in.',
  run: ({ session }) => {
    const login = session.conversation
    if (login instanceof Login) {
      login.reset()
      session.identity = login.initial
    }
    return reply()
  },
})

const getNonceRow = documentRow({
  name: 'getnonce',
  access: 'anonymous',
  grain: 'local',
  target: anyValue,
  params: {},
  ignoresUnknown: true,
  help: 'A random number that old drivers ask for; no login uses it.',
  run: ({ services }) => {
    const nonce = Buffer.from(services.random.bytes(nonceBytes)).toString('hex')
    return reply((writer) => writer.string('nonce', nonce))
  },
})

export const handshakeRows: readonly DocumentRow[] = [
  helloRow,
  isMasterRow,
  saslStartRow,
  saslContinueRow,
  authenticateRow,
  logoutRow,
  getNonceRow,
]

/**
 * The reply of a standalone server; `primaryField` is the one that the client's generation reads.
 */
function hello(call: HelloCall, primaryField: 'isWritablePrimary' | 'ismaster'): Document {
  const { args, session } = call
  keepMetadata(session, args.client)
  return reply((writer) => {
    if (args.helloOk !== undefined && isTrue(args.helloOk)) writer.bool('helloOk', true)
    writer.bool(primaryField, true)
    writer.int32('maxBsonObjectSize', documentBytesMax)
    writer.int32('maxMessageSizeBytes', messageBytesMax)
    writer.int32('maxWriteBatchSize', writeBatchMax)
    writer.date('localTime', call.now)
    writer.int32('logicalSessionTimeoutMinutes', sessionIdleMinutes)
    writer.int32('connectionId', session.id)
    writer.int32('minWireVersion', wireVersionMin)
    writer.int32('maxWireVersion', wireVersionMax)
    writer.bool('readOnly', false)
    writeCompression(writer, session, args.compression)
    // The same list for every name: who exists is not told to strangers.
    if (args.saslSupportedMechs !== undefined) {
      writer.openArray('saslSupportedMechs')
      for (const mechanism of saslMechanisms) writer.push(stringValue(mechanism))
      writer.close()
    }
    writeSpeculative(writer, session, args.speculativeAuthenticate)
  })
}

/** The compressors that both ends know, in the client's order; no field where there is none. */
function writeCompression(writer: DocumentWriter, session: Session, offered?: Value): void {
  if (offered?.type !== bsonType.array) return
  const names = elementsOf(offered)
    .filter((item) => item.type === bsonType.string)
    .map(stringOf)
  session.compression = [...new Set(names)].filter((name) => compressorNames.has(name))
  if (session.compression.length === 0) return
  writer.openArray('compression')
  for (const name of session.compression) writer.push(stringValue(name))
  writer.close()
}

/**
 * The first step of a login within hello. Whatever is wrong with it, the field is just left out.
 */
function writeSpeculative(writer: DocumentWriter, session: Session, given?: Value): void {
  const login = session.conversation
  if (given?.type !== bsonType.object || !(login instanceof Login)) return
  const request = documentOf(given)
  const mechanism = field(request, 'mechanism')
  const payload = field(request, 'payload')
  if (mechanism?.type !== bsonType.string || payload === undefined) return
  if (stringOf(mechanism) !== speculativeMechanism) return
  try {
    const step = login.start({
      mechanism: speculativeMechanism,
      payload: payloadOf(payload),
      skipEmptyExchange: skipsEmpty(field(request, 'options')),
    })
    writer.openDocument('speculativeAuthenticate')
    writeStep(writer, step, payload)
    writer.close()
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
  }
}

/** One message of a login, answered; a complete one changes who the session is. */
function answer(session: Session, given: Value, step: (login: Login) => LoginStep): Document {
  const login = session.conversation
  if (!(login instanceof Login)) {
    throw fail('CommandNotSupported', 'SASL belongs to the document wire')
  }
  try {
    const taken = step(login)
    if (taken.identity !== undefined) {
      requireSameUser(session.identity, login.initial, taken.identity)
      session.identity = taken.identity
    }
    return reply((writer) => writeStep(writer, taken, given))
  } catch (error) {
    if (error instanceof GatewayError && error.kind === 'AuthenticationFailed') {
      session.authFailures++
    }
    throw error
  }
}

/** The payload goes back in the type that it came in. */
function writeStep(writer: DocumentWriter, step: LoginStep, given: Value): void {
  writer.int32('conversationId', conversationId).bool('done', step.identity !== undefined)
  if (given.type === bsonType.string) {
    writer.string('payload', Buffer.from(step.payload).toString('base64'))
  } else {
    writer.value('payload', binaryValue(0, step.payload))
  }
}

/** Binary as it is, or base64 in a string. */
function payloadOf(value: Value): Bytes {
  if (value.type === bsonType.binary) return value.payload().subarray(5)
  if (value.type === bsonType.string) return new Uint8Array(Buffer.from(stringOf(value), 'base64'))
  throw fail('TypeMismatch', "BSON field 'payload' must be binData or a base64 string")
}

function skipsEmpty(options: Value | undefined): boolean {
  if (options?.type !== bsonType.object) return false
  const skip = field(documentOf(options), 'skipEmptyExchange')
  return skip !== undefined && isTrue(skip)
}

function keepMetadata(session: Session, client: Value | undefined): void {
  if (client?.type !== bsonType.object || session.clientMetadata !== undefined) return
  // A slice of the message would keep the message.
  if (client.end - client.start <= clientMetadataBytesMax) {
    session.clientMetadata = client.payload().slice()
  }
}

function isTrue(value: Value): boolean {
  return value.type === bsonType.bool && boolOf(value)
}
