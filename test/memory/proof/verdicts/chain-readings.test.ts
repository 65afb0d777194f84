// How often the chain is asked about a root: once for all who ask at the same time, and again when
// what it said is a minute old, or five seconds where it did not confirm the root.

import { id } from 'ethers'
import t from 'tap'
import { graphKey } from '../../../../src/memory/graph/graph-key.js'
import {
  ChainReadings,
  verifyBlocksMax,
} from '../../../../src/memory/proof/verdicts/chain-readings.js'
import { AnchorRoom } from '../../../support/anchor-room.js'
import { ManualClock } from '../../../support/engine-room.js'

const room = await AnchorRoom.open(t)
await room.remember('g', ['one'])
await room.anchor('g')
const [anchor] = await room.anchors('g')
const { root = '' } = anchor ?? {}
const key = await room.inGraph('g', function* (_, graph) {
  return graphKey(graph)
})

function counted(isAway = false, tookMs = 0) {
  const clock = new ManualClock()
  const counts = { asked: 0 }
  const client = () => {
    counts.asked++
    clock.ms += tookMs
    return isAway ? Promise.reject(new Error('away')) : room.chain.anchors.client()
  }
  const readings = new ChainReadings({ anchors: { isConfigured: true, client }, clock })
  return { clock, counts, readings }
}

t.test('a confirmed root is remembered for a minute', async (t) => {
  const { clock, counts, readings } = counted()
  const both = await Promise.all([readings.of(key, root, null), readings.of(key, root, null)])
  t.match(both, [{ kind: 'found', entry: { sequence: 1, count: 1, prev: null } }, both[0]])
  clock.ms += 59_999
  await readings.of(key, root, null)
  t.equal(counts.asked, 1)
  clock.ms += 1
  await readings.of(key, root, null)
  t.equal(counts.asked, 2)
})

for (const [kind, isAway] of [
  ['absent', false],
  ['unreachable', true],
] as const) {
  t.test(`a root that is ${kind} is asked for again after five seconds`, async (t) => {
    const { clock, counts, readings } = counted(isAway)
    t.match(await readings.of(key, id('other'), null), { kind })
    clock.ms += 4_999
    await readings.of(key, id('other'), null)
    t.equal(counts.asked, 1)
    clock.ms += 1
    await readings.of(key, id('other'), null)
    t.equal(counts.asked, 2)
  })
}

t.test("one graph's root says nothing about another's", async (t) => {
  const { counts, readings } = counted()
  t.match(await readings.of(key, root, null), { kind: 'found' })
  t.match(await readings.of(id('another graph'), root, null), { kind: 'absent' })
  t.equal(counts.asked, 2)
})

t.test('ranges of blocks are asked for until the time is over', async (t) => {
  const { clock, counts, readings } = counted(false, 1_000)
  const far = Array.from({ length: 10 }, (_, i) => ({
    root: id(`${i}`),
    block: i * verifyBlocksMax,
  }))
  await readings.gather(key, far, clock.elapsed() + 2_500)
  t.equal(counts.asked, 3)
})
