// Connections and subscriptions of an account over several gateways: each knows those of the others,
// forgets those of a gateway that is gone, and closes what was opened beyond the bound.

import t, { type Test } from 'tap'
import { levelTurns } from '../../src/base/limits/identity.js'
import { Quotas } from '../../src/bus/quota.js'
import { SettledLevels } from '../../src/bus/settled-levels.js'
import { TestExchange } from '../support/exchanges.js'

const limits = {
  ...{ storageBytes: 0, collections: 0, graphs: 0, commandMs: 0 },
  ...{ connections: 3, subscriptions: 2 },
}

interface Gateway {
  readonly exchange: TestExchange
  readonly levels: SettledLevels
  readonly quotas: Quotas
  /** Names of its connections that were closed as too many. */
  readonly ended: string[]
  /** Opens a connection of the account `a`; false if it is refused. */
  open(name: string): boolean
  close(name: string): void
}

function openGateway(t: Test, exchange: TestExchange): Gateway {
  const levels = new SettledLevels(exchange)
  t.teardown(() => levels.close())
  const quotas = new Quotas(limits, levels)
  const ended: string[] = []
  const connections = new Map<string, { end(): void }>()
  const close = (name: string) => {
    const connection = connections.get(name)
    if (connection !== undefined) quotas.disconnect('a', connection)
    connections.delete(name)
  }
  const open = (name: string) => {
    const end = () => {
      ended.push(name)
      close(name)
    }
    const connection = { end }
    const isOpen = quotas.connect('a', connection)
    if (isOpen) connections.set(name, connection)
    return isOpen
  }
  return { exchange, levels, quotas, ended, open, close }
}

function openPair(t: Test): readonly [Gateway, Gateway] {
  const [one, two] = TestExchange.open(2).map((exchange) => openGateway(t, exchange))
  if (one === undefined || two === undefined) throw new Error('there are two')
  return [one, two]
}

t.test('the bound is that of all gateways', async (t) => {
  const [one, two] = openPair(t)
  t.same([one.open('1'), one.open('2')], [true, true])
  one.levels.settle()
  t.same([two.open('3'), two.open('4')], [true, false])
  t.same(two.quotas.openOf('a'), { connections: 3, subscriptions: 0 })
  two.levels.settle()
  t.equal(one.open('5'), false)
  one.close('1')
  one.levels.settle()
  t.equal(two.open('6'), true, 'one that is closed makes room everywhere')
  t.ok(two.quotas.connect('b', { end: () => undefined }), 'another account is not concerned')
  t.same([...one.ended, ...two.ended], [])
})

t.test('subscriptions too', async (t) => {
  const [one, two] = openPair(t)
  one.quotas.subscribe('a')
  one.quotas.subscribe('a')
  one.levels.settle()
  t.throws(() => two.quotas.subscribe('a'), { message: 'ERR max number of subscriptions reached' })
  one.quotas.unsubscribe('a')
  one.levels.settle()
  two.quotas.subscribe('a')
  t.equal(two.quotas.openOf('a').subscriptions, 2)
})

t.test('what was opened at the same time is closed down to the bound', async (t) => {
  const [one, two] = openPair(t)
  for (const name of ['1', '2']) one.open(name)
  for (const name of ['3', '4', '5']) two.open(name)
  one.levels.settle()
  two.levels.settle()
  one.levels.settle()
  two.levels.settle()
  t.same(one.ended, [], 'one of them keeps its own')
  t.same(two.ended, ['4', '5'], 'the other one ends its newest')
  t.equal(one.quotas.openOf('a').connections, 3)
  t.equal(two.quotas.openOf('a').connections, 3)
})

t.test('a gateway that is gone has none', async (t) => {
  const [one, two] = openPair(t)
  for (const name of ['1', '2', '3']) one.open(name)
  one.levels.settle()
  t.equal(two.open('4'), false)
  one.exchange.leave()
  t.equal(two.open('4'), true)
  t.equal(two.quotas.openOf('a').connections, 1)
})

t.test('a gateway that comes learns of all', async (t) => {
  const [one, two] = openPair(t)
  one.exchange.isCut = true
  for (const name of ['1', '2', '3']) one.open(name)
  one.levels.settle()
  one.exchange.isCut = false
  two.exchange.join()
  one.levels.settle()
  t.equal(two.open('4'), false)
})

t.test('lost messages are made up for', async (t) => {
  const [one, two] = openPair(t)
  for (const name of ['1', '2', '3']) one.open(name)
  one.levels.settle()
  one.exchange.isCut = true
  for (const name of ['1', '2', '3']) one.close(name)
  one.quotas.subscribe('a')
  one.levels.settle()
  one.exchange.isCut = false
  t.equal(two.open('4'), false)
  const turns = 2 * levelTurns
  for (let i = 0; i < turns; i++) one.levels.settle()
  t.equal(two.open('4'), true, 'it is not told any more')
  t.equal(two.quotas.openOf('a').subscriptions, 1, 'it is told anew')
  one.exchange.isCut = true
  one.quotas.unsubscribe('a')
  one.levels.settle()
  one.exchange.isCut = false
  one.exchange.lose()
  for (let i = 0; i < turns; i++) one.levels.settle()
  t.equal(two.quotas.openOf('a').subscriptions, 0)
})

t.test('a gateway without others keeps nothing', async (t) => {
  const [exchange] = TestExchange.open(1)
  const only = openGateway(t, exchange as TestExchange)
  for (const name of ['1', '2', '3']) t.equal(only.open(name), true)
  t.equal(only.open('4'), false)
  only.levels.settle()
  t.same(only.exchange.sent, [])
})
