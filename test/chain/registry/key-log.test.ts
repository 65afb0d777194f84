// The log of keys over a chain made by hand: it reads everything once, in pieces that the node
// takes, forgets what a reorganisation took back, and never forgets a revocation.

import fc from 'fast-check'
import t from 'tap'
import { silentLog } from '../../../src/base/log.js'
import { KeyLog } from '../../../src/chain/registry/key-log.js'
import { readHeader } from '../../../src/chain/remote/header.js'
import { RpcError } from '../../../src/chain/remote/provider.js'
import { Rows, scopeOf } from '../../../src/chain/rows.js'
import { openMemoryStore } from '../../../src/store/memory.js'
import type { Store } from '../../../src/store/store.js'
import { runs } from '../../support/runs.js'
import {
  ScriptedChain,
  type ScriptedEvent,
  scriptedContract,
} from '../../support/scripted-chain.js'
import { eachStore } from '../../support/stores.js'
import { testWallet } from '../../support/wallet.js'

const alice = testWallet('alice').address
const bob = testWallet('bob').address
const commitment = 'c0'.repeat(32)
const storedKey = '5e'.repeat(32)

const registered = (address: string, index = 0): ScriptedEvent => ({
  ...{ kind: 'registered', address, index, commitment, storedKey },
})
const revoked = (address: string, index = 0): ScriptedEvent => ({
  ...{ kind: 'revoked', address, index, commitment },
})

function openLog(chain: ScriptedChain, store: Store) {
  const ended: string[] = []
  let rewinds = 0
  const ending = new AbortController()
  const log = new KeyLog({
    ...{ provider: chain, contract: scriptedContract, deployBlock: 0, isRemote: true, store },
    ...{ log: silentLog, signal: ending.signal },
    rows: new Rows(scopeOf(1, scriptedContract)),
    onRevoked: (address, index) => ended.push(`${address} ${index}`),
    onRewind: () => {
      rewinds++
    },
  })
  const catchUp = async () => {
    const params = ['latest', false]
    await log.catchUp(readHeader(await chain.request({ method: 'eth_getBlockByNumber', params })))
  }
  const holders = async () => {
    const found = await log.candidates(commitment)
    return found.map(({ address, index, block }) => `${address} ${index} ${block}`)
  }
  return { log, catchUp, holders, ended, ending, rewinds: () => rewinds }
}

eachStore(
  t,
  'candidates come in the order of blocks, squatters first or not',
  async (t, { store }) => {
    const chain = new ScriptedChain(5)
    chain.add([registered(bob)])
    chain.add([])
    chain.add([revoked(bob), registered(alice, 3), registered(bob, 1)])
    const { log, catchUp, holders, ended } = openLog(chain, store)
    t.same(await holders(), [], 'nothing is read before it is asked to')
    await catchUp()
    t.same(await holders(), [`${bob} 0 5`, `${alice} 3 7`, `${bob} 1 7`])
    t.same(ended, [`${bob} 0`])
    t.equal(await log.isRevoked(bob, 0), true)
    t.equal(await log.isRevoked(bob, 1), false)
    t.match((await log.candidates(commitment))[0]?.storedKey, Buffer.from(storedKey, 'hex'))
    await catchUp()
    t.equal((await holders()).length, 3, 'what is read twice is there once')
    t.same(ended, [`${bob} 0`], 'and told once')
  },
)

eachStore(t, 'a restart goes on where the last run was', async (t, { store }) => {
  const chain = new ScriptedChain(50)
  chain.add([registered(alice)])
  const first = openLog(chain, store)
  await first.catchUp()
  chain.add([registered(bob)])
  chain.asked.length = 0
  const second = openLog(chain, store)
  t.equal(await second.log.place(), 50)
  await second.catchUp()
  t.same(await second.holders(), [`${alice} 0 50`, `${bob} 0 51`])
  t.same(chain.ranges(), [[43, 51]], 'and reads a few blocks again, for nodes that lagged')
})

