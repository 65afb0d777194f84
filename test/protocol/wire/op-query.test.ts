// OP_QUERY and OP_REPLY: the first breath of nearly every connection, and of nothing else.

import t from 'tap'
import { readHeader } from '../../../src/protocol/wire/header.js'
import { encodeOpReply, parseOpQuery } from '../../../src/protocol/wire/op-query.js'
import { documentFrom } from '../../../src/value/literal.js'
import { toObject } from '../../support/literal.js'
import { frame, opQuery } from '../../support/messages.js'

t.test('hello is taken by each of its names, wrapped or not', async (t) => {
  for (const name of ['hello', 'isMaster', 'ismaster']) {
    const plain = parseOpQuery(opQuery('admin.$cmd', { [name]: 1, helloOk: true }))
    t.equal(plain.db, 'admin')
    t.same(toObject(plain.body), { [name]: 1, helloOk: true })
    const wrapped = { $query: { [name]: 1 }, $readPreference: { mode: 'primary' } }
    t.same(toObject(parseOpQuery(opQuery('other.$cmd', wrapped)).body), { [name]: 1 })
  }
})

t.test('everything else is 352', async (t) => {
  const queries: [string, Record<string, unknown>][] = [
    ['test.c', { a: 1 }],
    ['test.$cmd', { find: 'c' }],
    ['test.$cmd', {}],
    ['test.$cmd', { $query: 1 }],
    ['test.$cmd', { $query: { ping: 1 } }],
    ['hello', { hello: 1 }],
  ]
  for (const [collection, fields] of queries) {
    t.throws(() => parseOpQuery(opQuery(collection, fields)), { code: 352 })
  }
})

t.test('a query cut short anywhere is refused', async (t) => {
  const whole = opQuery('admin.$cmd', { hello: 1 })
  for (let length = 16; length < whole.length; length++) {
    t.throws(() => parseOpQuery(whole.slice(0, length)), { code: 22 }, `cut at ${length}`)
  }
})

t.test('a projection may follow, and nothing after it', async (t) => {
  const head = opQuery('admin.$cmd', { hello: 1 }).slice(16)
  const projection = documentFrom({ a: 1 })
  const withProjection = frame(2004, Buffer.concat([head, projection]))
  t.same(toObject(parseOpQuery(withProjection).body), { hello: 1 })
  const more = frame(2004, Buffer.concat([head, projection, Uint8Array.of(1)]))
  t.throws(() => parseOpQuery(more), { code: 22 })
})

t.test('OP_REPLY has the prefix that drivers read', async (t) => {
  const document = documentFrom({ ismaster: true, ok: 1 })
  const reply = Buffer.from(encodeOpReply(3, 9, document))
  t.same(readHeader(reply), { length: reply.length, requestId: 3, responseTo: 9, opcode: 1 })
  t.equal(reply.readInt32LE(16), 8)
  t.equal(reply.readBigInt64LE(20), 0n)
  t.equal(reply.readInt32LE(28), 0)
  t.equal(reply.readInt32LE(32), 1)
  t.same(new Uint8Array(reply.subarray(36)), document)
})
