// OP_QUERY and OP_REPLY, the rest of the old protocol. Drivers open every connection with
// `<db>.$cmd` isMaster in an OP_QUERY, before they know the server's version. Any other OP_QUERY is
// refused (352).

import { type Bytes, textOf, utf8 } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import { namespaceBytesMax } from '../../base/limits/documents.js'
import { Elements } from '../../value/elements.js'
import { bsonType, type Document } from '../../value/value.js'
import { headerBytes, opcode, writeHeader } from './header.js'
import { documentAt } from './op-msg.js'

const helloNames = new Set(['hello', 'isMaster', 'ismaster'])
const commandSuffix = '.$cmd'
const wrapper = utf8('$query')
/** Body of OP_REPLY before its document: flags, cursor id, starting from, number returned. */
const replyPrefixBytes = headerBytes + 20
const awaitCapable = 8

interface OpQuery {
  readonly db: string
  /** The command, without its `$query` wrapper. */
  readonly body: Document
}

/** Parses a whole message. Throws InvalidBSON, BSONObjectTooLarge, UnsupportedOpQueryCommand. */
export function parseOpQuery(message: Bytes): OpQuery {
  const nameStart = headerBytes + 4
  const nameEnd = message.indexOf(0, nameStart)
  if (nameEnd < 0 || nameEnd - nameStart > namespaceBytesMax) {
    throw fail('InvalidBSON', 'OP_QUERY without a collection name')
  }
  const name = textOf(message, nameStart, nameEnd)
  const query = documentAt(message, nameEnd + 9, message.length)
  const queryEnd = nameEnd + 9 + query.length
  if (queryEnd < message.length) {
    const projection = documentAt(message, queryEnd, message.length)
    if (queryEnd + projection.length < message.length) {
      throw fail('InvalidBSON', 'bytes after the last document of OP_QUERY')
    }
  }
  if (!name.endsWith(commandSuffix)) throw unsupported('find')
  const body = unwrap(query)
  const command = firstName(body)
  if (!helloNames.has(command)) throw unsupported(command)
  return { db: name.slice(0, -commandSuffix.length), body }
}

/** The reply to an OP_QUERY: OP_REPLY with one document. */
export function encodeOpReply(requestId: number, responseTo: number, document: Document): Bytes {
  const length = replyPrefixBytes + document.length
  const message = Buffer.alloc(replyPrefixBytes, 0)
  writeHeader(message, { length, requestId, responseTo, opcode: opcode.reply })
  message.writeInt32LE(awaitCapable, headerBytes)
  message.writeInt32LE(1, headerBytes + 16)
  return Buffer.concat([message, document], length)
}

function unsupported(command: string) {
  const text = `Unsupported OP_QUERY command: ${command}. The client driver may require an upgrade.`
  return fail('UnsupportedOpQueryCommand', text)
}

/** `{$query: {…}, $readPreference: {…}}` contains the command. */
function unwrap(query: Document): Document {
  const elements = new Elements(query)
  if (!elements.next() || elements.type !== bsonType.object) return query
  return elements.nameIs(wrapper) ? elements.value().payload() : query
}

function firstName(body: Document): string {
  const elements = new Elements(body)
  return elements.next() ? elements.name() : ''
}