t.test('a range that the node refuses is halved until it is taken, and grows back', async (t) => {
  const chain = new ScriptedChain(1)
  for (let i = 0; i < 20_000; i++) chain.add(i % 1_000 === 0 ? [registered(alice, i)] : [])
  for (const refusal of [-32_602, -32_005, -32_000].map((code) => new RpcError(code, 'range'))) {
    const store = openMemoryStore()
    chain.asked.length = 0
    chain.refusal = refusal
    chain.logBlocksMax = 700
    const { catchUp, holders } = openLog(chain, store)
    await catchUp()
    t.equal((await holders()).length, 20, `code ${refusal.code}`)
    const taken = chain.ranges().filter(([from, to]) => to - from < 700)
    t.same(taken[0]?.[0], 0)
    const sizes = taken.map(([from, to]) => to - from + 1)
    t.equal(sizes[0], 625, 'the half of a half of ten thousand')
    const refused = chain.ranges().length - taken.length
    t.ok(refused >= 4 && refused < 12, `${refused} refusals: larger ones are tried seldom`)
    let next = 0
    for (const [from, to] of taken) {
      t.equal(from, next)
      next = to + 1
    }
    await store.close()
  }
})

t.test('a node that refuses a single block is away, and what was read stays', async (t) => {
  const chain = new ScriptedChain(30_000)
  const store = openMemoryStore()
  chain.logBlocksMax = 0
  const { log, catchUp, ending } = openLog(chain, store)
  await t.rejects(catchUp(), { code: -32_005 })
  t.equal(await log.place(), undefined)
  chain.logBlocksMax = 5_000
  await catchUp()
  t.equal(await log.place(), 29_999)
  chain.extend(10)
  ending.abort()
  await t.rejects(catchUp(), /closing/)
})

eachStore(
  t,
  'a reorganisation takes registrations back, never revocations',
  async (t, { store }) => {
    const chain = new ScriptedChain(10)
    chain.add([registered(alice)])
    const { log, catchUp, holders, ended, rewinds } = openLog(chain, store)
    await catchUp()
    chain.extend(2)
    chain.add([registered(bob), revoked(alice)])
    await catchUp()
    t.same(await holders(), [`${alice} 0 10`, `${bob} 0 13`])
    chain.cut(12)
    chain.extend(3, 'other')
    await catchUp()
    t.equal(rewinds(), 1)
    t.same(await holders(), [`${alice} 0 10`], "bob's is gone")
    t.equal(await log.isRevoked(alice, 0), true, "alice's revocation is not")
    chain.add([registered(bob, 1)])
    await catchUp()
    t.same(await holders(), [`${alice} 0 10`, `${bob} 1 15`])
    t.same(ended, [`${alice} 0`])
    t.equal(rewinds(), 1)
  },
)

t.test('a node that lags behind its own word is not a reorganisation', async (t) => {
  const chain = new ScriptedChain(20)
  const store = openMemoryStore()
  const { log, catchUp, holders, rewinds } = openLog(chain, store)
  for (let i = 0; i < 5; i++) {
    chain.add(i === 4 ? [registered(alice)] : [])
    await catchUp()
  }
  chain.cut(22)
  await catchUp()
  t.equal(rewinds(), 0)
  t.same(await holders(), [`${alice} 0 24`])
  t.equal(await log.place(), 24)
})

t.test('events that a node calls removed, and those of others, are not taken in', async (t) => {
  const chain = new ScriptedChain(5)
  chain.add([{ ...registered(alice), removed: true }])
  const { catchUp, holders } = openLog(chain, openMemoryStore())
  await catchUp()
  t.same(await holders(), [])
  const foreign = openLog(chain, openMemoryStore())
  const honest = chain.request.bind(chain)
  chain.request = async (request) => {
    const answer = await honest(request)
    if (request.method !== 'eth_getLogs') return answer
    return (answer as object[]).map((one) => ({ ...one, address: bob, removed: false }))
  }
  await t.rejects(foreign.catchUp(), /not of the contract/)
})

t.test('whatever is cut and grown, the log holds what the last chain holds', async (t) => {
  const step = fc.record({
    cut: fc.nat(6),
    grow: fc.integer({ min: 1, max: 8 }),
    at: fc.nat(7),
    index: fc.nat(3),
    looks: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const chain = new ScriptedChain(1)
      const store = openMemoryStore()
      const { catchUp, holders } = openLog(chain, store)
      const model: string[][] = [[]]
      for (const [n, { cut, grow, at, index, looks }] of steps.entries()) {
        const length = Math.max(1, model.length - cut)
        chain.cut(length)
        model.length = length
        for (let i = 0; i < grow + cut; i++) {
          const events = i === at ? [registered(alice, index)] : []
          model.push(events.map(() => `${alice} ${index} ${model.length}`))
          chain.add(events, String(n))
        }
        if (looks) await catchUp()
      }
      await catchUp()
      t.same(await holders(), model.flat())
      await store.close()
    }),
    { numRuns: runs(60) },
  )
})
