// The node of the local chain: blocks and their times, transactions that wait, what a failed commit
// leaves behind.

import { runBlock } from '@ethereumjs/vm'
import { encodeRlp, toBeHex, Wallet } from 'ethers'
import t from 'tap'
import {
  chainAheadSecondsMax,
  chainGapMs,
  chainQueueSenderMax,
} from '../../../src/base/limits/chain.js'
import { Records } from '../../../src/chain/local/records.js'
import { openWorld } from '../../../src/chain/local/state.js'
import * as code from '../../support/bytecode.js'
import {
  chainId,
  ether,
  FaultyStorage,
  openNodeRoom,
  settle,
  startMs,
} from '../../support/local-node.js'

interface Block {
  readonly number: string
  readonly hash: string
  readonly timestamp: string
  readonly transactions: readonly string[]
}

t.test('transactions that come together share a block, in order of their nonces', async (t) => {
  const { sign, send, request, blocks } = openNodeRoom(t)
  const raws = await Promise.all(Array.from({ length: 20 }, (_, nonce) => sign(nonce)))
  const mixed = [...raws.slice(10).reverse(), ...raws.slice(0, 10)]
  const hashes = await Promise.all(mixed.map(send))
  t.ok(blocks.length <= 2, `${blocks.length} blocks`)
  const head = (await request('eth_getBlockByNumber', 'latest', false)) as Block
  t.ok(head.transactions.every((hash) => hashes.includes(hash)))
  t.equal(await request('eth_getBalance', `0x${'0'.repeat(36)}dead`, 'latest'), '0x14')
})

t.test('after a pause a transaction is mined at once, with the time of now', async (t) => {
  const room = openNodeRoom(t)
  await room.send(await room.sign(0))
  room.now += 3_600_000
  await room.send(await room.sign(1))
  t.same(room.wakes, [])
  t.equal(room.blocks.at(-1)?.timestamp, (startMs + 3_600_000) / 1000)
})

t.test('the time of the chain is never further ahead than its bound', async (t) => {
  const room = openNodeRoom(t)
  const wall = () => Math.floor(room.now / 1000)
  let mined = 0
  for (let nonce = 0; nonce < chainAheadSecondsMax + 20; nonce++) {
    const sent = room.send(await room.sign(nonce))
    await settle()
    if (room.blocks.length === mined) {
      t.ok(room.wakes.length > 0, 'it asked to be woken')
      t.ok((room.wakes.at(-1) ?? 0) <= 1_000, 'within a second')
      room.now += 1_000
      room.node.tick()
    }
    await sent
    mined = room.blocks.length
    const ahead = (room.blocks.at(-1)?.timestamp ?? 0) - wall()
    if (ahead > chainAheadSecondsMax) t.fail(`block ${mined} is ${ahead} s ahead`)
  }
  t.equal(mined, chainAheadSecondsMax + 20)
  const times = room.blocks.map(({ timestamp }) => timestamp)
  t.ok(times.every((time, i) => i === 0 || time > (times[i - 1] ?? 0)))
})

t.test('a wall clock that is set back stops no block', async (t) => {
  const room = openNodeRoom(t)
  await room.send(await room.sign(0))
  room.now -= 3_600_000
  const sent = room.send(await room.sign(1))
  await settle()
  room.node.tick()
  await sent
  t.equal(room.blocks.length, 2)
})

t.test('nonces: too low, already known, one that is missing', async (t) => {
  const room = openNodeRoom(t)
  const first = await room.sign(0)
  await room.send(first)
  await t.rejects(room.send(first), {
    code: -32000,
    message: /^nonce too low: next nonce 1, tx nonce 0/,
  })
  const third = await room.sign(2)
  const waiting = room.send(third)
  await settle()
  await t.rejects(room.send(third), { code: -32000, message: 'already known' })
  t.equal(await room.request('eth_getTransactionCount', room.wallet.address, 'pending'), '0x1')
  await Promise.all([room.send(await room.sign(1)), waiting])
  t.equal(await room.request('eth_getTransactionCount', room.wallet.address, 'pending'), '0x3')
})

