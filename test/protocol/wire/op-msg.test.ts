// OP_MSG: every legal arrangement of sections, every illegal one with the reference server's code,
// and messages cut short at every byte.

import t from 'tap'
import { bsonDepthMax, commandBytesMax, writeBatchMax } from '../../../src/base/limits/documents.js'
import { opcode, readHeader } from '../../../src/protocol/wire/header.js'
import {
  asksNoReply,
  encodeOpMsg,
  OpMsgParser,
  parseOpMsg,
  replyHeadBytes,
} from '../../../src/protocol/wire/op-msg.js'
import { documentFrom } from '../../../src/value/literal.js'
import { toObject } from '../../support/literal.js'
import { bodySection, command, frame, opMsg, sequenceSection } from '../../support/messages.js'

const insert = { insert: 'c', $db: 'test' }
const first = documentFrom({ _id: 1 })
const second = documentFrom({ _id: 2, name: 'b' })

t.test('a command and its sequences are read in any order', async (t) => {
  const body = bodySection(insert)
  const documents = sequenceSection('documents', [first, second])
  const empty = sequenceSection('updates', [])
  for (const sections of [
    [body, documents, empty],
    [documents, body, empty],
    [documents, empty, body],
  ]) {
    const message = parseOpMsg(opMsg(sections))
    t.same(toObject(message.body), insert)
    t.equal(message.moreToCome, false)
    t.same(message.sequences.get('documents')?.map(toObject), [{ _id: 1 }, { _id: 2, name: 'b' }])
    t.same(message.sequences.get('updates'), [])
  }
})

t.test('moreToCome asks for silence, optional flags for nothing', async (t) => {
  t.equal(parseOpMsg(command(insert, { flags: 2 })).moreToCome, true)
  t.equal(parseOpMsg(command(insert, { flags: 0xffff0000 })).moreToCome, false)
  t.equal(asksNoReply(command(insert, { flags: 2 })), true)
  t.equal(asksNoReply(frame(opcode.message, new Uint8Array(3))), false)
})

t.test('an unknown required flag is 223', async (t) => {
  for (let bit = 2; bit < 16; bit++) {
    t.throws(() => parseOpMsg(command(insert, { flags: 1 << bit })), { code: 223 })
  }
})

t.test('a checksum is verified over header and body', async (t) => {
  const message = opMsg([bodySection(insert)], { checksum: true })
  t.same(toObject(parseOpMsg(message).body), insert)
  for (let at = 0; at < message.length; at++) {
    // The flags say whether there is a checksum at all.
    if (at >= 16 && at < 20) continue
    const changed = message.slice()
    changed[at] = (changed[at] ?? 0) ^ 0x10
    t.throws(() => parseOpMsg(changed), { code: 288 }, `byte ${at}`)
  }
  t.throws(() => parseOpMsg(opMsg([], { flags: 1 })), { code: 288 })
})

t.test('a message cut short anywhere is refused, never read past its end', async (t) => {
  const whole = opMsg([bodySection(insert), sequenceSection('documents', [first, second])])
  for (let length = 16; length < whole.length; length++) {
    const cut = whole.slice(0, length)
    // Right behind the first section stands a whole message.
    if (length === 16 + 4 + bodySection(insert).length) {
      t.same(toObject(parseOpMsg(cut).body), insert)
      continue
    }
    const error = t.throws(() => parseOpMsg(cut))
    t.match(error, { name: 'GatewayError' }, `cut at ${length}`)
  }
})

t.test('sections that contradict each other carry the codes of the reference server', async (t) => {
  const body = bodySection(insert)
  const documents = sequenceSection('documents', [first])
  const wrong: [string, Uint8Array[], number][] = [
    ['no body', [documents], 40587],
    ['two bodies', [body, body], 40430],
    ['one identifier twice', [body, documents, documents], 40431],
    ['identifier also a field', [bodySection({ ...insert, documents: [] }), documents], 40433],
    ['unknown kind', [body, Uint8Array.of(2)], 40432],
    ['three sequences', [body, ...['a', 'b', 'c'].map((n) => sequenceSection(n, []))], 233],
  ]
  for (const [name, sections, code] of wrong) {
    t.throws(() => parseOpMsg(opMsg(sections)), { code }, name)
  }
})

