// Thousands of short requests in one packet: each ends in the turn that it begins in, so without a
// count of them everyone else would wait for the last.

import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { serialize } from 'bson'
import t, { type Test } from 'tap'
import { tickMsMax } from '../../src/base/limits/engine.js'
import { Turn } from '../../src/listeners/turn.js'
import { ManualClock } from '../support/engine-room.js'
import { startGateway } from '../support/live-gateway.js'
import { encode, RespClient } from '../support/resp-client.js'

const opMsgCode = 2013

/** Rounds of the event loop while `act` runs. */
async function roundsOf(act: () => Promise<void>): Promise<number> {
  let rounds = 0
  let isOver = false
  const counting = (async () => {
    for (; !isOver; rounds++) await setImmediate()
  })()
  await act()
  isOver = true
  await counting
  return rounds
}

/** Sends bytes and resolves when `mark` has come back so many times. */
function exchanged(port: number, bytes: Buffer, mark: string, count: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let found = 0
    let last = ''
    const socket = connect({ port, host: '127.0.0.1' })
    socket.once('error', reject)
    socket.on('data', (chunk: Buffer) => {
      const parts = (last + chunk.toString('latin1')).split(mark)
      last = parts.pop() ?? ''
      found += parts.length
      if (found < count) return
      socket.destroy()
      resolve()
    })
    socket.write(bytes)
  })
}

t.test('a turn is looked at once in 64 commands', async (t) => {
  const clock = new ManualClock()
  const turn = new Turn(clock, 64)
  const asked = () => Array.from({ length: 64 }, () => turn.isOver()).indexOf(true)
  t.equal(asked(), -1, 'it begins')
  t.equal(asked(), -1, 'no time has passed')
  clock.ms += tickMsMax
  t.equal(asked(), 63)
  await setImmediate()
  t.equal(asked(), -1, 'the next one')
})

/** Every turn is over after so many commands. */
function askingOnce(t: Test, commands: number): void {
  const { isOver } = Turn.prototype
  let asked = 0
  Turn.prototype.isOver = () => ++asked % commands === 0
  t.teardown(() => {
    Turn.prototype.isOver = isOver
  })
}

t.test('commands of every kind ask whether the turn is over', async (t) => {
  const { ports } = await startGateway(t, { AUTH_MODE: 'off' })
  askingOnce(t, 64)
  for (const line of ['SELECT 1', 'HELLO 2', 'HELLO 9', 'PING', 'SET a b', 'ECHO', 'PUBLISH a b']) {
    const count = 6_400
    const bytes = Buffer.from(`${`${line}\r\n`.repeat(count)}ECHO last\r\n`)
    const rounds = await roundsOf(() => exchanged(ports.redis ?? 0, bytes, 'last', 1))
    t.ok(rounds >= 100, `${line}: ${rounds} rounds`)
  }
})

/** An OP_MSG with one command. */
function opMsg(command: object): Buffer {
  const body = serialize(command)
  const head = Buffer.alloc(21)
  head.writeInt32LE(21 + body.length, 0)
  head.writeInt32LE(opMsgCode, 12)
  return Buffer.concat([head, body])
}

t.test('messages of the document wire ask it, too', async (t) => {
  const { ports } = await startGateway(t, { AUTH_MODE: 'off' })
  askingOnce(t, 16)
  for (const command of [{ ping: 1 }, { hello: 1 }, { nothing: 1 }, { find: 'c' }]) {
    const count = 1_600
    const packet = Buffer.concat(Array(count).fill(opMsg({ ...command, $db: 'main' })))
    const rounds = await roundsOf(() => exchanged(ports.wire ?? 0, packet, '\x01ok\0', count))
    t.ok(rounds >= 100, `${JSON.stringify(command)}: ${rounds} rounds`)
  }
})

t.test('the commands of one EXEC', async (t) => {
  const { ports } = await startGateway(t, { AUTH_MODE: 'off' })
  const client = await RespClient.open(ports.redis ?? 0)
  t.teardown(() => client.close())
  const count = 50_000
  client.send(encode(['MULTI']))
  client.send(Buffer.from('SET a b\r\n'.repeat(count)))
  for (let i = 0; i <= count; i++) await client.next()
  const rounds = await roundsOf(async () => {
    t.equal((await client.call('EXEC')).length, count + 1)
  })
  t.ok(rounds > 15, `${rounds} rounds`)
})

t.test('requests over HTTP, of anyone', async (t) => {
  const { ports } = await startGateway(t, { RATE_LIMITS: 'off' })
  for (const path of ['/nothing', '/health', '/api/v1/collections']) {
    const count = 1_000
    const request = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${ports.http}\r\n\r\n`
    const bytes = Buffer.from(request.repeat(count))
    const rounds = await roundsOf(() => exchanged(ports.http ?? 0, bytes, 'HTTP/1.1 ', count))
    t.ok(rounds >= count / 8, `${path}: ${rounds} rounds`)
  }
})

t.test('a body in short chunks', async (t) => {
  const { ports } = await startGateway(t, { AUTH_MODE: 'off' })
  const answer = async (chunk: string, count: number): Promise<string> => {
    const socket = connect({ port: ports.http ?? 0, host: '127.0.0.1' })
    const head =
      'POST /api/v1/collections/c/find HTTP/1.1\r\ncontent-type: application/json\r\n' +
      `Host: 127.0.0.1:${ports.http}\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n`
    const chunks = `${chunk.length.toString(16)}\r\n${chunk}\r\n`.repeat(count)
    socket.write(`${head}1\r\n{\r\n${chunks}d\r\n"filter": {}}\r\n0\r\n\r\n`)
    return text(socket)
  }
  const refused = /400 .*more than 1000 chunks of fewer than 16 bytes/s
  t.match(await answer(' ', 998), / 200 .*firstBatch/s)
  t.match(await answer(' ', 20_000), refused)
  t.match(await answer(' '.repeat(10), 2_000), refused)
  for (const length of [17, 4_095, 4_096]) {
    t.match(await answer(' '.repeat(length), 2_000), / 200 .*firstBatch/s, `${length} bytes`)
  }
})

t.test('bounds of what one command makes', async (t) => {
  const { ports } = await startGateway(t, { AUTH_MODE: 'off' })
  const client = await RespClient.open(ports.redis ?? 0)
  t.teardown(() => client.close())
  const names = (count: number) => Array.from({ length: count }, (_, i) => `n${i}`)
  const tooMany = 'takes at most 10000 names'
  for (const word of ['SUBSCRIBE', 'PSUBSCRIBE', 'UNSUBSCRIBE', 'PUNSUBSCRIBE']) {
    t.equal(await client.call(word, ...names(10_001)), `-ERR ${word} ${tooMany}`)
  }
  t.equal(await client.call('WATCH', ...names(5_000)), '+OK')
  const refused = '-ERR a connection watches at most 5000 keys'
  t.equal(await client.call('WATCH', 'other'), refused)
  t.equal(await client.call('UNWATCH'), '+OK')
  t.equal(await client.call('WATCH', ...names(5_001)), refused)
  t.equal(await client.call('WATCH', 'other'), '+OK')
})
