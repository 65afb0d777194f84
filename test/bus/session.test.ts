// What a session counts is given back when its client leaves, whatever its commands still do.

import t from 'tap'
import { MemoryAccount } from '../../src/base/heap/memory-account.js'
import { Session, type SessionProtocol } from '../../src/bus/session.js'
import { everyone } from '../../src/identity/identity.js'

const megabyte = 1_000_000

function opened(protocol: SessionProtocol = 'wire'): Session {
  const remoteAddress = '127.0.0.1:1'
  return new Session({ protocol, id: 1, remoteAddress, identity: everyone })
}

t.test('the reply of a client that has left does not stay counted', async (t) => {
  const memory = new MemoryAccount(64 * megabyte)
  const session = opened()
  session.replyRoom(memory).expects(5 * megabyte, true)
  t.equal(memory.budget.bytesUsed, 5 * megabyte)
  session.closed = true
  t.equal(memory.budget.bytesUsed, 0)
  session.replied()
  session.replyRoom(memory).expects(5 * megabyte, true)
  t.equal(memory.budget.bytesUsed, 0, 'nor one that is made later')
})

t.test(
  'what a key-value command holds counts until it ends, also if its client has left',
  async (t) => {
    const memory = new MemoryAccount(64 * megabyte)
    const session = opened('resp')
    session.replyRoom(memory).expects(5 * megabyte, true)
    session.closed = true
    t.equal(memory.budget.bytesUsed, 5 * megabyte)
    session.replied()
    t.equal(memory.budget.bytesUsed, 0)
  },
)

t.test('a wait for room that ends after the client has left counts nothing', async (t) => {
  const memory = new MemoryAccount(8 * megabyte)
  const held = memory.shares.open('other')
  held.force(8 * megabyte)
  const session = opened()
  const wait = session
    .replyRoom(memory)
    .expects(5 * megabyte, true)
    ?.begin()
  session.closed = true
  held.close()
  await wait?.done
  t.equal(memory.budget.bytesUsed, 0)
})