t.test('lengths that lie are InvalidBSON', async (t) => {
  const sequence = Buffer.from(sequenceSection('documents', [first]))
  for (const size of [-1, 0, 4, 5, sequence.length, 0x7fffffff]) {
    const lying = Buffer.from(sequence)
    lying.writeInt32LE(size, 1)
    t.throws(() => parseOpMsg(opMsg([bodySection(insert), lying])), { code: 22 }, `size ${size}`)
  }
  for (const size of [-1, 0, 4, first.length - 1, first.length + 1]) {
    const lying = Buffer.from(first)
    lying.writeInt32LE(size, 0)
    const sections = [bodySection(insert), sequenceSection('documents', [lying])]
    t.throws(() => parseOpMsg(opMsg(sections)), { code: 22 }, `document ${size}`)
  }
  const large = Buffer.from(first)
  large.writeInt32LE(commandBytesMax + 1, 0)
  t.throws(() => parseOpMsg(opMsg([Buffer.concat([Uint8Array.of(0), large])])), { code: 10334 })
})

t.test('every document is validated, in body and sequences', async (t) => {
  const bad = Buffer.from(documentFrom({ a: true }))
  bad[bad.length - 2] = 7
  const head = Uint8Array.of(0)
  t.throws(() => parseOpMsg(opMsg([Buffer.concat([head, bad])])), { code: 22 })
  const sections = [bodySection(insert), sequenceSection('documents', [first, bad])]
  t.throws(() => parseOpMsg(opMsg(sections)), { code: 22 })
  let deep: Record<string, unknown> = {}
  for (let level = 0; level < bsonDepthMax; level++) deep = { a: deep }
  t.throws(() => parseOpMsg(command(deep)), { code: 15 })
})

t.test('a sequence is not longer than a write batch', async (t) => {
  const empty = documentFrom({})
  const fitting = new Array<Uint8Array>(writeBatchMax).fill(empty)
  const parsed = parseOpMsg(opMsg([bodySection(insert), sequenceSection('documents', fitting)]))
  t.equal(parsed.sequences.get('documents')?.length, writeBatchMax)
  const over = opMsg([bodySection(insert), sequenceSection('documents', [...fitting, empty])])
  t.throws(() => parseOpMsg(over), { code: 16 })
})

t.test('steps of any size read the same', async (t) => {
  const documents = sequenceSection('documents', [first, second, first])
  const message = opMsg([documents, bodySection(insert), sequenceSection('updates', [])])
  const whole = parseOpMsg(message)
  for (let bytes = 1; bytes <= message.length; bytes++) {
    const parser = new OpMsgParser(message)
    let steps = 1
    while (!parser.step(bytes)) steps++
    if (bytes === 1) t.ok(steps > 5)
    t.same(parser.finish(), whole)
  }
  const early = new OpMsgParser(message)
  early.step(1)
  t.throws(() => early.finish(), { code: 40587 })
})

t.test('a reply is one body section that answers its request', async (t) => {
  const document = documentFrom({ ok: 1 })
  const message = new Uint8Array(encodeOpMsg(7, 42, document))
  t.same(readHeader(message), {
    length: message.length,
    requestId: 7,
    responseTo: 42,
    opcode: opcode.message,
  })
  t.same(parseOpMsg(message).body, document)
  const head = encodeOpMsg(7, 42, document, { headOnly: true })
  t.equal(head.length, replyHeadBytes)
  t.same(Buffer.concat([head, document]), Buffer.from(message))
})
