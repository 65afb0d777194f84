// Large commands of many clients at once: each is received and answered, whatever the others hold.

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { systemClock } from '../../../src/base/clock.js'
import { MemoryAccount } from '../../../src/base/heap/memory-account.js'
import { silentLog } from '../../../src/base/log.js'
import { openResp } from '../../../src/listeners/resp.js'
import { eachKeyValueRoom, type KeyValueRoom } from '../../support/key-value-room.js'
import { encode } from '../../support/resp-client.js'

const kinds = { kinds: ['memory'] } as const
const megabyte = 1_000_000
const budgetBytes = 16 * megabyte
const clients = 12
const value = 'v'.repeat(3 * megabyte)
const part = 200_000

/** The first so many bytes that come back; rejects if the server is silent for long. */
async function answer(socket: Socket, length: number): Promise<string> {
  let text = ''
  socket.setTimeout(20_000, () => socket.destroy(new Error('no answer')))
  while (text.length < length) text += String((await once(socket, 'data'))[0])
  return text
}

/** Each client sends its request in parts, which meet those of the others. */
async function sendTogether(port: number, requests: readonly Buffer[]): Promise<Socket[]> {
  const sockets = requests.map(() => connect(port, '127.0.0.1'))
  const longest = Math.max(...requests.map(({ length }) => length))
  for (let from = 0; from < longest; from += part) {
    for (const [i, socket] of sockets.entries()) {
      socket.write((requests[i] as Buffer).subarray(from, from + part))
    }
  }
  return sockets
}

/** A listener with an account of its own; closed with the test. */
async function opened(t: Test, room: KeyValueRoom) {
  const memory = new MemoryAccount(budgetBytes)
  const listener = await openResp({
    ...{ host: '127.0.0.1', port: 0, tls: undefined, allowInsecure: false, authOff: true },
    ...{ bus: room.bus, memory, clock: systemClock, log: silentLog },
  })
  t.teardown(() => listener.close(0))
  return { memory, port: listener.port }
}

async function received(t: Test, room: KeyValueRoom, words: (i: number) => string[]) {
  const { memory, port } = await opened(t, room)
  let peak = 0
  const { charge } = memory.budget
  memory.budget.charge = (bytes) => {
    charge.call(memory.budget, bytes)
    peak = Math.max(peak, memory.budget.bytesUsed)
  }
  const requests = Array.from({ length: clients }, (_, i) => encode(words(i)))
  const sockets = await sendTogether(port, requests)
  const answers = await Promise.all(sockets.map((socket) => answer(socket, '+OK\r\n'.length)))
  t.same(new Set(answers), new Set(['+OK\r\n']))
  t.ok(peak < 2 * budgetBytes, `${peak} bytes at most`)
  const late = connect(port, '127.0.0.1')
  late.write(encode(['PING']))
  t.equal(await answer(late, 1), '+PONG\r\n', 'and a further client is answered')
  t.equal(memory.budget.bytesUsed, 0)
  for (const socket of [...sockets, late]) socket.destroy()
}

t.test('large values that come at once', (t) =>
  eachKeyValueRoom(
    t,
    'large values',
    (t, room) => received(t, room, (i) => ['SET', `key${i}`, value]),
    kinds,
  ),
)

t.test('commands with several large values that come at once', (t) =>
  eachKeyValueRoom(
    t,
    'several large values',
    (t, room) => received(t, room, (i) => ['MSET', `a${i}`, value, `b${i}`, value]),
    kinds,
  ),
)

t.test('a client that leaves while its command waits gives its place back', (t) =>
  eachKeyValueRoom(
    t,
    'gone',
    async (t, room) => {
      const { memory, port } = await opened(t, room)
      const begin = encode(['SET', 'key', value]).subarray(0, 2 * part)
      const sockets = Array.from({ length: clients }, () => connect(port, '127.0.0.1'))
      for (const socket of sockets) socket.write(begin)
      while (memory.budget.bytesUsed < 5 * value.length) await new Promise(setImmediate)
      for (const socket of sockets) socket.destroy()
      while (memory.budget.bytesUsed > 0) await new Promise(setImmediate)
      const socket = connect(port, '127.0.0.1')
      socket.write(encode(['SET', 'key', value]))
      t.equal(await answer(socket, 1), '+OK\r\n')
      socket.destroy()
    },
    kinds,
  ),
)

t.test('a command of many words counts what it holds until its reply', (t) =>
  eachKeyValueRoom(
    t,
    'many words',
    async (t, room) => {
      const { memory, port } = await opened(t, room)
      const command = encode(['EXISTS', ...Array.from({ length: 50_000 }, (_, i) => `name${i}`)])
      const [socket] = await sendTogether(port, [command.subarray(0, -3)])
      if (socket === undefined) throw new Error('there is no socket')
      const { budget } = memory
      while (budget.bytesUsed < 1.5 * command.length) await new Promise(setImmediate)
      let least = budget.bytesUsed
      let isAnswered = false
      socket.once('data', () => {
        isAnswered = true
      })
      socket.write(command.subarray(-3))
      while (!isAnswered) {
        if (budget.bytesUsed > 0) least = Math.min(least, budget.bytesUsed)
        await new Promise(setImmediate)
      }
      t.ok(least > 1.5 * command.length, `${least} bytes for a command of ${command.length}`)
      while (budget.bytesUsed > 0) await new Promise(setImmediate)
      socket.destroy()
    },
    kinds,
  ),
)
