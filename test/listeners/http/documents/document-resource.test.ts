// Single documents at addresses of their own, under the conditions of HTTP: as curl would, with bad
// input too.

import t, { type Test } from 'tap'
import { ask, type HttpAnswer, openApi } from '../../../support/http-client.js'
import { startGateway } from '../../../support/live-gateway.js'
import { runs } from '../../../support/runs.js'

type Headers = Record<string, string>
type Send = (method: string, id: string, body?: unknown, headers?: Headers) => Promise<HttpAnswer>

const oid = '65f0c0ffee0123456789abcd'
const merge = { 'content-type': 'application/merge-patch+json' }

async function open(t: Test) {
  const { url, key } = await startGateway(t, { RATE_LIMITS: 'off' })
  const send: Send = (method, id, body, headers = {}) => {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    return ask(url, {
      ...{ method, path: `/api/v1/collections/c/docs/${id}` },
      headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
      ...(text === undefined ? {} : { body: text }),
    })
  }
  return { url, key, send, api: openApi(url, key) }
}

t.test('PUT creates and replaces, GET reads, DELETE removes', async (t) => {
  const { send } = await open(t)
  t.match(await send('GET', 'ada'), { status: 404, json: { code: 47, ok: 0 } })
  const made = await send('PUT', 'ada', { n: 1, gone: true })
  t.match(made, { status: 201, headers: { location: '/api/v1/collections/c/docs/ada' } })
  t.strictSame(made.json, { _id: 'ada', n: 1, gone: true })
  const again = await send('PUT', 'ada', { _id: 'ada', n: 2 })
  t.equal(again.status, 200)
  t.notOk(again.headers.location)
  t.strictSame(again.json, { _id: 'ada', n: 2 })
  const read = await send('GET', 'ada')
  t.match(read, { status: 200, headers: { etag: again.headers.etag, vary: 'Accept' } })
  t.strictSame(read.json, again.json)
  t.match(await send('HEAD', 'ada'), { status: 200, text: '' })
  t.match(await send('DELETE', 'ada'), { status: 200, json: { deletedCount: 1, ok: 1 } })
  t.match(await send('DELETE', 'ada'), { status: 404, json: { code: 47 } })
  t.match(await send('POST', 'ada', {}), {
    status: 405,
    headers: { allow: 'GET, PUT, PATCH, DELETE' },
  })
})

