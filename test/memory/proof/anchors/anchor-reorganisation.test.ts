// What becomes of anchors whose blocks the chain takes back: found again in another block, sent
// again under the same nonce where they are gone, noticed after they were confirmed, and never
// anchored twice. (docs/memory.md, "Verify"; docs/chain.md, "What you trust")

import { Transaction } from 'ethers'
import t, { type Test } from 'tap'
import { type Clock, systemClock } from '../../../../src/base/clock.js'
import { graphKey } from '../../../../src/memory/graph/graph-key.js'
import { anchorRecheckMs } from '../../../../src/memory/proof/anchors/anchor-job.js'
import { verifyConfirmedMs } from '../../../../src/memory/proof/verdicts/chain-readings.js'
import { AnchorRoom } from '../../../support/anchor-room.js'
import { openClients } from '../../../support/chain-room.js'
import { openForkingRoom } from '../../../support/forking-chain.js'

const confirmations = 3
const { chain, server, environment } = await openForkingRoom(t)

// What is confirmed is looked at so far below the head: the contract has to be there.
await chain.extend(confirmations)

/** A clock that runs ahead as it is told. */
let aheadMs = 0
const clock: Clock = {
  ...systemClock,
  now: () => systemClock.now() + aheadMs,
  elapsed: () => systemClock.elapsed() + aheadMs,
}
/** So long that the head of the chain is looked at again. */
const lookMs = 2_000

async function openRoom(t: Test): Promise<AnchorRoom> {
  const settings = { ...environment, CHAIN_CONFIRMATIONS: String(confirmations) }
  return AnchorRoom.open(t, { chain: await openClients(t, settings, { clock }), clock })
}

async function settle(room: AnchorRoom): Promise<void> {
  aheadMs += lookMs
  await room.settle()
}

/** What Sigil has sent, oldest first. */
function sent(): Transaction[] {
  const calls = server.calls.filter(({ method }) => method === 'eth_sendRawTransaction')
  return calls.map(({ params }) => Transaction.from(String(params[0])))
}

async function sequence(room: AnchorRoom, graph: string): Promise<number> {
  const key = await room.inGraph(graph, function* (_, found) {
    return graphKey(found)
  })
  aheadMs += lookMs
  return (await (await room.chain.anchors.client()).latest(key, 'newest')).sequence
}

t.test('its transaction comes back in another block: it is confirmed there', async (t) => {
  const room = await openRoom(t)
  const [id = ''] = await room.remember('returns', ['one'])
  const mark = chain.mark()
  await room.anchor('returns')
  const [before] = await room.anchors('returns')
  t.match(before, { status: 'submitted', tx: sent().at(-1)?.hash })
  const count = sent().length
  chain.rewind(mark)
  await chain.extend(2)
  await chain.request({ method: 'eth_sendRawTransaction', params: [sent().at(-1)?.serialized] })
  await settle(room)
  t.match(await room.anchors('returns'), [{ status: 'submitted' }])
  await chain.extend(confirmations - 1)
  await settle(room)
  const [after] = await room.anchors('returns')
  t.match(after, { status: 'confirmed', tx: before?.tx, block: Number(before?.block) + 2 })
  t.match(await room.verify('returns', id), { verified: true, txHash: before?.tx })
  t.equal(sent().length, count, 'nothing was sent again')
})

t.test('it never comes back: it is sent again under its nonce, and stands once', async (t) => {
  const room = await openRoom(t)
  const [id = ''] = await room.remember('gone', ['one'])
  const mark = chain.mark()
  await room.anchor('gone')
  const first = sent().at(-1)
  chain.rewind(mark)
  await chain.extend(3)
  await settle(room)
  const second = sent().at(-1)
  t.not(second, first)
  t.equal(second?.nonce, first?.nonce, 'so that the old one cannot land as well')
  t.match(await room.anchors('gone'), [{ status: 'submitted', seq: 1 }])
  const late = { method: 'eth_sendRawTransaction', params: [first?.serialized] }
  if (second?.hash !== first?.hash) await t.rejects(chain.request(late), /nonce/)
  await chain.extend(confirmations - 1)
  await settle(room)
  t.match(await room.anchors('gone'), [{ status: 'confirmed', seq: 1, tx: second?.hash }])
  t.equal(await sequence(room, 'gone'), 1, 'no second anchor')
  t.match(await room.verify('gone', id), { verified: true })
})

t.test(
  'two transactions are gone, and the later one lands after both were sent again',
  async (t) => {
    const room = await openRoom(t)
    await room.remember('pair', ['one'])
    const mark = chain.mark()
    await room.anchor('pair')
    await room.remember('pair', ['two'])
    aheadMs += lookMs
    await room.anchor('pair')
    const later = sent().at(-1)
    chain.rewind(mark)
    await chain.extend(1)
    await settle(room)
    const again = sent().at(-1)
    t.equal(again?.nonce, Number(later?.nonce) - 1, 'both in one, under the nonce of the first')
    await chain.request({ method: 'eth_sendRawTransaction', params: [later?.serialized] })
    await chain.extend(confirmations)
    await settle(room)
    t.match(await room.anchors('pair'), [
      { status: 'confirmed', seq: 2, tx: again?.hash },
      { status: 'confirmed', seq: 1, tx: again?.hash },
    ])
    t.equal(await sequence(room, 'pair'), 2, 'the late one was reverted')
    t.match(await room.verifyGraph('pair'), { verified: true, checked: 2 })
  },
)

t.test('it was confirmed and is lost: verify says so, and the job heals it', async (t) => {
  const room = await openRoom(t)
  const [id = ''] = await room.remember('deep', ['one'])
  const mark = chain.mark()
  await room.anchor('deep')
  await chain.extend(confirmations - 1)
  await settle(room)
  const remembering = room.proofs()
  t.match(await room.anchors('deep'), [{ status: 'confirmed' }])
  t.match(await room.verify('deep', id, remembering), { verified: true })
  chain.rewind(mark)
  await chain.extend(confirmations + 1)
  aheadMs += lookMs
  const lost = { verified: false, onChain: false, problem: 'root not found on chain' }
  t.match(await room.verify('deep', id), lost)
  t.match(await room.verifyGraph('deep'), { ...lost, onChain: undefined, chainSequence: 0 })
  t.match(await room.verify('deep', id, remembering), { verified: true }, 'remembered')
  aheadMs += verifyConfirmedMs - lookMs
  t.match(await room.verify('deep', id, remembering), lost, 'for a minute and no longer')
  await settle(room)
  t.match(await room.anchors('deep'), [{ status: 'confirmed' }], 'not yet noticed')
  aheadMs += anchorRecheckMs
  await settle(room)
  t.match(await room.anchors('deep'), [{ status: 'submitted', seq: 1 }])
  await chain.extend(confirmations - 1)
  await settle(room)
  t.match(await room.verify('deep', id), { verified: true, txHash: sent().at(-1)?.hash })
  t.match(await room.verifyGraph('deep'), { verified: true, sequence: 1 })
})
