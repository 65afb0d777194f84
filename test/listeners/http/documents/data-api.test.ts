// The Data API as an application of the hosted service would call it.

import t, { type Test } from 'tap'
import { ask } from '../../../support/http-client.js'
import { startGateway } from '../../../support/live-gateway.js'

type Plain = Record<string, unknown>

async function open(t: Test) {
  const { url, key } = await startGateway(t, { RATE_LIMITS: 'off' })
  const act = (action: string, more: Plain = {}, headers: Record<string, string> = {}) =>
    ask(url, {
      path: `/app/data-abcde/endpoint/data/v1/action/${action}`,
      headers: { 'api-key': key, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ dataSource: 'Cluster0', database: 'shop', collection: 'c', ...more }),
    })
  return { url, key, act }
}

t.test('every action answers as the service did', async (t) => {
  const { act } = await open(t)
  const is = async (action: string, more: Plain, status: number, wanted: Plain) => {
    const { status: given, json } = await act(action, more)
    t.strictSame([given, json], [status, wanted], action)
  }
  await is('findOne', { filter: { a: 1 } }, 200, { document: null })
  await is('insertOne', { document: { _id: 1, a: 1 } }, 201, { insertedId: 1 })
  const documents = [
    { _id: 2, a: 2 },
    { _id: 3, a: 3 },
  ]
  await is('insertMany', { documents }, 201, { insertedIds: [2, 3] })
  await is('findOne', { filter: { a: 2 }, projection: { _id: 0 } }, 200, { document: { a: 2 } })
  const page = { filter: {}, sort: { a: -1 }, limit: 1, skip: 1 }
  await is('find', page, 200, { documents: [{ _id: 2, a: 2 }] })
  const set = { filter: { a: 1 }, update: { $set: { b: 1 } } }
  await is('updateOne', set, 200, { matchedCount: 1, modifiedCount: 1 })
  const all = { filter: {}, update: { $set: { b: 1 } } }
  await is('updateMany', all, 200, { matchedCount: 3, modifiedCount: 2 })
  const upsert = { filter: { _id: 9 }, update: { $set: { b: 1 } }, upsert: true }
  const made = { matchedCount: 0, modifiedCount: 0, upsertedId: 9 }
  await is('updateOne', upsert, 201, made)
  const replace = { filter: { _id: 9 }, replacement: { c: 1 } }
  await is('replaceOne', replace, 200, { matchedCount: 1, modifiedCount: 1 })
  const pipeline = [{ $match: { b: 1 } }, { $count: 'n' }]
  await is('aggregate', { pipeline }, 200, { documents: [{ n: 3 }] })
  await is('deleteOne', { filter: { _id: 9 } }, 200, { deletedCount: 1 })
  await is('deleteMany', { filter: {} }, 200, { deletedCount: 3 })
  const { json } = await act('insertOne', { document: { a: 1 } }, { accept: 'application/ejson' })
  t.match(json.insertedId, { $oid: /^[0-9a-f]{24}$/ })
})

t.test('a find answers 1,000 documents unless told, and as many as asked', async (t) => {
  const { act } = await open(t)
  await act('insertMany', { documents: Array.from({ length: 2_300 }, (_, _id) => ({ _id })) })
  const count = async (more: Plain) => ((await act('find', more)).json.documents as Plain[]).length
  t.equal(await count({}), 1_000)
  t.equal(await count({ limit: 2_200 }), 2_200)
  const all = await act('aggregate', { pipeline: [] })
  t.equal((all.json.documents as Plain[]).length, 2_300)
})

t.test('keys come in the headers of the service, and errors in its form', async (t) => {
  const { url, key, act } = await open(t)
  const path = '/app/x/endpoint/data/beta/action/find'
  const body = JSON.stringify({ database: 'shop', collection: 'c' })
  const type = { 'content-type': 'application/json' }
  const send = (headers: Record<string, string>, at = path) =>
    ask(url, { path: at, body, headers: { ...type, ...headers } })
  t.equal((await send({ apiKey: key })).status, 200)
  t.equal((await send({ 'x-api-key': key })).status, 200)
  t.equal((await send({ authorization: `Bearer ${key}` })).status, 200)
  t.match(await send({}), { status: 401, json: { error: /./, error_code: 'Unauthorized' } })
  t.match(await send({ 'api-key': 'wrong' }), { status: 401 })
  const v2 = path.replace('beta', 'v2')
  t.match(await send({ 'api-key': key }, v2), {
    status: 404,
    json: { error_code: 'CommandNotFound' },
  })
  const refused = { status: 400, json: { error: /./, error_code: /./, ok: undefined } }
  t.match(await act('nonsense'), { status: 404 })
  t.match(await act('toString'), { status: 404 })
  t.match(await act('find', { limit: 50_001 }), refused)
  t.match(await act('find', { filter: { $x: 1 } }), refused)
  t.match(await act('find', { unknown: 1 }), refused)
  t.match(await act('insertOne'), refused)
  t.match(await act('insertMany', { documents: [] }), refused)
  t.match(await act('deleteMany'), refused, 'without a filter nothing is removed')
  t.match(await act('updateOne', { filter: {}, update: { a: 1 } }), refused)
  t.match(await act('replaceOne', { filter: {}, replacement: { $set: { a: 1 } } }), refused)
  t.match(await act('find', { database: 'a/b' }), refused)
  await act('insertOne', { document: { _id: 1 } })
  const again = await act('insertOne', { document: { _id: 1 } })
  t.match(again, { status: 409, json: { error_code: 'DuplicateKey' } })
})
