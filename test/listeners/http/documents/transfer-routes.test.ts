// NDJSON in and out: lines cut anywhere, bad ones among good, batches, and streams that break off.

import { request } from 'node:http'
import t, { type Test } from 'tap'
import { LineSplitter } from '../../../../src/listeners/http/core/lines.js'
import { ask, openApi } from '../../../support/http-client.js'
import { startGateway } from '../../../support/live-gateway.js'

type Plain = Record<string, unknown>

async function open(t: Test) {
  const { url, key } = await startGateway(t, { RATE_LIMITS: 'off' })
  const load = (body: string | Buffer, query = '', type = 'application/x-ndjson', name = 'c') =>
    ask(url, {
      ...{ path: `/api/v1/collections/${name}/import${query}`, body },
      headers: { 'x-api-key': key, 'content-type': type },
    })
  const save = (query = '', headers = {}, name = 'c') =>
    ask(url, {
      path: `/api/v1/collections/${name}/export${query}`,
      headers: { 'x-api-key': key, ...headers },
    })
  const api = openApi(url, key)
  const count = async () => (await api.post('c/count', {})).json.count
  return { url, key, load, save, api, count }
}

t.test('a stream is split into the same lines wherever it is cut', (t) => {
  const whole = Buffer.from('{"a":"ä"}\n\n12345678901\nlast')
  const wanted = [
    [1, '{"a":"ä"}'],
    [2, ''],
    [3, undefined],
    [4, 'last'],
  ]
  for (let first = 0; first <= whole.length; first++) {
    for (let second = first; second <= whole.length; second++) {
      const splitter = new LineSplitter(10)
      const lines = []
      for (const [from, to] of [
        [0, first],
        [first, second],
        [second, whole.length],
      ]) {
        lines.push(...splitter.take(whole.subarray(from, to)))
      }
      lines.push(...splitter.rest())
      const texts = lines.map(({ number, bytes }) => [
        number,
        bytes === undefined ? undefined : Buffer.from(bytes).toString(),
      ])
      t.strictSame(texts, wanted, `cut at ${first} and ${second}`)
    }
  }
  t.end()
})

