// Converts a MongoDB message to a request of the bus, and a reply to a message: which opcodes are
// answered, with which opcode, and whether the connection survives a malformed message.

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Bytes } from '../../base/bytes/bytes.js'
import { fail, type GatewayError } from '../../base/errors.js'
import { MiB } from '../../base/units.js'
import type { Request } from '../../bus/document/request.js'
import { opcode, readHeader } from '../../protocol/wire/header.js'
import {
  allowsExhaust,
  asksNoReply,
  encodeOpMsg,
  type OpMsg,
  OpMsgParser,
  parseOpMsg,
  type ReplyOptions,
} from '../../protocol/wire/op-msg.js'
import { encodeOpReply, parseOpQuery } from '../../protocol/wire/op-query.js'
import type { Awaitable } from '../../store/store.js'
import { field } from '../../value/elements.js'
import { bsonType, type Document, stringOf } from '../../value/value.js'

/** Bytes of a message that are validated in one tick: about 4 ms. */
const parseStepBytes = 2 * MiB

/** How to answer a message: everything known before it is parsed. */
export interface Envelope {
  readonly requestId: number
  /** Opcode of the request, after decompression. */
  readonly opcode: number
  readonly wantsReply: boolean
  /** The client accepts several replies. */
  readonly allowsMore: boolean
  /** It came as OP_COMPRESSED: the reply may be compressed. */
  readonly isCompressed: boolean
}

export function envelopeOf(message: Bytes, isCompressed: boolean): Envelope {
  const { requestId, opcode: code } = readHeader(message)
  const wantsReply = code !== opcode.message || !asksNoReply(message)
  const allowsMore = wantsReply && code === opcode.message && allowsExhaust(message)
  return { requestId, opcode: code, wantsReply, allowsMore, isCompressed }
}

/** Whether the opcode is supported; others close the connection. */
export function isServed(code: number): boolean {
  return code === opcode.message || code === opcode.query
}

/**
 * The command in a message; throws (or rejects with) codec errors, and Location40571 without `$db`.
 * A large message is parsed in steps, so that other work runs in between.
 */
export function requestOf(message: Bytes, code: number): Awaitable<Request> {
  if (code === opcode.query) {
    if (message.length > parseStepBytes) throw tooLongQuery(message.length)
    return { ...parseOpQuery(message), sequences: noSequences }
  }
  if (message.length > parseStepBytes) return readInSteps(message)
  return commandOf(parseOpMsg(message))
}

/** Only hello comes this way, and it is shorter than one step. */
function tooLongQuery(bytes: number): GatewayError {
  return fail('BSONObjectTooLarge', `OP_QUERY of ${bytes} bytes is longer than ${parseStepBytes}`)
}

async function readInSteps(message: Bytes): Promise<Request> {
  const parser = new OpMsgParser(message)
  while (!parser.step(parseStepBytes)) await nextTurn()
  return commandOf(parser.finish())
}

function commandOf({ body, sequences }: OpMsg): Request {
  const db = field(body, '$db')
  if (db === undefined) throw fail('Location40571', 'OP_MSG requests require a $db argument')
  if (db.type !== bsonType.string) throw fail('TypeMismatch', '$db must be a string')
  return { db: stringOf(db), body, sequences }
}

const noSequences: ReadonlyMap<string, readonly Document[]> = new Map()

/** The reply as a message; an OP_REPLY has no options. */
export function encodeAnswer(
  envelope: Envelope,
  replyId: number,
  document: Document,
  options: ReplyOptions,
): Bytes {
  if (envelope.opcode === opcode.query) return encodeOpReply(replyId, envelope.requestId, document)
  return encodeOpMsg(replyId, envelope.requestId, document, options)
}
