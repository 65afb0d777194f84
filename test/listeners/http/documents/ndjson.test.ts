// NDJSON streams under clients that misbehave, and HTTP over TLS.

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { get } from 'node:https'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { MongoClient } from 'mongodb'
import t from 'tap'
import { makeCertificate } from '../../../support/certificate.js'
import { openApi } from '../../../support/http-client.js'
import { type LiveGateway, startGateway } from '../../../support/live-gateway.js'

t.test('a stream is read no faster than its client takes it, and ends with it', async (t) => {
  const gateway = await startGateway(t)
  const api = openApi(gateway.url, gateway.key)
  const text = 'x'.repeat(1000)
  for (let batch = 0; batch < 20; batch++) {
    const documents = Array.from({ length: 1000 }, (_, n) => ({ _id: batch * 1000 + n, text }))
    await api.post('big/insertMany', { documents })
  }
  const client = await MongoClient.connect(gateway.uri)
  t.teardown(() => client.close())
  const cursors = async () => {
    const { metrics } = await client.db('admin').command({ serverStatus: 1 })
    return metrics.cursor.open.total as number
  }
  const asked = stream(gateway)
  await new Promise<void>((resolve) => {
    asked.once('response', (response) => {
      response.once('data', () => {
        response.pause()
        resolve()
      })
    })
  })
  // 20 MB do not fit the sockets' buffers, so the cursor must be waiting.
  while ((await cursors()) !== 1);
  t.pass('the cursor rests while its client does not read')
  asked.destroy()
  while ((await cursors()) !== 0);
  t.pass('and is closed when the client has left')
})

function stream({ url, key }: LiveGateway): ClientRequest {
  const sent = request(`${url}/api/v1/collections/big/find`, {
    method: 'POST',
    agent: false,
    headers: {
      'x-api-key': key,
      'content-type': 'application/json',
      accept: 'application/x-ndjson',
    },
  })
  sent.on('error', () => undefined)
  sent.end('{}')
  return sent
}

t.test('a batch becomes text as fast as its client reads', async (t) => {
  const gateway = await startGateway(t)
  const api = openApi(gateway.url, gateway.key)
  const text = 'x'.repeat(30_000)
  const documents = Array.from({ length: 400 }, (_, _id) => ({ _id, text }))
  for (const from of [0, 200]) {
    await api.post('big/insertMany', { documents: documents.slice(from, from + 200) })
  }
  let served: Socket | undefined
  const listen = (message: unknown): void => {
    served = (message as { readonly socket: Socket }).socket
  }
  subscribe('net.server.socket', listen)
  t.teardown(() => unsubscribe('net.server.socket', listen))
  const [response] = (await once(stream(gateway), 'response')) as [IncomingMessage]
  let unsent = 0
  for (let same = 0; same < 1_000; same++) {
    const now = served?.writableLength ?? 0
    if (now !== unsent) same = 0
    unsent = now
    await nextTurn()
  }
  t.ok(unsent > 0 && unsent < 1_000_000, `${unsent} bytes are unsent`)
  let bytes = 0
  for await (const piece of response) bytes += (piece as Buffer).length
  t.ok(bytes > documents.length * text.length)
})

t.test('a stream that waits for its client again and again listens once', async (t) => {
  const warnings: Error[] = []
  const note = (warning: Error) => warnings.push(warning)
  process.on('warning', note)
  t.teardown(() => process.off('warning', note))
  const gateway = await startGateway(t)
  const api = openApi(gateway.url, gateway.key)
  const text = 'x'.repeat(10_000)
  for (let batch = 0; batch < 10; batch++) {
    const documents = Array.from({ length: 500 }, (_, n) => ({ _id: batch * 500 + n, text }))
    await api.post('big/insertMany', { documents })
  }
  let bytes = 0
  await new Promise<void>((resolve) => {
    stream(gateway).once('response', (response) => {
      response.on('data', (piece: Buffer) => {
        bytes += piece.length
      })
      response.once('end', resolve)
    })
  })
  t.ok(bytes > 50_000_000, `${bytes} bytes`)
  t.same(warnings, [])
})

t.test('with a certificate every listener speaks TLS', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sigil-tls-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const { cert, key } = makeCertificate()
  writeFileSync(join(folder, 'cert.pem'), cert)
  writeFileSync(join(folder, 'key.pem'), key)
  const gateway = await startGateway(t, {
    TLS_CERT: join(folder, 'cert.pem'),
    TLS_KEY: join(folder, 'key.pem'),
  })
  const { http, wire } = gateway.ports
  const body = await new Promise<string>((resolve, reject) => {
    const options = { rejectUnauthorized: false, agent: false }
    get(`https://127.0.0.1:${http}/health`, options, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => resolve(text))
    }).on('error', reject)
  })
  t.match(JSON.parse(body), { status: 'ok' })
  const uri = `${gateway.uri.replace(/:\d+\/main/, `:${wire}/main`)}?tls=true&tlsInsecure=true`
  const client = await MongoClient.connect(uri)
  t.match(await client.db().command({ ping: 1 }), { ok: 1 })
  await client.close()
})
