// Calls of clients take seconds of the worker's time: meanwhile Sigil's own questions are
// answered, or no key could be checked.

import t from 'tap'
import { runMethod } from '../../../src/chain/local/methods.js'
import * as code from '../../support/bytecode.js'
import { ether, openNodeRoom } from '../../support/local-node.js'

/** Curve multiplications, 6,000 gas each: in a loop, and one after the other without a jump. */
const multiplication = '60006000606060006007620f4240fa50'
const multiplications = multiplication.repeat(400)
const multiplier = `5b${multiplication}600056`
const dearest = 3_000_000

t.test("Sigil's own calls overtake one of others that is under way", async (t) => {
  const { node, request } = openNodeRoom(t)
  await request('eth_blockNumber')
  for (const runtime of [code.loop, multiplier, multiplications]) {
    const order: string[] = []
    const data = `0x${runtime}`
    const params = [{ data, gas: `0x${dearest.toString(16)}` }, 'latest']
    const other = runMethod(node, 'other', 'eth_call', params)
      .catch(() => undefined)
      .then(() => order.push('other'))
    await begun()
    const own = request('eth_call', { data: '0x' }).then(() => order.push('own'))
    await Promise.all([other, own])
    t.same(order, ['own', 'other'], runtime)
  }
})

t.test('a dear transaction holds up its block alone', async (t) => {
  const { sign, send, request } = openNodeRoom(t)
  await request('eth_call', { data: '0x' })
  for (const [nonce, runtime] of [code.loop, multiplier, multiplications].entries()) {
    const order: string[] = []
    const raw = await sign(nonce, { to: null, value: 0, data: `0x${runtime}`, gasLimit: dearest })
    const sent = send(raw).then(() => order.push('block'))
    await begun()
    const own = request('eth_call', { data: '0x' }).then(() => order.push('own'))
    await Promise.all([sent, own])
    t.same(order, ['own', 'block'], runtime)
  }
})

t.test("Sigil's own transactions have a block to themselves", async (t) => {
  const { node, blocks, sign, send } = openNodeRoom(t)
  const dear = { to: null, value: 0, data: `0x${code.loop}`, gasLimit: dearest }
  const [first, second] = await Promise.all([sign(0, dear), sign(1, dear)])
  const sent = [send(first)]
  await begun()
  // While the first block is being made, both of these come to wait for the next.
  sent.push(send(second))
  const order: string[] = []
  const funded = node.fund(`0x${'ab'.repeat(20)}`, ether).then(() => order.push('own'))
  await Promise.all([funded, ...sent.map((one) => one.then(() => order.push('other')))])
  t.same(order, ['other', 'own', 'other'])
  t.equal(blocks.length, 3)
})

t.test('what the EVM cannot interrupt is bounded', async (t) => {
  const { request } = openNodeRoom(t)
  const call = (rounds: string) => {
    const data = `0x${rounds}${'00'.repeat(208)}01`
    return request('eth_call', { to: `0x${'0'.repeat(39)}9`, data, gas: '0x2dc6c0' })
  }
  t.match(await call('000186a0'), /^0x[0-9a-f]{128}$/)
  await t.rejects(call('000186a1'), { message: 'out of gas' })
})

/** Long enough for a call to be on its way. */
async function begun(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve))
}
