// The times that a router adds to a reply: the store's newest, or the clock's second without a
// change log. Each reply keeps its own.

import { deserialize, Timestamp } from 'bson'
import t from 'tap'
import { ClusterTime, joined } from '../../../src/bus/document/cluster-time.js'
import { documentFrom } from '../../../src/value/literal.js'
import type { Document } from '../../../src/value/value.js'

function timesOf(reply: Document) {
  const { ok, operationTime, $clusterTime } = deserialize(reply, { promoteBuffers: true })
  const { clusterTime, signature } = $clusterTime as Record<string, unknown>
  return { ok, operationTime, clusterTime, signature }
}

const clock = { now: () => 1_700_000_000_999, elapsed: () => 0 }
const signature = { hash: Buffer.alloc(20), keyId: 0 }

t.test('the store’s newest time, and a later reply leaves an earlier one alone', async (t) => {
  let increment = 0xffff_fffe
  const changeTime = () => ({ seconds: 0xf000_0000, increment: increment++ })
  const times = new ClusterTime(clock, { changeTime })
  const replies = [documentFrom({ ok: 1 }), documentFrom({ ok: 1 })].map((reply) =>
    times.addTo(reply),
  )
  for (const [at, reply] of replies.entries()) {
    const time = new Timestamp({ t: 0xf000_0000, i: 0xffff_fffe + at })
    t.same(timesOf(reply), { ok: 1, operationTime: time, clusterTime: time, signature })
  }
})

t.test('the clock’s second, where the store tells none', async (t) => {
  const reply = new ClusterTime(clock, {}).addTo(documentFrom({ ok: 1 }))
  const time = new Timestamp({ t: 1_700_000_000, i: 1 })
  t.same(timesOf(reply), { ok: 1, operationTime: time, clusterTime: time, signature })
})

t.test('a document joined from two, of any size', async (t) => {
  const long = 'x'.repeat(3_000)
  t.same(deserialize(joined(documentFrom({}), documentFrom({}))), {})
  t.same(deserialize(joined(documentFrom({ a: 1 }), documentFrom({ b: 2 }))), { a: 1, b: 2 })
  t.same(deserialize(joined(documentFrom({ long }), documentFrom({ b: 2 }))), { long, b: 2 })
})