t.test('one that waits too long for a missing nonce is refused', async (t) => {
  const room = openNodeRoom(t)
  const waiting = room.send(await room.sign(1))
  const refused = t.rejects(waiting, { code: -32000, message: /^nonce too high/ })
  await settle()
  t.ok(room.wakes.includes(chainGapMs))
  room.now += chainGapMs
  room.node.tick()
  await refused
  await room.send(await room.sign(0))
  t.equal(await room.request('eth_getTransactionCount', room.wallet.address, 'pending'), '0x1')
})

t.test('pending counts what waits without a gap', async (t) => {
  const room = openNodeRoom(t)
  const waiting = [1, 2, 4].map(async (nonce) => room.send(await room.sign(nonce)))
  await settle()
  t.equal(await room.request('eth_getTransactionCount', room.wallet.address, 'pending'), '0x0')
  const sent = room.send(await room.sign(0))
  await Promise.all([sent, ...waiting.slice(0, 2)])
  t.equal(await room.request('eth_getTransactionCount', room.wallet.address, 'latest'), '0x3')
  const last = t.rejects(waiting[2] ?? Promise.resolve(), { message: /^nonce too high/ })
  room.now += chainGapMs
  room.node.tick()
  await last
})

t.test('a replacement pays a tenth more, or is refused', async (t) => {
  const room = openNodeRoom(t)
  const before = room.send(await room.sign(1, { maxFeePerGas: 1_000, maxPriorityFeePerGas: 100 }))
  await settle()
  const cheap = room.sign(1, { value: 2, maxFeePerGas: 1_099, maxPriorityFeePerGas: 110 })
  await t.rejects(room.send(await cheap), { message: 'replacement transaction underpriced' })
  const replaced = t.rejects(before, { message: /replaced/ })
  const dear = room.sign(1, { value: 3, maxFeePerGas: 1_100, maxPriorityFeePerGas: 110 })
  const better = room.send(await dear)
  await replaced
  await Promise.all([room.send(await room.sign(0)), better])
  t.equal(await room.request('eth_getBalance', `0x${'0'.repeat(36)}dead`, 'latest'), '0x4')
})

t.test('one sender cannot fill the queue', async (t) => {
  const room = openNodeRoom(t)
  const raws = await Promise.all(
    Array.from({ length: chainQueueSenderMax + 1 }, (_, i) => room.sign(i + 1)),
  )
  const sent = raws.map((raw) =>
    room.send(raw).then(
      () => 'mined',
      (error) => error.message,
    ),
  )
  await settle()
  room.now += chainGapMs
  room.node.tick()
  const told = await Promise.all(sent)
  t.equal(told.filter((text) => text === 'account limit exceeded').length, 1)
})

/** Libraries refuse to sign such a transaction: its signature is made up. */
const tipAboveFee = `0x02${encodeRlp([
  toBeHex(chainId),
  ...['0x', '0x0b', '0x0a', toBeHex(21_000), `0x${'de'.repeat(20)}`, '0x', '0x'],
  [],
  ...['0x', `0x${'11'.repeat(32)}`, `0x${'22'.repeat(32)}`],
]).slice(2)}`

t.test('refusals have the words of geth', async (t) => {
  const room = openNodeRoom(t)
  const poor = new Wallet(Wallet.createRandom().privateKey)
  const refusals: [raw: Promise<string> | string, message: RegExp][] = [
    [room.sign(0, {}, poor), /^insufficient funds for gas \* price \+ value: balance 0, tx cost /],
    [room.sign(0, { gasLimit: 20_999 }), /^intrinsic gas too low/],
    [room.sign(0, { gasLimit: 6_000_001 }), /^transaction gas limit too high/],
    [room.sign(0, { maxFeePerGas: 1 }), /^max fee per gas less than block base fee/],
    [room.sign(0, { chainId: 1 }), /^invalid sender/],
    [
      room.sign(0, {
        type: 0,
        chainId: 1,
        gasPrice: 10,
        maxFeePerGas: null,
        maxPriorityFeePerGas: null,
      }),
      /chain/,
    ],
    [tipAboveFee, /^max priority fee per gas higher than max fee per gas$/],
    [room.sign(0, { to: null, data: `0x${'00'.repeat(49_153)}`, gasLimit: 6_000_000 }), /initcode/],
    ['0x', /^typed transaction too short$/],
    ['0x03c0', /^transaction type not supported$/],
    ['0x04c0', /^transaction type not supported$/],
    ['0xc0', /^rlp: /],
    ['0xf86c0001', /^rlp: /],
    ['0x02ff', /^rlp: /],
  ]
  for (const [raw, message] of refusals) {
    await t.rejects(room.send(await raw), { code: -32000, message }, String(message))
  }
  t.same(room.blocks, [])
  const unprotected = await room.wallet.signTransaction({
    ...{ type: 0, nonce: 0, to: poor.address, gasLimit: 21_000, gasPrice: 10 },
  })
  await t.rejects(room.send(unprotected), { message: /^only replay-protected/ })
})

