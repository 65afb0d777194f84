// The backup route: who may use it, what it refuses, and what becomes of clients that leave or stop
// reading.

import { once } from 'node:events'
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Bytes } from '../../../../src/base/bytes/bytes.js'
import { fail } from '../../../../src/base/errors.js'
import type { RawCall } from '../../../../src/listeners/http/core/route.js'
import { backupRoute } from '../../../../src/listeners/http/operations/backup.js'
import { BackupReader } from '../../../../src/store/backup/backup-reader.js'
import { TablesDamaged } from '../../../../src/store/backup/backup-thread.js'
import { openMemoryStore } from '../../../../src/store/memory.js'
import type { Backup, BackupOptions, Store } from '../../../../src/store/store.js'
import { int32Value, type Value } from '../../../../src/value/value.js'
import { ask } from '../../../support/http-client.js'
import { startGateway } from '../../../support/live-gateway.js'
import { temporaryFolder } from '../../../support/stores.js'

const path = '/api/v1/backup'
const json = { 'content-type': 'application/json' }

t.test('only the operator gets a backup, by POST, with a body that the route knows', async (t) => {
  const { url, key } = await startGateway(t)
  const own = { ...json, 'x-api-key': key }
  const post = (body: string, headers: Record<string, string>) => ask(url, { path, body, headers })
  t.match(await post('{}', json), { status: 401, json: { ok: 0, code: 13 } })
  const wrong = { ...json, 'x-api-key': `${key}0` }
  t.match(await post('{}', wrong), { status: 401, json: { ok: 0, code: 13 } })
  const got = await ask(url, { path, headers: own })
  t.match(got, { status: 405, headers: { allow: 'POST' } })
  t.match(await post('{"speed":1}', own), { status: 400, json: { code: 2, errmsg: /'speed'/ } })
  t.match(await post('{"rate":"fast"}', own), { status: 400, json: { code: 2 } })
  t.match(await post('{"rate":0}', own), { status: 400, json: { code: 2, errmsg: /1 to 10000/ } })
  t.match(await post('{"rate":10001}', own), { status: 400, json: { code: 2 } })
  const memory = await post('{}', own)
  t.match(memory, { status: 400, json: { code: 115, codeName: 'CommandNotSupported' } })
})

t.test('the bytes are those of a whole backup, and health tells of one under way', async (t) => {
  const folder = join(await temporaryFolder(t), 'data')
  const { url, key } = await startGateway(t, { STORE: `lmdb:${folder}` })
  const headers = { ...json, 'x-api-key': key }
  const documents = Array.from({ length: 100 }, (_, _id) => ({ _id, text: 'x'.repeat(100_000) }))
  const insert = '/api/v1/collections/things/insertMany'
  const inserted = await ask(url, { path: insert, headers, body: JSON.stringify({ documents }) })
  t.equal(inserted.status, 200)
  const request = { method: 'POST', headers }

  const leaving = new AbortController()
  await fetch(`${url}${path}`, { ...request, body: '{"rate":1}', signal: leaving.signal })
  const { json: health } = await ask(url, { path: '/health' })
  t.match(health, { storage: { backup: { pairs: Number, donePairs: Number, doneBytes: Number } } })
  const second = await ask(url, { path, headers, body: '{}' })
  t.match(second, { status: 409, json: { code: 117, errmsg: 'another backup is under way' } })
  leaving.abort()
  await backupGone(url)

  const response = await fetch(`${url}${path}`, { ...request, body: '{"rate":10000}' })
  t.equal(response.headers.get('content-type'), 'application/octet-stream')
  const reader = new BackupReader()
  for await (const piece of response.body ?? []) reader.push(piece as Uint8Array)
  const { pairs, bytes } = reader.finish()
  t.ok(pairs > 100 && bytes > 10_000_000, `${pairs} pairs, ${bytes} bytes`)
})

/** A client that left frees the place as soon as the server has seen it. */
async function backupGone(url: string): Promise<void> {
  for (;;) {
    const { text } = await ask(url, { path: '/health' })
    if (!text.includes('"backup"')) return
  }
}