t.test('a tag names the bytes in one representation; a known one is not sent again', async (t) => {
  const { send } = await open(t)
  await send('PUT', 'a', { n: 1 })
  const { etag = '' } = (await send('GET', 'a')).headers as Headers
  t.match(etag, /^"[\w-]{43}"$/)
  for (const known of [etag, `"x", ${etag}`, `"x,y",${etag}`, `W/${etag}`, '*']) {
    const answer = await send('GET', 'a', undefined, { 'if-none-match': known })
    t.match(answer, { status: 304, text: '', headers: { etag } }, known)
  }
  const ejson = await send('GET', 'a', undefined, {
    ...{ accept: 'application/ejson', 'if-none-match': etag },
  })
  t.equal(ejson.status, 200, 'another representation is not known')
  t.match(ejson.headers, { 'content-type': /^application\/ejson/, etag: /\.c"$/ })
  const changed = await send('PUT', 'a', { n: 2 })
  t.not(changed.headers.etag, etag)
  t.match(await send('GET', 'a', undefined, { 'if-none-match': etag }), { status: 200 })
  t.match(await send('GET', 'a', undefined, { 'if-match': etag }), { status: 412 })
  const back = await send('PUT', 'a', { n: 1 })
  t.equal(back.headers.etag, etag, 'the same bytes have the same tag')
})

t.test('If-Match: an old tag changes nothing', async (t) => {
  const { send } = await open(t)
  const { etag = '' } = (await send('PUT', 'a', { n: 1 })).headers as Headers
  const failed = { status: 412, json: { ok: 0, code: 112, codeName: 'WriteConflict' } }
  for (const old of ['"old"', `W/${etag}`]) {
    const condition = { 'if-match': old }
    t.match(await send('PUT', 'a', { n: 2 }, condition), failed, `PUT ${old}`)
    t.match(await send('PATCH', 'a', { $set: { n: 2 } }, condition), failed, `PATCH ${old}`)
    t.match(await send('DELETE', 'a', undefined, condition), failed, `DELETE ${old}`)
  }
  t.equal((await send('GET', 'a')).headers.etag, etag, 'nothing has changed')
  const condition = { 'if-match': `"old", ${etag}` }
  const changed = await send('PATCH', 'a', { $inc: { n: 5 } }, condition)
  t.match(changed, { status: 200, json: { n: 6 } })
  t.match(await send('PATCH', 'a', { $inc: { n: 5 } }, condition), failed, 'the tag is used up')
  const canonical = await send('GET', 'a', undefined, { accept: 'application/ejson' })
  const tag = { 'if-match': String(canonical.headers.etag) }
  t.match(await send('DELETE', 'a', undefined, tag), { status: 200 }, 'a tag read as EJSON')
  for (const any of ['*', etag]) {
    t.match(await send('PUT', 'a', { n: 1 }, { 'if-match': any }), failed, 'nothing is created')
    t.match(await send('DELETE', 'a', undefined, { 'if-match': any }), failed)
    t.match(await send('PATCH', 'a', { $set: { n: 1 } }, { 'if-match': any }), failed)
  }
})

t.test('If-None-Match: * creates once, whichever of two ids the path means', async (t) => {
  const { send, api } = await open(t)
  const once = { 'if-none-match': '*' }
  t.equal((await send('PUT', 'a', { n: 1 }, once)).status, 201)
  t.match(await send('PUT', 'a', { n: 2 }, once), { status: 412, json: { code: 112 } })
  t.strictSame((await send('GET', 'a')).json, { _id: 'a', n: 1 })
  await api.post('c/insertOne', { document: { _id: { $oid: oid }, n: 1 } })
  t.match(await send('PUT', oid, { n: 2 }, once), { status: 412 })
  t.match((await send('GET', oid)).json, { _id: oid, n: 1 })
})

t.test('of many that hold one tag, one changes the document', async (t) => {
  const { send } = await open(t)
  let { etag = '' } = (await send('PUT', 'a', { n: 0 })).headers as Headers
  for (let round = 1; round <= runs(50); round++) {
    const condition = { 'if-match': etag }
    const all = await Promise.all(
      Array.from({ length: 8 }, () => send('PATCH', 'a', { $inc: { n: 1 } }, condition)),
    )
    const done = all.filter(({ status }) => status === 200)
    t.equal(done.length, 1)
    t.match(done[0]?.json, { n: round })
    t.equal(all.filter(({ status }) => status === 412).length, 7)
    etag = String(done[0]?.headers.etag)
  }
})

t.test('an id of 24 digits means the ObjectId and the string, the string first', async (t) => {
  const { send, api } = await open(t)
  await api.post('c/insertOne', { document: { _id: { $oid: oid }, kind: 'made' } })
  t.match(await send('GET', oid), { status: 200, json: { _id: oid, kind: 'made' } })
  const read = await send('GET', oid)
  const put = await send('PUT', oid, { ...read.json, n: 1 })
  t.match(put, { status: 200, json: { kind: 'made', n: 1 } }, 'what was read can be put back')
  const count = await api.post('c/count', { filter: { _id: { $type: 'objectId' } } })
  t.equal(count.json.count, 1, 'and keeps its id')
  await api.post('c/insertOne', { document: { _id: oid, kind: 'given' } })
  t.match((await send('GET', oid)).json, { kind: 'given' })
  t.match((await send('PATCH', oid, { $set: { x: 1 } })).json, { kind: 'given', x: 1 })
  t.equal((await send('DELETE', oid)).status, 200)
  t.match((await send('GET', oid)).json, { kind: 'made' })
  const other = oid.replace('6', '7')
  t.equal((await send('PUT', other, { a: 1 })).status, 201)
  const strings = await api.post('c/count', { filter: { _id: { $type: 'string' } } })
  t.equal(strings.json.count, 1, 'a string stays a string')
})

t.test('with ?id=ejson the path is any value', async (t) => {
  const { send } = await open(t)
  const at = (id: unknown) => `${encodeURIComponent(JSON.stringify(id))}?id=ejson`
  for (const id of [42, { $oid: oid }, { a: 1 }, 'x/y', { $numberLong: '9' }, true]) {
    const what = JSON.stringify(id)
    t.equal((await send('PUT', at(id), { n: 1 })).status, 201, what)
    const accept = { accept: 'application/ejson;mode=relaxed' }
    t.match((await send('GET', at(id), undefined, accept)).json, { n: 1 }, what)
    t.equal((await send('DELETE', at(id))).status, 200, what)
  }
  t.match(await send('GET', 'x?id=ejson'), { status: 400, json: { code: 2 } })
  t.match(await send('GET', 'x?id=hex'), { status: 400, json: { code: 2 } })
  t.equal((await send('PUT', 'x%2Fy%20z', { n: 1 })).json._id, 'x/y z')
  t.equal((await send('PUT', '%25', { n: 1 })).json._id, '%')
  t.equal((await send('PUT', '%F0%9F%9A%80', { n: 1 })).json._id, '🚀')
})

t.test('PATCH takes operators', async (t) => {
  const { send } = await open(t)
  t.match(await send('PATCH', 'a', { $set: { n: 1 } }), { status: 404, json: { code: 47 } })
  await send('PUT', 'a', { n: 1, list: [1] })
  t.match((await send('PATCH', 'a', { $inc: { n: 2 }, $push: { list: 2 } })).json, {
    ...{ n: 3, list: [1, 2] },
  })
  t.match((await send('PATCH', 'a', [{ $set: { m: { $add: ['$n', 1] } } }])).json, { m: 4 })
  t.match(await send('PATCH', 'a', { $set: { _id: 'b' } }), { status: 400, json: { code: 66 } })
  t.match(await send('PATCH', 'a', { n: 1 }), { status: 400, json: { errmsg: /merge-patch/ } })
  t.match(await send('PATCH', 'a', { $set: { x: 1 }, n: 1 }), { status: 400 })
})

t.test('PATCH merges as RFC 7396 says', async (t) => {
  const { send } = await open(t)
  // Of its appendix A: those whose target and patch are objects, and names of our own.
  const cases: readonly [target: object, patch: object, result: object][] = [
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    [{ a: 1 }, { a: { b: 2 } }, { a: { b: 2 } }],
    [{ a: [1] }, { a: { '0': 2 } }, { a: { '0': 2 } }],
    [{ x: '$y' }, { a: '$x', b: { $$c: '$$ROOT' } }, { x: '$y', a: '$x', b: { $$c: '$$ROOT' } }],
    [{ a: { 'b.c': 1 } }, { a: { 'b.c': 2, d: [null] } }, { a: { 'b.c': 2, d: [null] } }],
    [{ a: 1 }, {}, { a: 1 }],
    [{ a: { b: 1 } }, { a: {} }, { a: { b: 1 } }],
  ]
  for (const [target, patch, result] of cases) {
    const what = `${JSON.stringify(target)} + ${JSON.stringify(patch)}`
    await send('PUT', 'a', target)
    t.strictSame((await send('PATCH', 'a', patch, merge)).json, { _id: 'a', ...result }, what)
  }
  t.match(await send('PATCH', 'a', { _id: 'a', b: 1 }, merge), { status: 200, json: { b: 1 } })
  t.match(await send('PATCH', 'a', { _id: 'b' }, merge), { status: 400, json: { code: 66 } })
  t.match(await send('PATCH', 'a', { $set: { a: 1 } }, merge), { status: 400 })
  t.match(await send('PATCH', 'a', [], merge), { status: 400, json: { code: 2 } })
  const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
  t.equal((await send('PATCH', 'a', deep(18), merge)).status, 200)
  t.match(await send('PATCH', 'a', deep(99), merge), { status: 400, json: { code: 15 } })
})

t.test('what makes no sense is refused, and changes nothing', async (t) => {
  const { send, url, key } = await open(t)
  await send('PUT', 'a', { n: 1 })
  const bad: readonly [number, string, unknown, Headers?][] = [
    [400, 'PUT', '{'],
    [400, 'PUT', ''],
    [400, 'PUT', [1]],
    [400, 'PUT', { $set: { n: 2 } }],
    [400, 'PUT', { n: 2, $x: 1 }],
    [400, 'PUT', { _id: 'b' }],
    [415, 'PUT', { n: 2 }, { 'content-type': 'text/plain' }],
    [400, 'PUT', { n: 2 }, { 'if-match': 'x' }],
    [400, 'PUT', { n: 2 }, { 'if-none-match': '"x"' }],
    [400, 'PATCH', { $set: { n: 2 } }, { 'if-none-match': '*' }],
    [400, 'DELETE', undefined, { 'if-match': '"a' }],
    [400, 'PATCH', '7'],
    [400, 'PATCH', { $nonsense: { n: 2 } }],
    [413, 'PUT', { text: 'x'.repeat(17_000_000) }],
  ]
  for (const [status, method, body, headers] of bad) {
    const answer = await send(method, 'a', body, headers)
    t.match(answer, { status, json: { ok: 0 } }, `${method} ${String(body).slice(0, 40)}`)
  }
  const none = await ask(url, {
    ...{ method: 'PUT', path: '/api/v1/collections/c/docs/a', body: '{}' },
    headers: { 'x-api-key': key },
  })
  t.equal(none.status, 415)
  t.strictSame((await send('GET', 'a')).json, { _id: 'a', n: 1 })
})
