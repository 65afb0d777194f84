// The start of a connection: hello, its older form, and sign-in. Drivers send hello first on every
// socket, often with a login step and with fields that are newer than this server. Parsing is
// therefore lenient, and hello never fails because of its login.

import { fail } from '../../../base/errors.js'
import {
  clientMetadataBytesMax,
  documentBytesMax,
  messageBytesMax,
  sessionIdleMinutes,
  writeBatchMax,
} from '../../../base/limits/documents.js'
import { wireVersionMax, wireVersionMin } from '../../../base/product.js'
import type { Call } from '../../../bus/document/call.js'
import { anyValue, optional } from '../../../bus/document/params.js'
import { reply } from '../../../bus/document/reply.js'
import { type DocumentRow, documentRow } from '../../../bus/document/row.js'
import type { Args } from '../../../bus/document/schema.js'
import { plain } from '../../../bus/policy/facts.js'
import type { Session } from '../../../bus/session.js'
import { type LoginStep, saslMechanisms } from '../../../identity/sign-in/login.js'
import type { Awaitable } from '../../../store/store.js'
import { elementsOf } from '../../../value/elements.js'
import {
  boolOf,
  bsonType,
  type Document,
  stringOf,
  stringValue,
  type Value,
} from '../../../value/value.js'
import type { DocumentWriter } from '../../../value/writer.js'
import { bareRow } from '../arguments.js'
import { payloadField, saslRows, speculate, writeStep } from './sasl.js'
import {
  awaitHello,
  continueHello,
  helloWaitMs,
  topologyParams,
  writeTopology,
} from './topology.js'

/** The compressors that Sigil supports. */
const compressorNames = new Set(['zlib'])
const nonceBytes = 8

const helloParams = {
  helloOk: optional(anyValue),
  client: optional(anyValue),
  compression: optional(anyValue),
  saslSupportedMechs: optional(anyValue),
  speculativeAuthenticate: optional(anyValue),
  ...topologyParams,
} as const

type HelloCall = Call<Args<typeof helloParams>, Value>

const helloRow = documentRow({
  name: 'hello',
  ...plain,
  access: 'anonymous',
  grain: 'task',
  stable: true,
  target: anyValue,
  params: helloParams,
  ignoresUnknown: true,
  secrets: ['speculativeAuthenticate'],
  help: 'Describes the server and its protocol, and may start a login.',
  run: (call) => hello(call, 'isWritablePrimary'),
})

const isMasterRow = documentRow({
  name: 'isMaster',
  ...plain,
  aliases: ['ismaster'],
  access: 'anonymous',
  grain: 'task',
  target: anyValue,
  params: helloParams,
  ignoresUnknown: true,
  secrets: ['speculativeAuthenticate'],
  help: 'The older name of hello, with which drivers still open connections.',
  run: (call) => hello(call, 'ismaster'),
})

const getNonceRow = bareRow({
  name: 'getnonce',
  access: 'anonymous',
  ignoresUnknown: true,
  help: 'Returns a random number for old drivers. No login uses it.',
  run: ({ services }) => {
    const nonce = Buffer.from(services.random.bytes(nonceBytes)).toString('hex')
    return reply((writer) => writer.string('nonce', nonce))
  },
})

export const handshakeRows: readonly DocumentRow[] = [
  helloRow,
  isMasterRow,
  ...saslRows,
  getNonceRow,
]

/**
 * The reply, at once or awaited; `primaryField` is the field that this form of hello reads. Drivers
 * never log in with an awaited hello.
 */
function hello(call: HelloCall, primaryField: PrimaryField): Awaitable<Document> {
  const { args, session } = call
  keepMetadata(session, args.client)
  const ms = helloWaitMs(call)
  if (ms > 0) return awaitHello(call, ms).then(() => helloReply(call, primaryField, undefined))
  const step = speculate(session, args.speculativeAuthenticate)
  return step instanceof Promise
    ? step.then((taken) => helloReply(call, primaryField, taken))
    : helloReply(call, primaryField, step)
}

type PrimaryField = 'isWritablePrimary' | 'ismaster'

function helloReply(
  call: HelloCall,
  primaryField: PrimaryField,
  step: LoginStep | undefined,
): Document {
  const { args, session } = call
  continueHello(call)
  return reply((writer) => {
    if (args.helloOk !== undefined && isTrue(args.helloOk)) writer.bool('helloOk', true)
    writer.bool(primaryField, true)
    writeTopology(writer, call)
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
    // The same list for every name, so that user names cannot be probed.
    if (args.saslSupportedMechs !== undefined) {
      writer.openArray('saslSupportedMechs')
      for (const mechanism of saslMechanisms) writer.push(stringValue(mechanism))
      writer.close()
    }
    const { speculativeAuthenticate: given } = args
    if (given === undefined || step === undefined) return
    writer.openDocument('speculativeAuthenticate')
    writeStep(writer, step, payloadField(given))
    writer.close()
  })
}

/** The compressors that both sides support, in the client's order; no field if there are none. */
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

function keepMetadata(session: Session, client: Value | undefined): void {
  if (client?.type !== bsonType.object) return
  if (session.clientMetadata !== undefined) {
    const text = 'The client metadata document may only be sent in the first hello'
    throw fail('ClientMetadataCannotBeMutated', text)
  }
  // Copied, because a slice would keep the whole message in memory.
  if (client.end - client.start <= clientMetadataBytesMax) {
    session.clientMetadata = client.payload().slice()
  }
}

function isTrue(value: Value): boolean {
  return value.type === bsonType.bool && boolOf(value)
}
