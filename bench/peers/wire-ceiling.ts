// The ceiling of the document wire: a server that does nothing but our framing. It keeps each
// inserted document in a Map by the bytes of its `_id` and answers `find` by `_id` from there.

import { type AddressInfo, createServer, type Socket } from 'node:net'
import { mapKey } from '../../src/base/bytes/bytes.js'
import { FrameSplitter } from '../../src/protocol/wire/frame-splitter.js'
import { opcode, readHeader } from '../../src/protocol/wire/header.js'
import { encodeOpMsg, parseOpMsg } from '../../src/protocol/wire/op-msg.js'
import { encodeOpReply } from '../../src/protocol/wire/op-query.js'
import { Elements, elementsOf, field } from '../../src/value/elements.js'
import { documentFrom } from '../../src/value/literal.js'
import { type Document, documentOf } from '../../src/value/value.js'
import { DocumentWriter } from '../../src/value/writer.js'

const documents = new Map<string, Document>()
const hello = documentFrom({
  isWritablePrimary: true,
  ismaster: true,
  helloOk: true,
  maxBsonObjectSize: 16_777_216,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
  localTime: new Date(0),
  logicalSessionTimeoutMinutes: 30,
  connectionId: 1,
  minWireVersion: 0,
  maxWireVersion: 21,
  readOnly: false,
  ok: 1,
})
const fine = documentFrom({ ok: 1 })

function answer(body: Document, sequences: ReadonlyMap<string, readonly Document[]>): Document {
  const elements = new Elements(body)
  elements.next()
  switch (elements.name()) {
    case 'find':
      return found(body)
    case 'insert':
      return inserted(body, sequences)
    case 'ping':
    case 'endSessions':
      return fine
    default:
      return hello
  }
}

function found(body: Document): Document {
  const filter = field(body, 'filter')
  const id = filter === undefined ? undefined : field(documentOf(filter), '_id')
  const document = id === undefined ? undefined : documents.get(mapKey(id.payload()))
  const writer = new DocumentWriter()
  writer.openDocument('cursor').openArray('firstBatch')
  if (document !== undefined) writer.pushDocument(document)
  writer.close().int64('id', 0).string('ns', 'main.bench').close()
  return writer.double('ok', 1).finish()
}

function inserted(body: Document, sequences: ReadonlyMap<string, readonly Document[]>): Document {
  const array = field(body, 'documents')
  const given = sequences.get('documents') ?? (array ? elementsOf(array).map(documentOf) : [])
  for (const document of given) {
    const id = field(document, '_id')
    if (id !== undefined) documents.set(mapKey(id.payload()), document.slice())
  }
  return new DocumentWriter().int32('n', given.length).double('ok', 1).finish()
}

function serve(socket: Socket): void {
  socket.setNoDelay(true)
  const splitter = new FrameSplitter(48_000_000)
  let replies = 0
  socket.on('data', (chunk) => {
    splitter.push(chunk)
    for (let message = splitter.next(); message !== undefined; message = splitter.next()) {
      const header = readHeader(message)
      if (header.opcode === opcode.query) {
        socket.write(encodeOpReply(replies++, header.requestId, hello))
        continue
      }
      const { body, sequences, moreToCome } = parseOpMsg(message)
      const reply = answer(body, sequences)
      if (!moreToCome) socket.write(encodeOpMsg(replies++, header.requestId, reply))
    }
  })
  socket.on('error', () => socket.destroy())
}

const server = createServer(serve).listen(0, '127.0.0.1', () => {
  process.send?.((server.address() as AddressInfo).port)
})
process.on('SIGTERM', () => process.exit(0))