t.test('types 0, 1 and 2 are taken', async (t) => {
  const room = openNodeRoom(t)
  const to = Wallet.createRandom().address
  const one = { chainId, to, value: 5, gasLimit: 30_000 }
  const accessList = [{ address: to, storageKeys: [`0x${'11'.repeat(32)}`] }]
  await room.send(await room.wallet.signTransaction({ ...one, type: 0, nonce: 0, gasPrice: 10 }))
  const second = { ...one, type: 1, nonce: 1, gasPrice: 11, accessList }
  const hash = await room.send(await room.wallet.signTransaction(second))
  await room.send(await room.sign(2, { to, accessList, gasLimit: 30_000, maxPriorityFeePerGas: 3 }))
  const types = await Promise.all(
    room.blocks.flatMap(({ number }) =>
      room.request('eth_getBlockByNumber', `0x${number.toString(16)}`, true),
    ),
  )
  const shown = types.flatMap(
    (block) => (block as { transactions: { type: string; gasPrice: string }[] }).transactions,
  )
  t.same(
    shown.map(({ type }) => type),
    ['0x0', '0x1', '0x2'],
  )
  t.same(
    shown.map(({ gasPrice }) => gasPrice),
    ['0xa', '0xb', '0xa'],
  )
  t.match(await room.request('eth_getTransactionByHash', hash), {
    accessList: [{ storageKeys: [`0x${'11'.repeat(32)}`] }],
  })
})

t.test('a block that cannot be kept leaves nothing behind', async (t) => {
  const room = openNodeRoom(t)
  await room.send(await room.sign(0))
  const before = await room.request('eth_getBlockByNumber', 'latest', false)
  const raw = await room.sign(1)
  room.storage.fails = 1
  await t.rejects(room.send(raw), { code: -32603, message: 'the transaction could not be kept' })
  t.equal(room.storage.closed, 1)
  t.same(await room.request('eth_getBlockByNumber', 'latest', false), before)
  t.equal(room.storage.opened, 2)
  t.equal(await room.request('eth_getTransactionCount', room.wallet.address, 'latest'), '0x1')
  t.equal(room.blocks.length, 1, 'it was not announced')
  await room.send(raw)
  t.equal(await room.request('eth_blockNumber'), '0x2')
})

t.test('a commit that failed after all was written is found at the next opening', async (t) => {
  const room = openNodeRoom(t)
  const raw = await room.sign(0)
  await room.request('eth_blockNumber')
  room.storage.fails = 1
  room.storage.keeps = true
  await t.rejects(room.send(raw), { code: -32603 })
  t.equal(await room.request('eth_blockNumber'), '0x1')
  await t.rejects(room.send(raw), { message: /^nonce too low/ })
})

t.test('a block is told before its transactions are answered', async (t) => {
  const room = openNodeRoom(t)
  const order: string[] = []
  const sent = room
    .send(await room.sign(0))
    .then(() => order.push(`answer after ${room.blocks.length}`))
  await sent
  t.same(order, ['answer after 1'])
})

t.test(
  'head, state, receipts and keys are there after a restart; the first block is the same',
  async (t) => {
    const storage = new FaultyStorage()
    const room = openNodeRoom(t, storage)
    const hash = await room.send(await room.sign(0, { value: 7n * ether }))
    const look = async (at: typeof room) => ({
      genesis: await at.request('eth_getBlockByNumber', '0x0', true),
      head: await at.request('eth_getBlockByNumber', 'latest', true),
      receipt: await at.request('eth_getTransactionReceipt', hash),
      balance: await at.request('eth_getBalance', `0x${'0'.repeat(36)}dead`, 'latest'),
      keys: await at.node.keys(),
    })
    const before = await look(room)
    await room.node.close()
    const again = openNodeRoom(t, storage, room.wallet)
    again.now += 86_400_000
    t.same(await look(again), before)
    await again.send(await again.sign(1))
    t.equal(await again.request('eth_blockNumber'), '0x2')
  },
)