t.test('what is exported is imported again with its types', async (t) => {
  const { load, save, api } = await open(t)
  const documents = Array.from({ length: 2_500 }, (_, n) => ({
    _id: n,
    at: { $date: '2026-01-02T03:04:05.006Z' },
    id: { $oid: '65f0c0ffee0123456789abcd' },
    big: { $numberLong: '9223372036854775807' },
  }))
  const text = documents.map((document) => JSON.stringify(document)).join('\n')
  const loaded = await load(text)
  t.match(loaded, { status: 200, json: { ok: 1, insertedCount: 2_500, errors: [] } })
  const saved = await save()
  t.match(saved.headers['content-type'], /^application\/x-ndjson/)
  t.equal(saved.text.split('\n').length, 2_501, 'the last line ends too')
  t.strictSame(JSON.parse(saved.text.split('\n')[7] ?? ''), documents[7])
  t.equal((await load(saved.text, '', 'application/jsonl', 'd')).json.insertedCount, 2_500)
  t.equal((await save('', {}, 'd')).text, saved.text)
  const typed = await api.post('d/count', { filter: { at: { $type: 'date' }, id: { $type: 7 } } })
  t.equal(typed.json.count, 2_500)
  const some = await save(`?filter=${encodeURIComponent('{"_id":{"$lt":2}}')}`, {
    accept: 'application/ejson',
  })
  t.match(some.text, /^\{"_id":\{"\$numberInt":"0"\}.*\n\{"_id":\{"\$numberInt":"1"\}.*\n$/)
  t.match(await save('', {}, 'none'), { status: 200, text: '' })
})

t.test('ordered, an import ends with the first bad line; unordered it goes on', async (t) => {
  const { load, count, api } = await open(t)
  const body = '{"_id":1}\n\r\n{"_id":1}\nnonsense\n{"_id":2}\n[1]\n{"_id":3}'
  const ordered = await load(body)
  t.match(ordered, { status: 200, json: { ok: 1, insertedCount: 1, errorCount: 1 } })
  t.match(ordered.json.errors, [{ line: 3, code: 11000, codeName: 'DuplicateKey' }])
  t.equal(await count(), 1)
  await api.post('c/deleteMany', { filter: {} })
  const unordered = await load(body, '?ordered=false')
  t.match(unordered.json, { insertedCount: 3, errorCount: 3 })
  const lines = (unordered.json.errors as Plain[]).map(({ line }) => line)
  t.strictSame(lines, [3, 4, 6], 'in the order of the lines')
  const many = await load('x\n'.repeat(250), '?ordered=false')
  t.match(many.json, { insertedCount: 0, errorCount: 250 })
  t.equal((many.json.errors as Plain[]).length, 100)
  const mixed = await load('{"_id":1}\nx\n'.repeat(2_000), '?ordered=false')
  t.match(mixed.json, { insertedCount: 0, errorCount: 4_000 })
  const told = (mixed.json.errors as Plain[]).map(({ line }) => line)
  t.strictSame(
    told,
    Array.from({ length: 100 }, (_, at) => at + 1),
    'the first hundred of several batches',
  )
})

t.test('mode=upsert replaces what is there', async (t) => {
  const { load, api } = await open(t)
  await api.post('c/insertMany', {
    documents: [
      { _id: 1, a: 1 },
      { _id: 2, a: 2 },
    ],
  })
  const body = '{"_id":1,"b":1}\n{"_id":2,"a":2}\n{"_id":3}\n{"n":1}\n{"$set":{"a":1}}\n'
  const { json } = await load(body, '?mode=upsert&ordered=false')
  t.match(json, { insertedCount: 2, matchedCount: 2, modifiedCount: 1, errorCount: 1 })
  t.match(json.errors, [{ line: 5, code: 2 }])
  t.strictSame((await api.post('c/findOne', { filter: { _id: 1 } })).json.document, {
    _id: 1,
    b: 1,
  })
})

t.test('bad requests are refused', async (t) => {
  const { load, save, url, key } = await open(t)
  t.equal((await load('{}', '', 'text/plain')).status, 415)
  t.equal((await load('{}', '?mode=replace')).status, 400)
  t.equal((await load('{}', '?ordered=1')).status, 400)
  t.equal((await load('{}', '', 'application/x-ndjson', '$bad')).status, 400)
  t.match((await load('')).json, { insertedCount: 0 })
  t.equal((await save('?filter=x')).status, 400)
  const head = { method: 'HEAD', path: '/api/v1/collections/c/export' }
  t.equal((await ask(url, { ...head, headers: { 'x-api-key': key } })).status, 405)
  const long = await load(
    `{"_id":1}\n{"t":"${'x'.repeat(17_000_000)}"}\n{"_id":2}`,
    '?ordered=false',
  )
  t.match(long.json, { insertedCount: 2, errors: [{ line: 2, code: 10334 }] })
})

t.test('a client that breaks off leaves the server as it was', async (t) => {
  const { url, key, load } = await open(t)
  const { hostname, port } = new URL(url)
  const path = '/api/v1/collections/c/import'
  const headers = { 'x-api-key': key, 'content-type': 'application/x-ndjson' }
  const sent = request({ hostname, port, path, headers, method: 'POST', agent: false })
  const broken = new Promise((resolve) => sent.once('error', resolve))
  const lines = Array.from({ length: 3_000 }, (_, n) => `{"_id":${n}}\n`).join('')
  await new Promise((resolve) => sent.write(lines, resolve))
  sent.destroy()
  await broken
  t.equal((await load('{"_id":"after"}')).json.insertedCount, 1)
  const get = request({
    hostname,
    port,
    path: path.replace('import', 'export'),
    headers,
    agent: false,
  })
  const closed = new Promise((resolve) => get.once('close', resolve))
  get.once('response', (response) => response.destroy()).end()
  await closed
  t.equal((await load('{"_id":"again"}')).json.insertedCount, 1)
})
