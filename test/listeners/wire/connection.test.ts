// The timers of a connection, over a socket that only remembers them: silence is allowed to who has
// signed in, and not to clients that delay others.

import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import t from 'tap'
import { systemClock } from '../../../src/base/clock.js'
import { MemoryAccount } from '../../../src/base/heap/memory-account.js'
import {
  anonymousIdleMs,
  messageStallMs,
  replyStallMs,
  socketBacklogBytesMax,
} from '../../../src/base/limits/connections.js'
import { silentLog } from '../../../src/base/log.js'
import { Session } from '../../../src/bus/session.js'
import { operator } from '../../../src/identity/identity.js'
import { EdgeTime } from '../../../src/listeners/edge-time.js'
import { Turn } from '../../../src/listeners/turn.js'
import { type ConnectionHost, WireConnection } from '../../../src/listeners/wire/connection.js'
import { HelloOnly } from '../../../src/listeners/wire/hello-only.js'
import { documentFrom } from '../../../src/value/literal.js'
import { command } from '../../support/messages.js'

/** What a connection asks of a socket; what it writes stays until `flush`. */
class FakeSocket extends Duplex {
  timeoutMs = 0
  private pending: (() => void) | undefined

  setTimeout(ms: number): this {
    this.timeoutMs = ms
    return this
  }

  setNoDelay(): this {
    return this
  }

  setKeepAlive(): this {
    return this
  }

  destroySoon(): void {
    this.end(() => this.destroy())
  }

  override _read(): void {}

  override _write(_chunk: Buffer, _encoding: string, done: () => void): void {
    this.pending = done
  }

  flush(): void {
    const { pending } = this
    this.pending = undefined
    pending?.()
  }
}

const ok = documentFrom({ ok: 1 })

function open(run: ConnectionHost['run']) {
  const socket = new FakeSocket()
  const session = new Session({ protocol: 'wire', id: 1, remoteAddress: 'test' })
  const memory = new MemoryAccount(100_000_000)
  const edge = new EdgeTime(systemClock, undefined)
  const clusterTime = undefined
  const helloOnly = new HelloOnly('standalone', systemClock, silentLog)
  const turn = new Turn(systemClock, 1_000)
  const host = {
    ...{ run, clusterTime, helloOnly, memory, edge, turn },
    ...{ log: silentLog, onLogin: () => {} },
  }
  const connection = new WireConnection(socket as unknown as Socket, session, host)
  return { socket, session, memory, connection }
}

/** Streams hand on what they got on later ticks. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

t.test('a client may be silent for a while before its login, and for ever after it', async (t) => {
  const { socket, session } = open(() => {
    session.identity = session.identity === operator ? { kind: 'anonymous' } : operator
    return ok
  })
  t.equal(socket.timeoutMs, anonymousIdleMs)
  socket.push(command({ login: 1 }))
  await settled()
  t.equal(socket.timeoutMs, 0)
  socket.push(command({ logout: 1 }))
  await settled()
  t.equal(socket.timeoutMs, anonymousIdleMs)
  socket.emit('timeout')
  t.equal(socket.destroyed, true)
})

t.test('a command in flight is waited for', async (t) => {
  const { socket } = open(() => new Promise(() => {}))
  socket.push(command({ ping: 1 }))
  await settled()
  socket.emit('timeout')
  t.equal(socket.destroyed, false)
})

t.test('a large message must go on arriving', async (t) => {
  const { socket, session, memory } = open(() => {
    session.identity = operator
    return ok
  })
  const large = command({ text: 'x'.repeat(200_000) })
  socket.push(command({ login: 1 }))
  await settled()
  socket.push(large.subarray(0, 100_000))
  await settled()
  t.equal(socket.timeoutMs, messageStallMs)
  t.equal(memory.budget.bytesUsed, large.length)
  socket.push(large.subarray(100_000))
  await settled()
  t.equal(socket.timeoutMs, 0)
  socket.push(large.subarray(0, 100_000))
  await settled()
  socket.emit('timeout')
  await settled()
  t.equal(socket.destroyed, true)
  t.equal(memory.budget.bytesUsed, 0)
})

t.test('unread replies are waited for, but not for ever', async (t) => {
  const document = documentFrom({ text: 'x'.repeat(2 * socketBacklogBytesMax), ok: 1 })
  const { socket, session, memory } = open(() => {
    session.identity = operator
    return document
  })
  socket.push(command({ find: 1 }))
  await settled()
  t.equal(socket.timeoutMs, replyStallMs)
  t.ok(memory.budget.bytesUsed > document.length)
  // The head, then the document.
  socket.flush()
  await settled()
  socket.flush()
  await settled()
  t.equal(socket.timeoutMs, 0)
  t.equal(memory.budget.bytesUsed, 0)
})

t.test('a connection that ends sends its last reply first', async (t) => {
  let answer = (_document: Uint8Array): void => {}
  const { socket, connection } = open(
    () =>
      new Promise((resolve) => {
        answer = resolve
      }),
  )
  socket.push(command({ ping: 1 }))
  await settled()
  connection.end()
  t.equal(socket.writableEnded, false)
  answer(ok)
  await settled()
  t.equal(socket.writableEnded, true)
  t.equal(socket.destroyed, false)
  socket.flush()
  await settled()
  t.equal(socket.destroyed, true)
})
