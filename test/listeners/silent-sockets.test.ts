// Sockets without a login: whose place a newcomer takes, and who is never refused.

import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import t from 'tap'
import { keyOf, SilentSockets } from '../../src/listeners/silent-sockets.js'

class FakeSocket extends EventEmitter {
  isDestroyed = false

  constructor(
    readonly remoteAddress: string | undefined,
    readonly remotePort: number,
  ) {
    super()
  }

  destroy(): void {
    this.isDestroyed = true
    this.emit('close')
  }
}

let nextPort = 1

function added(silent: SilentSockets, address: string): FakeSocket {
  const socket = new FakeSocket(address, nextPort++)
  silent.add(socket as unknown as Socket)
  return socket
}

const keyOfFake = (socket: FakeSocket) => keyOf(socket as unknown as Socket)

t.test('the oldest of the address that has most goes', async (t) => {
  const silent = new SilentSockets({ all: 10, ofAddress: 8 })
  const many = Array.from({ length: 7 }, () => added(silent, '10.0.0.1'))
  const few = Array.from({ length: 3 }, () => added(silent, '10.0.0.2'))
  const newcomer = added(silent, '10.0.0.3')
  t.same(
    many.map((each) => each.isDestroyed),
    [true, ...Array.from({ length: 6 }, () => false)],
  )
  t.notOk(few.some((each) => each.isDestroyed))
  t.equal(newcomer.isDestroyed, false)
  t.equal(silent.size, 10)
})

t.test('an address beyond its share loses its own oldest', async (t) => {
  const silent = new SilentSockets({ all: 10, ofAddress: 2 })
  const other = added(silent, '10.0.0.2')
  const own = Array.from({ length: 3 }, () => added(silent, '::ffff:10.0.0.1'))
  t.equal(own[0]?.isDestroyed, true)
  t.equal(other.isDestroyed, false)
  t.equal(silent.size, 3)
})

t.test('the addresses of one /64 are one', async (t) => {
  const silent = new SilentSockets({ all: 10, ofAddress: 2 })
  const first = added(silent, '2001:db8::1')
  added(silent, '2001:db8::2')
  added(silent, '2001:db8::3')
  t.equal(first.isDestroyed, true)
})

t.test('who has logged in, or has gone, is none of them', async (t) => {
  const silent = new SilentSockets({ all: 2, ofAddress: 2 })
  const known = added(silent, '10.0.0.1')
  silent.remove(keyOfFake(known))
  const gone = added(silent, '10.0.0.1')
  gone.destroy()
  t.equal(silent.size, 0)
  added(silent, '10.0.0.1')
  added(silent, '10.0.0.2')
  added(silent, '10.0.0.3')
  t.equal(known.isDestroyed, false)
  silent.add(known as unknown as Socket)
  t.equal(silent.size, 2, 'out again it counts as the newest')
  known.emit('close')
  t.equal(silent.size, 1)
})

t.test('a proxy is exempt, and what has gone before it came is not counted', async (t) => {
  const silent = new SilentSockets({ all: 1, ofAddress: 1 }, (address) => address === '10.0.0.9')
  const proxied = Array.from({ length: 5 }, () => added(silent, '::ffff:10.0.0.9'))
  t.notOk(proxied.some((each) => each.isDestroyed))
  silent.add(new FakeSocket(undefined, 1) as unknown as Socket)
  t.equal(silent.size, 0)
  t.equal(silent.makeRoom(), false)
  added(silent, '10.0.0.1')
  t.equal(silent.makeRoom(), true)
})

t.test('however many sockets of few addresses come, another address is let in', async (t) => {
  const silent = new SilentSockets({ all: 1_000, ofAddress: 500 })
  const newcomer = added(silent, '10.0.1.1')
  for (let i = 0; i < 5_000; i++) added(silent, `10.0.0.${i % 20}`)
  t.equal(newcomer.isDestroyed, false)
  t.equal(silent.size, 1_000)
})

t.test('a socket that logs in and out again is listened to once', async (t) => {
  const silent = new SilentSockets({ all: 10, ofAddress: 10 })
  const socket = added(silent, '10.0.0.1')
  for (let i = 0; i < 20; i++) {
    silent.remove(keyOfFake(socket))
    t.equal(socket.listenerCount('close'), 0)
    silent.add(socket as unknown as Socket)
    silent.add(socket as unknown as Socket)
    t.equal(socket.listenerCount('close'), 1)
  }
})
