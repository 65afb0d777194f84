// Pipelines of large unread replies: no more of them is made than a little beyond what the
// client takes, on the key-value port and over HTTP; and a client that reads slowly gets every
// byte.

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { systemClock } from '../../src/base/clock.js'
import { MemoryAccount } from '../../src/base/heap/memory-account.js'
import { pipelineReplyBytes } from '../../src/base/limits/connections.js'
import { silentLog } from '../../src/base/log.js'
import { openResp } from '../../src/listeners/resp.js'
import { eachKeyValueRoom } from '../support/key-value-room.js'
import { startGateway } from '../support/live-gateway.js'
import { encode, RespClient } from '../support/resp-client.js'

const large = 3_000_000
const pipelined = 20

/** Reads so many bytes, a piece now and then. */
async function slowly(socket: Socket, length: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  let taken = 0
  while (taken < length) {
    const piece: Buffer | null = socket.read()
    if (piece === null) await Promise.race([once(socket, 'readable'), once(socket, 'end')])
    else {
      pieces.push(piece)
      taken += piece.length
      await nextTurn()
    }
    if (socket.readableEnded) break
  }
  return Buffer.concat(pieces)
}

/** Until the account has stayed as it is for many turns. */
async function settled(memory: MemoryAccount): Promise<number> {
  let most = 0
  for (let turn = 0, same = 0; turn < 20_000 && same < 2_000; turn++) {
    const { bytesUsed } = memory.budget
    same = bytesUsed > most ? 0 : same + 1
    most = Math.max(most, bytesUsed)
    await nextTurn()
  }
  return most
}

t.test('replies on the key-value port', (t) =>
  eachKeyValueRoom(
    t,
    'pipelined',
    async (t, room) => {
      const memory = new MemoryAccount(2 ** 28)
      const listener = await openResp({
        ...{ host: '127.0.0.1', port: 0, tls: undefined, allowInsecure: false, authOff: true },
        ...{ bus: room.bus, memory, clock: systemClock, log: silentLog },
      })
      const setter = await RespClient.open(listener.port)
      const value = Buffer.alloc(large, 'abcdefghij')
      setter.socket.write(encode(['SET', 'large', value.toString()]))
      await setter.next()
      const reply = Buffer.concat([Buffer.from(`$${large}\r\n`), value, Buffer.from('\r\n')])
      const get = encode(['GET', 'large'])
      const script = [
        ['reads alone', Buffer.concat(Array.from({ length: pipelined }, () => get)), ''],
        [
          'reads behind a write',
          Buffer.concat([
            encode(['SET', 'other', '1']),
            ...Array.from({ length: pipelined }, () => get),
          ]),
          '+OK\r\n',
        ],
      ] as const
      for (const [name, requests, first] of script) {
        const socket = connect(listener.port, '127.0.0.1')
        await once(socket, 'connect')
        socket.write(requests)
        const most = await settled(memory)
        t.ok(most > 0 && most < pipelineReplyBytes + 2 * large, `${name}: ${most} bytes at most`)
        const expected = Buffer.concat([
          Buffer.from(first),
          ...Array.from({ length: pipelined }, () => reply),
        ])
        t.equal((await slowly(socket, expected.length)).compare(expected), 0, 'every byte')
        socket.destroy()
      }
      setter.socket.destroy()
      while (memory.budget.bytesUsed > 0) await nextTurn()
      t.equal(memory.shares.ownersKnown, 0)
      await listener.close(0)
    },
    { kinds: ['memory'] },
  ),
)

t.test('what a transaction answers is bounded', (t) =>
  eachKeyValueRoom(
    t,
    'exec',
    async (t, room) => {
      const bytesMax = 2 * 7 * 1_000_000
      room.engine.memory.shares.bounds = { ofOwner: bytesMax / 2, ofAll: bytesMax }
      const listener = await openResp({
        ...{ host: '127.0.0.1', port: 0, tls: undefined, allowInsecure: false, authOff: true },
        ...{ bus: room.bus, memory: new MemoryAccount(2 ** 28) },
        ...{ clock: systemClock, log: silentLog },
      })
      const client = await RespClient.open(listener.port)
      client.socket.write(encode(['SET', 'large', 'x'.repeat(large)]))
      await client.next()
      client.socket.write(encode(['MULTI']))
      for (let i = 0; i < 5; i++) client.socket.write(encode(['GET', 'large']))
      client.socket.write(encode(['EXEC']))
      for (let i = 0; i < 6; i++) await client.next()
      const replies = (await client.next()) as readonly unknown[]
      t.same(
        replies.slice(1).map((reply) => String(reply).length > large),
        [true, true, false, false, false],
      )
      t.match(String(replies.at(-1)), 'OOM command not allowed')
      client.socket.destroy()
      await listener.close(0)
    },
    { kinds: ['memory'] },
  ),
)

/** JSON takes longer to make. */
const answerBytes = 1_200_000
const answers = 6

t.test('answers over HTTP', async (t) => {
  const gateway = await startGateway(t, { AUTH_MODE: 'off', RATE_LIMITS: 'off' })
  const insert = await fetch(`${gateway.url}/api/v1/collections/large/insertOne`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ document: { _id: 1, v: 'x'.repeat(answerBytes) } }),
  })
  t.equal(insert.status, 200, await insert.text())
  const { port } = new URL(gateway.url)
  const requestOf = (path: string, body: string) =>
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\n` +
    `x-request-id: same\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  const requests = {
    direct: requestOf('/api/v1/collections/large/findOne', '{"filter":{"_id":1}}'),
    framework: requestOf('/api/v1/collections/large/findOne?x=1', '{"filter":{"_id":1}}'),
  }
  for (const [name, request] of Object.entries(requests)) {
    const socket = connect(Number(port), '127.0.0.1')
    await once(socket, 'connect')
    socket.write(request.repeat(answers))
    const one = await slowly(socket, answerBytes)
    // The first piece may have been larger.
    const rest = await slowly(socket, answers * answerBytes - one.length)
    const text = Buffer.concat([one, rest]).toString('latin1')
    const heads = text.match(/HTTP\/1\.1 200 OK/g) ?? []
    t.ok(heads.length >= answers - 1, `${name}: ${heads.length} answers in turn`)
    t.ok(text.includes(`"v":"${'x'.repeat(1_000)}`))
    socket.destroy()
  }
})