t.test('every block is what another client makes of it', async (t) => {
  const storage = new FaultyStorage()
  const room = openNodeRoom(t, storage)
  const deploy = { to: null, value: 0, gasLimit: 1_000_000 }
  await Promise.all([
    room.send(await room.sign(0, { ...deploy, data: code.creationOf(code.logger(3)) })),
    room.send(await room.sign(1, { ...deploy, data: code.creationOf(code.storer) })),
    room.send(await room.sign(2, { ...deploy, data: code.creationOf(code.reverter('')) })),
  ])
  const { receipts } = await room.node.head()
  const targets = receipts.map(({ contractAddress }) => contractAddress)
  for (let round = 0; round < 3; round++) {
    // Enough for indexes of two bytes in the tries of one block.
    const raws = await Promise.all(
      Array.from({ length: 140 }, (_, i) => {
        const data = `0x${(round * 140 + i).toString(16).padStart(64, '0').repeat(3)}`
        const call = {
          to: targets[i % 3],
          value: 0,
          data,
          gasLimit: 60_000,
          maxPriorityFeePerGas: i,
        }
        return room.sign(3 + round * 140 + i, call)
      }),
    )
    for (let i = 0; i < raws.length; i += 60)
      await Promise.all(raws.slice(i, i + 60).map(room.send))
  }
  const records = new Records(storage, room.node.common)
  for (let number = 1; number <= (await room.node.head()).number; number++) {
    const block = records.block(number)?.block
    const parent = records.block(number - 1)?.block
    if (block === undefined || parent === undefined) throw new Error('a block is missing')
    const root = parent.header.stateRoot
    const world = await openWorld(storage, room.node.common, root, () => parent.hash())
    // Compares gas, bloom, and the roots of state and receipts with the header's.
    await runBlock(world.vm, { block, root, skipHeaderValidation: true })
    t.ok(await block.transactionsTrieIsValid(), `block ${number}`)
  }
})

t.test('every block falls under the same rules, whatever its number and time', async (t) => {
  const { node } = openNodeRoom(t)
  for (const [blockNumber, timestamp] of [
    [0n, 0n],
    [1n, 1n],
    [10n ** 6n, 1n],
    [1n, 10n ** 12n],
    [10n ** 9n, 10n ** 12n],
  ]) {
    const found = node.common.getHardforkBy({
      blockNumber: blockNumber ?? 0n,
      timestamp: timestamp ?? 0n,
    })
    t.equal(found, 'cancun')
  }
})

t.test('a folder of another chain id is refused', async (t) => {
  const storage = new FaultyStorage()
  const room = openNodeRoom(t, storage)
  await room.request('eth_blockNumber')
  const { LocalNode } = await import('../../../src/chain/local/node.js')
  const other = new LocalNode({
    ...{ chainId: 5, fund: [], now: () => startMs, openStorage: () => storage },
    random: { bytes: (count) => new Uint8Array(count).fill(1) },
    wake: () => undefined,
    onBlock: () => undefined,
    onError: () => undefined,
  })
  await t.rejects(other.head(), { message: /was made with chain id 31337/ })
  await other.close()
})

t.test('fund gives what is missing, once', async (t) => {
  const room = openNodeRoom(t)
  const { address } = Wallet.createRandom()
  const balance = async () =>
    BigInt(String(await room.request('eth_getBalance', address, 'latest')))
  await Promise.all([1, 2, 3].map(() => room.node.fund(address, ether)))
  t.equal(await balance(), ether)
  t.equal(room.blocks.length, 1)
  await room.node.fund(address, ether)
  t.equal(await balance(), ether)
  t.equal(room.blocks.length, 1)
  const many = Array.from({ length: 10 }, () => Wallet.createRandom().address)
  await Promise.all(many.map((one) => room.node.fund(one, ether)))
  for (const one of many) {
    t.equal(await room.request('eth_getBalance', one, 'latest'), `0x${ether.toString(16)}`)
  }
})

t.test('closing refuses what waits', async (t) => {
  const room = openNodeRoom(t)
  const waiting = t.rejects(room.send(await room.sign(1)), { message: 'the local chain is closed' })
  await settle()
  await room.node.close()
  await waiting
  await t.rejects(room.request('eth_blockNumber'), { message: 'the local chain is closed' })
})
