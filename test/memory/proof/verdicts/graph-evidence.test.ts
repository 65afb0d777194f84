// The anchors of a whole graph: every one is gone through, in requests of a bounded size that a
// cursor links, and what is wrong with any of them is found.

import t from 'tap'
import { type Clock, systemClock } from '../../../../src/base/clock.js'
import { verifyGraphMs } from '../../../../src/base/limits/memory.js'
import { AnchorRoom, anchorEach, programsIn } from '../../../support/anchor-room.js'

const room = await AnchorRoom.open(t)
const [many, entries] = [12, 5]
const texts = Array.from({ length: many }, (_, i) => `memory ${i}`)
await anchorEach(room, 'many', await room.remember('many', texts))
const whole = { anchors: many, memories: many, sequence: many, chainSequence: many }

const verifyMany = () => room.verifyGraph('many', room.proofs(), entries)

/** Changes the oldest anchor, which is on the last page. */
async function tamperOldest(
  change: Readonly<Record<string, unknown>>,
): Promise<() => Promise<void>> {
  const oldest = (await room.anchors('many', many)).at(-1)?.id ?? ''
  let before: Record<string, unknown> = {}
  await room.tamper('many', 'anchors', oldest, (fields) => {
    before = fields
    return { ...fields, ...change }
  })
  return () => room.tamper('many', 'anchors', oldest, () => before)
}

t.test('all anchors are checked, more than a page of them', async (t) => {
  t.match(await verifyMany(), {
    ...{ ...whole, verified: true, checked: many, problem: null },
  })
})

t.test('what is wrong on the last page is found', async (t) => {
  const changes = [
    [{ tx: `0x${'1'.repeat(64)}` }, 'root not found on chain'],
    [{ count: 2 }, 'root not found on chain'],
    [{ block: -1, chainId: 5 }, 'root not found on chain'],
    [{ prev: `0x${'1'.repeat(64)}` }, 'anchor chain broken'],
    [{ seq: 2 }, 'anchor chain broken'],
  ] as const
  for (const [change, problem] of changes) {
    const undo = await tamperOldest(change)
    t.match(await verifyMany(), { verified: false, problem })
    await undo()
  }
})

t.test('a block that is told wrongly costs a question and no verdict', async (t) => {
  const undo = await tamperOldest({ block: 1e9 })
  t.match(await verifyMany(), { verified: true, checked: many })
  await undo()
})

t.test(
  'an oldest anchor that was taken away breaks the chain of those that are left',
  async (t) => {
    const oldest = (await room.anchors('many', many)).at(-1)?.id ?? ''
    let before: Record<string, unknown> = {}
    await room.tamper('many', 'anchors', oldest, (fields) => {
      before = fields
      return undefined
    })
    t.match(await verifyMany(), { problem: 'anchor chain broken', anchors: many - 1 })
    t.equal(before.seq, 1)
  },
)

t.test('a request that has no time left answers where the next one goes on', async (t) => {
  const slow = await AnchorRoom.open(t, { chain: room.chain })
  await anchorEach(slow, 'slow', await slow.remember('slow', texts))
  let elapsed = 0
  const clock: Clock = { ...systemClock, elapsed: () => (elapsed += verifyGraphMs / 4) }
  const { read } = programsIn(slow.store, 'slow')
  const first = await slow.proofs(slow.chain, { clock }).verifyGraph(read)
  t.match(first, { verified: false, complete: false, problem: null, cursor: String })
  t.match(first?.progress, { done: Number, of: Number })
  t.match(await slow.verifyGraph('slow'), { verified: true, complete: true, checked: many })
})
