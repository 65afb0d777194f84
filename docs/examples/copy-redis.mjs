// Copies every key of a Redis database to Sigil, with the time that it has left. Values go as DUMP and
// RESTORE write them, so every type that both know is copied to the byte. May run again.
//
//     npm install ioredis
//     FROM=redis://old.example.org:6379 TO=redis://operator:svc_op_…@127.0.0.1:6379 node docs/examples/copy-redis.mjs

import { Redis } from 'ioredis'

const from = new Redis(process.env.FROM)
const to = new Redis(process.env.TO)
const refused = new Map()
let copied = 0

for await (const keys of from.scanBufferStream({ count: 500 })) {
  const reads = from.pipeline()
  for (const key of keys) reads.dumpBuffer(key).pttl(key)
  const found = await reads.exec()
  const writes = to.pipeline()
  const sent = []
  for (const [at, key] of keys.entries()) {
    const [, dump] = found[2 * at]
    const [, left] = found[2 * at + 1]
    // A key that has ended since SCAN has no dump; one without an end has -1.
    if (dump === null) continue
    writes.restore(key, Math.max(0, left), dump, 'REPLACE')
    sent.push(key)
  }
  const answers = sent.length === 0 ? [] : await writes.exec()
  for (const [at, [error]] of answers.entries()) {
    if (error === null) copied++
    else refused.set(sent[at].toString(), error.message)
  }
}

console.log(`${copied} keys copied`)
for (const [key, reason] of refused) console.error(`${key}: ${reason}`)
from.disconnect()
to.disconnect()
process.exitCode = refused.size > 0 ? 1 : 0
