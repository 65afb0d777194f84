// Several endpoints as one: how many have to agree, who is outvoted, and what differs from node to
// node without a lie.

import t from 'tap'
import { silentLog } from '../../../src/base/log.js'
import { RpcError, type RpcRequest } from '../../../src/chain/remote/provider.js'
import { Quorum } from '../../../src/chain/remote/quorum.js'
import type { NamedProvider } from '../../../src/chain/remote/rpc-endpoint.js'

type Answer = (request: RpcRequest) => unknown

function endpoint(name: string, answer: Answer): NamedProvider {
  return { name, request: async (request) => answer(request) }
}

const says = (value: unknown) => (): unknown => value
const throws = (error: Error) => (): never => {
  throw error
}
const hangs = (): Promise<never> => new Promise(() => {})
const dead = throws(new Error('ECONNREFUSED'))
const call = { method: 'eth_call', params: [] }

function quorum(need: number, ...answers: readonly Answer[]): Quorum {
  return new Quorum(
    answers.map((answer, i) => endpoint(`node${i}`, answer)),
    need,
    silentLog,
  )
}

const block = (number: number, fork = 'a') => ({
  number: `0x${number.toString(16)}`,
  hash: `0x${`${fork}${number.toString(16)}`.padEnd(64, '0')}`,
  parentHash: `0x${`${fork}${(number - 1).toString(16)}`.padEnd(64, '0')}`,
  timestamp: '0x1',
})

/** A node whose newest block is `number`. */
const node =
  (number: number, fork = 'a') =>
  ({ method, params = [] }: RpcRequest) => {
    if (method !== 'eth_getBlockByNumber') return null
    if (params[0] === 'latest') return block(number, fork)
    return Number(params[0]) <= number ? block(Number(params[0]), fork) : null
  }

t.test('an answer counts once enough have given it', async (t) => {
  t.equal(await quorum(2, says('0x1'), says('0x1')).request(call), '0x1')
  t.equal(await quorum(2, says('0x1'), hangs, says('0x1')).request(call), '0x1', 'one hangs')
  t.equal(await quorum(2, says('0x2'), says('0x1'), says('0x1')).request(call), '0x1', 'one lies')
  t.equal(await quorum(2, dead, says('0x1'), says('0x1')).request(call), '0x1', 'one is down')
  t.equal(await quorum(1, dead, says('0x1')).request(call), '0x1', 'the other stands in')
  t.equal(await quorum(2, says('0xAB'), says('0xab')).request(call), '0xAB', 'case is no lie')
})

t.test('without agreement there is no answer', async (t) => {
  await t.rejects(quorum(2, says('0x1'), says('0x2')).request(call), /contradict/)
  await t.rejects(quorum(2, says('0x1'), dead).request(call), /ECONNREFUSED/)
  await t.rejects(quorum(3, says('1'), says('1'), says('2')).request(call), /contradict/)
  await t.rejects(quorum(2, dead, dead).request(call), /ECONNREFUSED/)
})

t.test('a revert is an answer, and another revert another answer', async (t) => {
  const revert = (data: string) => throws(new RpcError(3, 'execution reverted', data))
  await t.rejects(quorum(2, revert('0x01'), revert('0x01')).request(call), {
    code: 3,
    data: '0x01',
  })
  await t.rejects(quorum(2, revert('0x01'), revert('0x02')).request(call), /contradict/)
  await t.rejects(quorum(2, revert('0x01'), says('0x')).request(call), /contradict/)
  const tooMuch = throws(new RpcError(-32_005, 'limit'))
  const logs = { method: 'eth_getLogs', params: [] }
  await t.rejects(quorum(2, tooMuch, says([])).request(logs), { code: -32_005 }, 'ask for less')
})

t.test('what nodes add of their own is no contradiction', async (t) => {
  const log = { address: '0xA', topics: ['0x1'], data: '0x', blockHash: '0x2', logIndex: '0x0' }
  const logs = { method: 'eth_getLogs', params: [] }
  const more = [{ ...log, blockTimestamp: '0x5' }]
  t.same(await quorum(2, says(more), says([log])).request(logs), [log], 'nor passed on')
  const other = [{ ...log, data: '0x1' }]
  await t.rejects(quorum(2, says([log]), says(other)).request(logs), /contradict/)
  await t.rejects(quorum(2, says([log]), says([])).request(logs), /contradict/)
  const removed = [{ ...log, removed: true }]
  await t.rejects(quorum(2, says(removed), says([log])).request(logs), /contradict/)
  t.same(await quorum(2, says([{ ...log, removed: false }]), says([log])).request(logs), [log])
})

t.test('fees need no quorum, a transaction goes to all', async (t) => {
  const fee = { method: 'eth_maxPriorityFeePerGas' }
  t.equal(await quorum(2, says('0x1'), says('0x2')).request(fee), '0x1')
  t.equal(await quorum(2, dead, says('0x2')).request(fee), '0x2')
  const sent: string[] = []
  const takes = (name: string) => () => {
    sent.push(name)
    return '0xhash'
  }
  const send = { method: 'eth_sendRawTransaction', params: ['0x'] }
  t.equal(await quorum(2, takes('a'), dead, takes('c')).request(send), '0xhash')
  t.same(sent, ['a', 'c'])
  const poor = throws(new RpcError(-32_000, 'insufficient funds'))
  await t.rejects(quorum(2, dead, poor).request(send), { code: -32_000 })
})

t.test('the head is the newest block that enough nodes have', async (t) => {
  t.match(await quorum(2, node(7), node(7)).head(), { number: 7 })
  t.match(await quorum(2, node(9), node(7)).head(), { number: 7 }, 'one is behind')
  t.match(await quorum(2, node(9), node(8), node(3)).head(), { number: 8 }, 'a laggard is outvoted')
  t.match(await quorum(2, node(9), hangs, node(8)).head(), { number: 8 })
  await t.rejects(quorum(2, node(7), node(7, 'b')).head(), /contradict/)
  await t.rejects(quorum(2, node(7), dead).head(), /too few/)
  await t.rejects(quorum(2, node(7), says({ number: 'x' })).head(), /too few/)
  t.match(await quorum(2, node(7), node(7, 'b'), node(7)).head(), { hash: block(7).hash })
})
