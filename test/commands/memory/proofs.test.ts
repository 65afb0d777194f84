// verifyMemory, verifyGraph and anchorGraph as commands: their arguments, who may, and what they say
// where there is no chain.

import t from 'tap'
import { systemClock } from '../../../src/base/clock.js'
import type { Identity } from '../../../src/identity/identity.js'
import { AnchorRoom, database, rememberIn } from '../../support/anchor-room.js'
import { refusal } from '../../support/chain-room.js'
import { CommandRoom } from '../../support/command-room.js'
import { testWallet } from '../../support/wallet.js'

const anchors = await AnchorRoom.open(t)
const { store, anchoring: proofs } = anchors
const room = new CommandRoom(store, systemClock, { services: { proofs } })
const run = (command: Readonly<Record<string, unknown>>) => room.run(command, database)
const otherWallet: Identity = {
  ...{ kind: 'session', address: testWallet('otherWallet').address, sid: 's', chainId: 31_337 },
}

t.test('what was written is anchored on request and then verified', async (t) => {
  const [id = '', other = ''] = await rememberIn(store, 'g', ['one', 'two'], systemClock.now())
  t.match(await run({ verifyMemory: 'g', id }), {
    ...{ verified: false, hashValid: true, problem: 'not anchored yet', ok: 1 },
  })
  const made = await run({ anchorGraph: 'g', ids: [id] })
  t.match(made, { anchorId: /^anc_[0-9A-Z]{26}$/, count: 1, ok: 1 })
  await anchors.settle()
  t.match(await run({ verifyMemory: 'g', id }), {
    ...{ verified: true, problem: null, anchoredAt: Number, explorerUrl: null },
  })
  t.match(await run({ verifyMemory: 'g', id: other }), { verified: false })
  t.match(await run({ anchorGraph: 'g', ids: [id] }), {
    ...{ anchorId: null, count: 0 },
  })
  t.match(await run({ anchorGraph: 'g' }), { count: 1 })
  await anchors.settle()
  t.match(await run({ verifyGraph: 'g' }), {
    ...{ verified: true, anchors: 2, memories: 2, sequence: 2, problem: null },
  })
})

t.test('arguments are looked at, and unknown names told', async (t) => {
  const long = 'm'.repeat(129)
  const wrong: readonly [command: Record<string, unknown>, kind: string][] = [
    [{ verifyMemory: 'g', id: '' }, 'BadValue'],
    [{ verifyMemory: 'g', id: long }, 'BadValue'],
    [{ verifyMemory: 'no graph', id: 'mem_1' }, 'BadValue'],
    [{ anchorGraph: 'g', ids: [long] }, 'BadValue'],
    [{ anchorGraph: 'g', ids: Array(1_001).fill('mem_1') }, 'BadValue'],
    [{ anchorGraph: 'g', ids: ['mem_none'] }, 'NodeNotFound'],
    [{ verifyGraph: 'unknown' }, 'GraphNotFound'],
  ]
  for (const [command, kind] of wrong) {
    await t.rejects(run(command), { name: 'GatewayError', kind })
  }
  t.match(await run({ verifyMemory: 'unknown', id: 'mem_1' }), {
    ...{ verified: false, computedHash: '', problem: 'not found', ok: 1 },
  })
  t.match(await run({ anchorGraph: 'unknown' }), { anchorId: null, count: 0 })
})

t.test('another wallet neither verifies nor anchors what is private', async (t) => {
  room.session.identity = otherWallet
  for (const command of [{ verifyMemory: 'g', id: 'mem_1' }, { anchorGraph: 'g' }]) {
    await t.rejects(run(command), { code: 13 })
  }
})

t.test('without a chain nothing is anchored, and no batch is made', async (t) => {
  const unchained = new CommandRoom(store, systemClock)
  await rememberIn(store, 'alone', ['one'], systemClock.now())
  const away = { isConfigured: false, client: () => Promise.reject(new Error('none')) }
  const none = anchors.proofs({ kind: 'remote', chainId: 1, anchors: away })
  const remote = new CommandRoom(store, systemClock, { services: { proofs: none } })
  for (const chainless of [unchained, remote]) {
    const asked = chainless.run({ anchorGraph: 'alone' }, database)
    await t.rejects(asked, refusal('CHAIN_UNAVAILABLE', { kind: 'HostUnreachable' }))
  }
  t.same(await anchors.anchors('alone'), [])
})
