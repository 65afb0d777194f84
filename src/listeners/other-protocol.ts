// Detects a client that speaks another protocol than the port's by its first bytes. It gets one
// line in its own protocol that names the right setting, instead of a hang or a closed socket.

import type { Socket } from 'node:net'
import type { Bytes } from '../base/bytes/bytes.js'
import { fail } from '../base/errors.js'
import { defaultPort } from '../base/settings.js'
import { errorReply } from '../bus/document/reply.js'
import { MessageWriter } from '../protocol/pgwire/message-writer.js'
import { headerBytes, opcode, readHeader } from '../protocol/wire/header.js'
import { encodeAnswer, envelopeOf } from './wire/exchange.js'

const settings = {
  'document wire': 'WIRE_PORT',
  'key-value protocol': 'REDIS_PORT',
  'PostgreSQL protocol': 'SQL_PORT',
  HTTP: 'HTTP_PORT',
} as const

type Spoken = keyof typeof settings

/** Bytes of an HTTP request line that are checked. */
const lineBytesMax = 8_192
const httpLine = /^[A-Z]{3,8} [^\r\n]* HTTP\/[12]/
const keyValueStart = /^(?:\*\d{1,7}\r\n\$|(?:PING|AUTH|HELLO)\b)/i

/**
 * Calls `receive` with all data, unless its start belongs to another protocol: then the client gets
 * an error, and the socket closes.
 */
export function onData(socket: Socket, here: Spoken, receive: (chunk: Buffer) => void): void {
  socket.once('data', (first: Buffer) => {
    const spoken = spokenIn(first)
    if (spoken !== undefined && spoken !== here) {
      tellOther(socket, first, spoken, here)
      return
    }
    socket.on('data', receive)
    receive(first)
  })
}

/** The protocol of the first bytes; undefined if it is unknown. */
export function spokenIn(first: Bytes): Spoken | undefined {
  const text = Buffer.from(first.buffer, first.byteOffset, first.length)
  const line = text.toString('latin1', 0, lineBytesMax)
  if (httpLine.test(line)) return 'HTTP'
  if (keyValueStart.test(line)) return 'key-value protocol'
  if (isStartup(text)) return 'PostgreSQL protocol'
  return isWire(first) ? 'document wire' : undefined
}

/** Answers in the protocol of the first bytes, and closes the socket. */
export function tellOther(socket: Socket, first: Buffer, spoken: Spoken, here: Spoken): void {
  const { [spoken]: name } = settings
  const text =
    `This port of Sigil serves the ${here}, and you speak the ${spoken}: ` +
    `its port is the setting ${name} (${defaultPort(name)} unless set).`
  // psql first requests GSSAPI or TLS: it shows the error that follows the answers.
  if (spoken === 'PostgreSQL protocol' && first.length === startupHeadBytes) {
    socket.write('N')
    socket.once('data', (next: Buffer) => tellOther(socket, next, spoken, here))
    return
  }
  socket.resume()
  socket.end(answerIn(spoken, first, text))
}

function answerIn(spoken: Spoken, first: Buffer, text: string): Bytes | string {
  if (spoken === 'key-value protocol') return `-ERR ${text}\r\n`
  if (spoken === 'document wire') {
    const error = fail('ProtocolError', text)
    return encodeAnswer(envelopeOf(first, false), 1, errorReply(error), {})
  }
  if (spoken === 'PostgreSQL protocol') {
    const writer = new MessageWriter()
    writer.errorResponse({ severity: 'FATAL', sqlState: '08P01', message: text })
    return writer.take()
  }
  const head = `HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8`
  return `${head}\r\nContent-Length: ${text.length + 1}\r\nConnection: close\r\n\r\n${text}\n`
}

const startupHeadBytes = 8
/** Codes of protocol version 3, and of requests for TLS and GSSAPI. */
const startupCodes = new Set([80_877_103, 80_877_104, 196_608, 196_609, 196_610])

function isStartup(first: Buffer): boolean {
  if (first.length < startupHeadBytes) return false
  const length = first.readInt32BE(0)
  return length === first.length && startupCodes.has(first.readInt32BE(4))
}

function isWire(first: Bytes): boolean {
  if (first.length <= headerBytes) return false
  const { length, opcode: code } = readHeader(first)
  const isRequest = code === opcode.message || code === opcode.query
  return isRequest && length > headerBytes && length <= 1 << 16
}
