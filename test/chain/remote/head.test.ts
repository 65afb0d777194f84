// The shared head: one look for all who ask, published after what it brings, and not believed when
// it is old, gone far back, or silent.

import t, { type Test } from 'tap'
import type { Clock } from '../../../src/base/clock.js'
import { silentLog } from '../../../src/base/log.js'
import { type Apply, SharedHead } from '../../../src/chain/remote/head.js'
import { readHeader } from '../../../src/chain/remote/header.js'
import { refusal } from '../../support/chain-room.js'
import { ScriptedChain } from '../../support/scripted-chain.js'

const away = refusal('CHAIN_UNAVAILABLE')

interface Given {
  readonly isPushed?: boolean
  readonly chainId?: number
  readonly apply?: Apply
  readonly highest?: number
}

function open(t: Test, chain: ScriptedChain, given: Given = {}) {
  const { isPushed = false, chainId = 1, apply = async () => {}, highest } = given
  // The wall clock runs with the chain unless a test moves it.
  const clock: Clock & { ms: number; ahead: number } = {
    ...{ ms: 0, ahead: 0 },
    now: () => chain.head.timestamp * 1_000 + clock.ahead,
    elapsed: () => clock.ms,
  }
  let looks = 0
  let fault: Error | undefined
  const latest = async () => {
    looks++
    if (fault !== undefined) throw fault
    const params = ['latest', false]
    return readHeader(await chain.request({ method: 'eth_getBlockByNumber', params }))
  }
  const onBlock = isPushed ? (listener: () => void) => chain.onBlock(listener) : undefined
  const head = new SharedHead({ chainId, latest, onBlock, clock, log: silentLog })
  head.start(apply, highest === undefined ? {} : { highest })
  t.teardown(() => head.close())
  return {
    ...{ head, clock, looks: () => looks },
    fails: (error: Error | undefined) => {
      fault = error
    },
  }
}

t.test('however many ask, there is one look a second', async (t) => {
  const chain = new ScriptedChain(5)
  const { head, clock, looks } = open(t, chain)
  const heads = await Promise.all([head.fresh(), head.fresh(), head.fresh()])
  t.ok(heads.every(({ number }) => number === 4))
  t.equal(looks(), 1)
  chain.extend(1)
  clock.ms += 900
  t.equal((await head.fresh()).number, 4)
  clock.ms += 200
  t.equal((await Promise.all([head.fresh(), head.fresh()]))[1]?.number, 5)
  t.equal(looks(), 2)
})

t.test('a head is published after what it brings has been taken in', async (t) => {
  const chain = new ScriptedChain(5)
  let go = (): void => {}
  const taken: number[] = []
  const { head } = open(t, chain, {
    apply: async ({ number }) => {
      await new Promise<void>((resolve) => {
        go = resolve
      })
      taken.push(number)
    },
  })
  const told: number[] = []
  head.onHead(({ number }) => told.push(number))
  const fresh = head.fresh()
  await new Promise((resolve) => setImmediate(resolve))
  t.equal(head.current, undefined)
  t.equal(head.isFresh, false)
  go()
  await fresh
  t.same([taken, told, head.current?.number], [[4], [4], 4])
})

t.test('a local chain announces its blocks, and no reader sees the one before', async (t) => {
  const chain = new ScriptedChain(1)
  const { head, clock, looks } = open(t, chain, { isPushed: true })
  await head.fresh()
  clock.ms += 3_600_000
  t.equal(head.isFresh, true, 'no block, no news')
  t.equal(head.ageMs, 0)
  const before = looks()
  await head.fresh()
  t.equal(looks(), before)
  for (let i = 1; i <= 5; i++) {
    chain.extend(1)
    chain.tell()
    t.equal((await head.fresh()).number, i)
  }
  chain.extend(1)
  await head.reached(6)
  await t.rejects(head.reached(9), /does not appear/)
})

t.test('one look may fail, two may not, and three seconds without are too long', async (t) => {
  const chain = new ScriptedChain(1)
  const { head, clock, fails } = open(t, chain)
  await head.fresh()
  clock.ms += 1_500
  fails(new Error('secret address'))
  await t.rejects(head.fresh(), away)
  t.equal(head.isFresh, true)
  await t.rejects(head.fresh(), away)
  t.equal(head.isFresh, false)
  t.equal(head.trouble, 'no answer', 'and no secrets')
  await t.rejects(head.fresh(), away, 'at once, without another look')
  fails(undefined)
  while (!head.isFresh) await new Promise((resolve) => setTimeout(resolve, 20))
  await head.fresh()
  t.equal(head.trouble, undefined)
  clock.ms += 3_001
  t.equal(head.isFresh, false)
})

t.test('an old head is none, but on chains that make blocks on demand', async (t) => {
  for (const [chainId, isTaken] of [
    [1, false],
    [1_337, true],
    [31_337, true],
  ] as const) {
    const { head, clock } = open(t, new ScriptedChain(1), { chainId })
    clock.ahead = 120_000
    const asked = head.fresh()
    if (isTaken) t.match(await asked, { number: 0 })
    else await t.rejects(asked, { ...away, message: /120 s old/ })
  }
})

t.test('a head may go back a little, not far, over restarts too', async (t) => {
  const chain = new ScriptedChain(200)
  const { head, clock } = open(t, chain)
  await head.fresh()
  chain.cut(140)
  clock.ms += 1_100
  t.match(await head.fresh(), { number: 139 })
  chain.cut(135)
  clock.ms += 1_100
  await t.rejects(head.fresh(), /went back from block 199 to 134/)
  const later = open(t, chain, { highest: 199 })
  await t.rejects(later.head.fresh(), /went back/)
})

t.test('what cannot be taken in is not published', async (t) => {
  let broken = true
  const chain = new ScriptedChain(3)
  const { head } = open(t, chain, {
    apply: async () => {
      if (broken) throw new Error('the log of keys')
    },
  })
  await t.rejects(head.fresh(), away)
  t.equal(head.current, undefined)
  broken = false
  t.match(await head.fresh(), { number: 2 })
})