/** A server of this route alone, over a store whose backups are made by `backup`. */
async function serve(
  t: Test,
  backup: (options: BackupOptions) => Promise<Backup>,
  more: { stallMs?: number; rate?: number; read?: Store['read'] } = {},
): Promise<string> {
  const { stallMs = 60_000, rate, read } = more
  const inner = openMemoryStore()
  const store = { backup, read: read ?? inner.read.bind(inner) } as Store
  const route = backupRoute({ store, version: '1.2.3', stallMs })
  const fields = new Map<string, Value>(rate === undefined ? [] : [['rate', int32Value(rate)]])
  const server = createServer((_incoming: IncomingMessage, outgoing: ServerResponse) => {
    route.send({ fields } as unknown as RawCall, outgoing, {}).catch((error: Error) => {
      outgoing.writeHead(500).end(error.message)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Sections without end; resolves `ended` when no more are wanted. */
function endless(): { backup: Backup; ended: Promise<void>; taken: () => number } {
  let tell: () => void = () => undefined
  const ended = new Promise<void>((resolve) => {
    tell = resolve
  })
  let taken = 0
  const sections = async function* (): AsyncGenerator<Bytes> {
    try {
      for (;;) {
        taken++
        yield new Uint8Array(1_000_000)
      }
    } finally {
      tell()
    }
  }
  const backup = { pairs: 1, [Symbol.asyncIterator]: sections, end: async () => undefined }
  return { backup, ended, taken: () => taken }
}

function open(url: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, resolve).on('error', reject)
  })
}

t.test('a client that leaves ends the backup', async (t) => {
  const { backup, ended } = endless()
  let signal: AbortSignal | undefined
  const url = await serve(t, async (options) => {
    signal = options.signal
    t.match(options, { sigil: '1.2.3', bytesPerSecond: undefined })
    return backup
  })
  const response = await open(url)
  await once(response, 'data')
  response.destroy()
  await ended
  t.equal(signal?.aborted, true)
})

t.test('a client that stops reading pauses the backup, and loses it after a while', async (t) => {
  const { backup, ended, taken } = endless()
  const url = await serve(t, async () => backup, { stallMs: 50, rate: 7 })
  const response = await open(url)
  response.pause()
  const gone = once(response, 'error')
  await ended
  t.ok(taken() < 50, `${taken()} MB, what sockets hold`)
  response.resume()
  t.match(await gone, [{ code: 'ECONNRESET' }])
})

t.test('a client that leaves before the start ends the wait for it', async (t) => {
  let tell: (signal: AbortSignal | undefined) => void = () => undefined
  const asked = new Promise<AbortSignal | undefined>((resolve) => {
    tell = resolve
  })
  const url = await serve(
    t,
    ({ signal, bytesPerSecond }) => {
      tell(signal)
      t.equal(bytesPerSecond, 7_000_000)
      return new Promise((_, reject) => {
        signal?.addEventListener('abort', () => reject(fail('Interrupted', 'left')))
      })
    },
    { rate: 7 },
  )
  const request = get(url, { agent: false })
  request.on('error', () => undefined)
  const signal = await asked
  request.destroy()
  if (signal?.aborted === false) await once(signal, 'abort')
  t.equal(signal?.aborted, true)
})

async function failureOf(url: string): Promise<unknown> {
  const reader = new BackupReader()
  try {
    for await (const piece of await open(url)) reader.push(piece)
    return reader.finish()
  } catch (error) {
    return error
  }
}

t.test('damage that is found on the way is the end of the answer, with its owner', async (t) => {
  const { encodeHead } = await import('../../../../src/store/backup/backup-format.js')
  const head = { tablesFormat: 2, applied: { group: 1, version: 1 }, time: 0, pairs: 3, sigil: '1' }
  const damage = { kind: 2, id: 5, text: 'a stored record is damaged' }
  const broken = async function* () {
    yield encodeHead(head)
    throw new TablesDamaged(damage)
  }
  const backup = async () =>
    ({ pairs: 3, [Symbol.asyncIterator]: broken, end: async () => undefined }) as Backup
  const named = await serve(t, backup, { read: (() => 'main.cities') as unknown as Store['read'] })
  t.match(await failureOf(named), {
    codeName: 'ChecksumMismatch',
    message: 'a stored record is damaged, in main.cities',
  })
  const unknown = await serve(t, backup)
  t.match(await failureOf(unknown), { message: 'a stored record is damaged' })
  const noCatalog = await serve(t, backup, {
    read: () => {
      throw fail('InternalError', 'the catalog is damaged')
    },
  })
  t.match(await failureOf(noCatalog), { message: 'a stored record is damaged' })
})
