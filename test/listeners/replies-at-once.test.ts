// Many clients that ask for a large reply at once and read nothing: each reply counts before it is
// made, on every protocol, so their owner holds no more than its part of MEMORY_BUDGET and a reply
// more. Once the clients read, each is answered, and nothing stays counted.

import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { ByteBudget } from '../../src/base/heap/byte-budget.js'
import { memoryOfOwnerShare } from '../../src/base/heap/memory-account.js'
import { clockUnits } from '../../src/base/work/work-figures.js'
import { ReadPrograms } from '../../src/store/programs/read-programs.js'
import { message, startup, text } from '../protocol/pgwire/frontend.js'
import { startGateway } from '../support/live-gateway.js'
import { command } from '../support/messages.js'
import { encode, RespClient } from '../support/resp-client.js'
import { openSilent } from '../support/silent-clients.js'
import { watchBudget } from '../support/used-budget.js'

const large = 6_000_000
const smallDocuments = 300
const clients = 8
const batches = ['HTTP find', 'find of a batch', 'aggregate of a batch', 'SQL of rows']
const budget = 16_000_000
/** The owner's part, and the last reply in its forms: what is read, its text, and what is unsent. */
const most = budget * memoryOfOwnerShare + 3 * large

const used = watchBudget()

/**
 * The clock is read each 1,280 units of a turn, which ends at the latest after 31 times. A batch
 * counts before its memory is short, wherever the turns end.
 */
const turnLengths = [1, 2, 8, 16, 31]
let reads = 0
let turnLength = 31
const { tickIsOver } = ReadPrograms.prototype
ReadPrograms.prototype.tickIsOver = function () {
  return turnLength === 31 ? tickIsOver.call(this) : ++reads % turnLength === 0
}

/** The most, once it has been `least`, until it has stayed as it is for many turns. */
async function settled(budget: ByteBudget, least: number): Promise<number> {
  while (budget.bytesUsed < least) await nextTurn()
  let most = 0
  let last = -1
  for (let same = 0; same < 1_000; same++) {
    const { bytesUsed } = budget
    if (bytesUsed !== last) same = 0
    last = bytesUsed
    most = Math.max(most, bytesUsed)
    await nextTurn()
  }
  return most
}

/** What comes: a whole reply, or a refusal. With memory short, a slow client is disconnected. */
async function answerOf(socket: Socket): Promise<'whole' | 'refused' | 'none'> {
  let length = 0
  for await (const chunk of socket) {
    length += (chunk as Buffer).length
    if (length >= large) return 'whole'
    if ((chunk as Buffer).includes('Exceeded memory limit')) return 'refused'
  }
  return 'none'
}

t.test('large replies that many clients ask for at once', async (t) => {
  const settings = { AUTH_MODE: 'off', RATE_LIMITS: 'off', MEMORY_BUDGET: '16MB' }
  const { ports, url } = await startGateway(t, settings)
  const post = async (path: string, body: unknown) => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    t.equal(answer.status, 200, await answer.text())
  }
  const collection = '/api/v1/collections'
  await post(`${collection}/large/insertOne`, { document: { _id: 1, v: 'v'.repeat(large) } })
  const v = 'v'.repeat(large / smallDocuments)
  const documents = Array.from({ length: smallDocuments }, (_, _id) => ({ _id, v }))
  await post(`${collection}/small/insertMany`, { documents })
  const setter = await RespClient.open(ports.redis)
  t.equal(await setter.call('SET', 'large', 'v'.repeat(large)), '+OK')
  await setter.call('HSET', 'hash', 'field', 'v'.repeat(large))
  setter.socket.destroy()
  const overHttp = (path: string, body: string) =>
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${ports.http}\r\n` +
    `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  const find = (fields: object) => command({ ...fields, $db: 'main' })
  const sql = (query: string) =>
    Buffer.concat([startup(196_608, { user: 'tester' }), message('Q', text(query))])
  const requests: Record<string, readonly [number, string | Uint8Array]> = {
    'RESP GET': [ports.redis, encode(['GET', 'large'])],
    'RESP GETRANGE': [ports.redis, encode(['GETRANGE', 'large', '0', '-1'])],
    'RESP HGET': [ports.redis, encode(['HGET', 'hash', 'field'])],
    'HTTP findOne': [ports.http, overHttp(`${collection}/large/findOne`, '{"filter":{"_id":1}}')],
    'HTTP find': [ports.http, overHttp(`${collection}/small/find`, '{"limit":300}')],
    'HTTP GET': [ports.http, overHttp('/api/v1/redis', '{"command":["GET","large"]}')],
    'find by id': [ports.wire, find({ find: 'large', filter: { _id: 1 } })],
    findAndModify: [
      ports.wire,
      find({ findAndModify: 'large', query: { _id: 1 }, update: { $set: { n: 1 } } }),
    ],
    'find of a batch': [ports.wire, find({ find: 'small', batchSize: 301 })],
    'aggregate of a batch': [
      ports.wire,
      find({ aggregate: 'small', pipeline: [{ $set: { n: 1 } }], cursor: { batchSize: 301 } }),
    ],
    'SQL of a row': [ports.sql, sql('SELECT * FROM large')],
    'SQL of rows': [ports.sql, sql('SELECT * FROM small')],
  }
  const askAtOnce = async (t: Test, name: string): Promise<void> => {
    const [port, bytes] = requests[name] as readonly [number, string | Uint8Array]
    const account = used()
    while (account.bytesUsed > 0) await nextTurn()
    const sockets = await openSilent(port, clients)
    for (const socket of sockets) socket.write(bytes)
    // Each of them comes to hold its reply: whatever takes time before that is waited for.
    const held = await settled(account, name.startsWith('HTTP') ? 2 * large : large)
    t.ok(held <= most, `${name}: ${held} bytes at most`)
    const answers = await Promise.all(sockets.map(answerOf))
    t.ok(answers.includes('whole'), `${name}: clients that read are answered`)
    t.notOk(answers.includes('refused'), `${name}: no client is refused`)
    for (const socket of sockets) socket.destroy()
  }
  for (const name of Object.keys(requests)) await askAtOnce(t, name)
  for (const length of turnLengths) {
    turnLength = length
    await t.test(`batches in turns of ${length * clockUnits} units`, async (t) => {
      for (const name of batches) await askAtOnce(t, name)
    })
  }
  while (used().bytesUsed > 0) await nextTurn()
})
