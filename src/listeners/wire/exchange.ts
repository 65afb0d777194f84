// One message of the document wire as a request of the bus, and the answer as a message: which
// opcode asks, which one answers, and whether the connection survives a message that is malformed.

import type { Bytes } from '../../base/bytes/bytes.js'
import { fail, type GatewayError } from '../../base/errors.js'
import { MiB } from '../../base/units.js'
import type { Request } from '../../bus/document/request.js'
import { opcode, readHeader } from '../../protocol/wire/header.js'
import {
  asksNoReply,
  encodeOpMsg,
  type OpMsg,
  OpMsgParser,
  parseOpMsg,
} from '../../protocol/wire/op-msg.js'
import { encodeOpReply, parseOpQuery } from '../../protocol/wire/op-query.js'
import type { Awaitable } from '../../store/store.js'
import { field } from '../../value/elements.js'
import { bsonType, type Document, stringOf } from '../../value/value.js'

/** Bytes of a message that are validated in one tick: some 4 ms. */
const parseStepBytes = 2 * MiB

/** How to answer a message: everything that is known of it before it is parsed. */
export interface Envelope {
  readonly requestId: number
  /** Opcode of the request, unpacked. */
  readonly opcode: number
  readonly wantsReply: boolean
  /** It came as OP_COMPRESSED: the answer may go so. */
  readonly isCompressed: boolean
}

export function envelopeOf(message: Bytes, isCompressed: boolean): Envelope {
  const { requestId, opcode: code } = readHeader(message)
  const wantsReply = code !== opcode.message || !asksNoReply(message)
  return { requestId, opcode: code, wantsReply, isCompressed }
}

/** Whether the opcode is one that is answered; the others close the connection. */
export function isServed(code: number): boolean {
  return code === opcode.message || code === opcode.query
}

/**
 * The command in a message; throws (or rejects with) what its codec throws, and Location40571
 * without `$db`. A large message is read in steps, between which others have their turn.
 */
export function requestOf(message: Bytes, code: number): Awaitable<Request> {
  if (code === opcode.query) {
    if (message.length > parseStepBytes) throw tooLongQuery(message.length)
    return { ...parseOpQuery(message), sequences: noSequences }
  }
  if (message.length > parseStepBytes) return readInSteps(message)
  return commandOf(parseOpMsg(message))
}

/** Nothing but hello comes that way: what is longer than one step is none. */
function tooLongQuery(bytes: number): GatewayError {
  return fail('BSONObjectTooLarge', `OP_QUERY of ${bytes} bytes is longer than ${parseStepBytes}`)
}

async function readInSteps(message: Bytes): Promise<Request> {
  const parser = new OpMsgParser(message)
  while (!parser.step(parseStepBytes)) await nextTurn()
  return commandOf(parser.finish())
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function commandOf({ body, sequences }: OpMsg): Request {
  const db = field(body, '$db')
  if (db === undefined) throw fail('Location40571', 'OP_MSG requests require a $db argument')
  if (db.type !== bsonType.string) throw fail('TypeMismatch', '$db must be a string')
  return { db: stringOf(db), body, sequences }
}

const noSequences: ReadonlyMap<string, readonly Document[]> = new Map()

/** The reply as a message; `headOnly` as encodeOpMsg has it, never for OP_REPLY. */
export function encodeAnswer(
  envelope: Envelope,
  replyId: number,
  document: Document,
  headOnly: boolean,
): Bytes {
  if (envelope.opcode === opcode.query) return encodeOpReply(replyId, envelope.requestId, document)
  return encodeOpMsg(replyId, envelope.requestId, document, headOnly)
}

const fatal = new Set<string>([
  'IllegalOpMsgFlag',
  'TooManyDocumentSequences',
  'ChecksumMismatch',
  'ProtocolError',
  'Location40432',
])

/**
 * After these the client's and our idea of the message differ: answered, then closed. What is only
 * a bad document leaves the bounds of messages intact, and the connection open.
 */
export function isFatal(error: GatewayError): boolean {
  return fatal.has(error.kind)
}
