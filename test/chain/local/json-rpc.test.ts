// JSON-RPC 2.0 as others speak it to the local chain: bodies, batches, notifications, and refusals.

import fc from 'fast-check'
import t from 'tap'
import { textOf, utf8 } from '../../../src/base/bytes/bytes.js'
import { chainBatchMax } from '../../../src/base/limits/chain.js'
import { answerBody } from '../../../src/chain/local/json-rpc.js'
import { RpcError } from '../../../src/chain/remote/provider.js'
import { runs } from '../../support/runs.js'

async function run(method: string, params: readonly unknown[]): Promise<unknown> {
  if (method === 'echo') return params
  if (method === 'nothing') return undefined
  if (method === 'big') return 'x'.repeat(5 * 1024 * 1024)
  if (method === 'fails') throw new RpcError(3, 'execution reverted', '0x12')
  throw new Error('a secret detail')
}

async function ask(body: unknown): Promise<unknown> {
  const bytes = utf8(typeof body === 'string' ? body : JSON.stringify(body))
  const answer = await answerBody(bytes, run)
  return answer === undefined ? undefined : JSON.parse(textOf(answer))
}

const call = { jsonrpc: '2.0', id: 1, method: 'echo', params: [1] }

t.test('single requests', async (t) => {
  t.same(await ask(call), { jsonrpc: '2.0', id: 1, result: [1] })
  t.same(await ask({ ...call, id: 'a' }), { jsonrpc: '2.0', id: 'a', result: [1] })
  t.same(await ask({ ...call, id: null }), { jsonrpc: '2.0', id: null, result: [1] })
  t.same(await ask({ ...call, params: undefined }), { jsonrpc: '2.0', id: 1, result: [] })
  t.same(await ask({ ...call, params: null }), { jsonrpc: '2.0', id: 1, result: [] })
  t.same(await ask({ ...call, method: 'nothing' }), { jsonrpc: '2.0', id: 1, result: null })
  const error = { code: 3, message: 'execution reverted', data: '0x12' }
  t.same(await ask({ ...call, method: 'fails' }), { jsonrpc: '2.0', id: 1, error })
})

t.test('what cannot be read or is no request', async (t) => {
  const failed = (code: number) => ({ jsonrpc: '2.0', id: null, error: { code } })
  for (const body of ['', '{', 'nonsense', '[1', '\u0000']) t.match(await ask(body), failed(-32700))
  for (const body of [1, '"x"', 'null', [], true, { ...call, jsonrpc: '1.0' }, {}]) {
    t.match(await ask(body), { error: { code: -32600 } })
  }
  t.match(await ask({ ...call, id: {} }), failed(-32600))
  t.match(await ask({ ...call, method: 7 }), { id: 1, error: { code: -32600 } })
  t.match(await ask({ ...call, params: { a: 1 } }), { id: 1, error: { code: -32602 } })
  t.match(await ask(Array(chainBatchMax + 1).fill(call)), failed(-32600))
})

t.test('a failure of ours tells nothing of itself', async (t) => {
  const error = { code: -32603, message: 'internal error' }
  t.same(await ask({ ...call, method: 'breaks' }), { jsonrpc: '2.0', id: 1, error })
})

t.test('notifications are run and not answered', async (t) => {
  const { id: _, ...notification } = call
  t.equal(await ask(notification), undefined)
  t.equal(await ask([notification, notification]), undefined)
  t.equal(await ask({ ...notification, method: 'fails' }), undefined)
})

t.test('a batch is answered in order, each for itself', async (t) => {
  const { id: _, ...notification } = call
  const answers = await ask([
    call,
    7,
    notification,
    { ...call, id: 2, method: 'fails' },
    { ...call, id: 3 },
  ])
  t.match(answers, [{ id: 1, result: [1] }, { id: null }, { id: 2, error: { code: 3 } }, { id: 3 }])
  t.equal((answers as unknown[]).length, 4)
})

t.test('what a batch answers is bounded', async (t) => {
  const answers = await ask([1, 2, 3, 4].map((id) => ({ ...call, id, method: 'big' })))
  const error = { code: -32005, message: 'response too large' }
  t.match((answers as unknown[]).slice(2), [
    { id: 3, error },
    { id: 4, error },
  ])
})

t.test('sends that are neighbours run together', async (t) => {
  let running = 0
  let most = 0
  const slow = async () => {
    most = Math.max(most, ++running)
    await new Promise((resolve) => setImmediate(resolve))
    running--
    return '0x'
  }
  const batch = (method: string) =>
    utf8(JSON.stringify([1, 2, 3].map((id) => ({ ...call, id, method }))))
  await answerBody(batch('eth_sendRawTransaction'), slow)
  t.equal(most, 3)
  most = 0
  await answerBody(batch('eth_call'), slow)
  t.equal(most, 1)
})

t.test('any JSON gets JSON, or nothing', async (t) => {
  const property = fc.asyncProperty(fc.jsonValue(), async (value) => {
    const answer = await ask(value)
    return [answer]
      .flat()
      .every((one) => one === undefined || (one as { jsonrpc: string }).jsonrpc === '2.0')
  })
  await fc.assert(property, { numRuns: runs(300) })
  t.pass('asked')
})
