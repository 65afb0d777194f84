// Texts that are no UTF-8, as old applications stored them: they come back as their bytes, are found
// and ordered by them, and are shown with U+FFFD where a text is computed of them.

import pg from 'pg'
import t, { type Test } from 'tap'
import { ask } from '../support/http-client.js'
import { startGateway } from '../support/live-gateway.js'
import { command } from '../support/messages.js'
import { replyOf, WireClient, withoutTimes } from '../support/wire-client.js'

type Fields = Readonly<Record<string, unknown>>

/** Each `?1` becomes E9 and each `?2` FF, behind an ASCII letter that keeps the length. */
function latin(message: Uint8Array): Uint8Array {
  const bytes = Buffer.from(message)
  for (const [mark, byte] of [
    ['?1', 0xe9],
    ['?2', 0xff],
  ] as const) {
    for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark)) {
      bytes[at] = 0x78
      bytes[at + 1] = byte
    }
  }
  return bytes
}

async function open(t: Test) {
  const gateway = await startGateway(t, { AUTH_MODE: 'off' })
  const client = await WireClient.open(gateway.ports.wire ?? 0)
  t.teardown(() => client.socket.destroy())
  const raw = async (fields: Fields): Promise<Buffer> => {
    client.send(latin(command({ ...fields, $db: 'main' })))
    const frame = await client.next()
    if (frame === undefined) throw new Error('the connection was closed')
    return Buffer.from(frame)
  }
  const run = async (fields: Fields) => withoutTimes(replyOf(await raw(fields)))
  return { gateway, raw, run }
}

const documents = [
  { _id: 1, s: 'caf?1', a: ['?1', '?2'], in: { s: '?2' } },
  { _id: 2, s: 'caf?2' },
  { _id: 3, s: 'cafe' },
  { _id: 'key?1', s: 'caf?1' },
]

t.test('malformed texts come back as their bytes, and are compared by them', async (t) => {
  const { raw, run } = await open(t)
  t.same(await run({ insert: 'c', documents }), { n: 4, ok: 1 })
  t.match(await run({ createIndexes: 'c', indexes: [{ name: 's', key: { s: 1 } }] }), { ok: 1 })
  const e9 = Buffer.from('cafx\xe9\0', 'latin1')
  const ff = Buffer.from('cafx\xff\0', 'latin1')
  for (const hint of ['s', '_id_']) {
    const found = await raw({ find: 'c', filter: { s: 'caf?1' }, hint })
    t.ok(found.includes(e9), hint)
    t.notOk(found.includes(ff), 'another malformed text is not the same')
    const sorted = await raw({ find: 'c', sort: { s: 1 }, projection: { s: 1 }, hint })
    t.ok(sorted.indexOf('cafe') < sorted.indexOf(e9) && sorted.indexOf(e9) < sorted.indexOf(ff))
  }
  t.ok(
    (await raw({ find: 'c', filter: { _id: 'key?1' } })).includes(
      Buffer.from('keyx\xe9', 'latin1'),
    ),
  )
  const update = { q: { s: 'caf?1' }, u: { $set: { n: 1 }, $push: { a: 5 } }, multi: true }
  t.match(await run({ update: 'c', updates: [update] }), { n: 2, nModified: 2 })
  const group = { _id: '$s', n: { $sum: 1 } }
  const grouped = await raw({ aggregate: 'c', pipeline: [{ $group: group }], cursor: {} })
  t.ok(grouped.includes(e9) && grouped.includes(ff))
  const distinct = await raw({ distinct: 'c', key: 's' })
  t.ok(distinct.includes(e9) && distinct.includes(ff))
  t.match(await run({ validate: 'c' }), { valid: true })
  t.match(await run({ delete: 'c', deletes: [{ q: { s: 'caf?2' }, limit: 0 }] }), { n: 1 })
})

t.test('names of fields and collections are UTF-8', async (t) => {
  const { run } = await open(t)
  t.match(await run({ insert: 'c', documents: [{ 'f?1': 1 }] }), { ok: 0, code: 22 })
  t.match(await run({ insert: 'c?1', documents: [{ _id: 1 }] }), { ok: 0, code: 73 })
  t.match(await run({ ping: 1 }), { ok: 1 }, 'the connection stays')
})

t.test('computed texts have U+FFFD, on every protocol', async (t) => {
  const { gateway, run } = await open(t)
  await run({ insert: 'c', documents })
  const pipeline = [{ $match: { _id: 1 } }, { $project: { s: { $toUpper: '$s' } } }]
  const reply = await run({ aggregate: 'c', pipeline, cursor: {} })
  t.match(reply, { cursor: { firstBatch: [{ s: 'CAFX\ufffd' }] } })
  const body = JSON.stringify({ filter: { _id: 1 } })
  const path = '/api/v1/collections/c/find'
  const headers = { 'content-type': 'application/json' }
  const found = await ask(gateway.url, { method: 'POST', path, headers, body })
  t.equal(found.status, 200)
  t.ok(found.text.includes('cafx\ufffd'))
  const sql = new pg.Client({
    connectionString: `postgres://x:x@127.0.0.1:${gateway.ports.sql}/main`,
  })
  await sql.connect()
  const { rows } = await sql.query('SELECT s FROM c WHERE _id = 1')
  t.same(rows, [{ s: 'cafx\ufffd' }])
  await sql.end()
})

t.test('a key has no malformed text for a name', async (t) => {
  const { run } = await open(t)
  const key = { _id: 'k?1', type: 'string', value: 'v' }
  t.match(await run({ insert: 'kv0', documents: [key] }), { writeErrors: [{ code: 121 }] })
  const value = { _id: 'k', type: 'string', value: 'v?1' }
  t.match(await run({ insert: 'kv0', documents: [value] }), { n: 1 })
})
