// The job that anchors: when it does, what it puts in one transaction, how it goes on after
// failures and on a chain that has lost its blocks, and that no second job disturbs it.

import t from 'tap'
import type { OpenChain } from '../../../../src/chain/open.js'
import { beginAnchor, gather, markSome } from '../../../../src/memory/proof/anchors/anchor-batch.js'
import { buryMemory } from '../../../../src/memory/proof/leaves/tombstone.js'
import { openMemoryStore } from '../../../../src/store/memory.js'
import { AnchorRoom } from '../../../support/anchor-room.js'
import { LateStore } from '../../../support/late-store.js'

t.setTimeout(120_000)
const minutes = 60_000
const numbered = (count: number, name = 'memory') =>
  Array.from({ length: count }, (_, i) => `${name} ${i}`)

const room = await AnchorRoom.open(t)

t.test(
  '256 memories are due, and one that is ten minutes old; fewer and younger wait',
  async (t) => {
    await room.remember('few', numbered(255), 9 * minutes)
    await room.remember('many', numbered(256))
    await room.remember('old', ['first'], 10 * minutes)
    await room.remember('old', ['second'])
    await room.settle()
    t.same(await room.anchors('few'), [])
    t.match(await room.anchors('many'), [{ seq: 1, count: 256, status: 'confirmed' }])
    t.match(await room.anchors('old'), [{ seq: 1, count: 2, status: 'confirmed' }])
    const [[many], [old]] = [await room.anchors('many'), await room.anchors('old')]
    t.equal(many?.tx, old?.tx, 'all that is due is one transaction')
    await room.remember('few', ['one more'])
    await room.settle()
    t.match(await room.anchors('few'), [{ seq: 1, count: 256 }])
  },
)

t.test('who asks while a round finds nothing to do does not wait for the next poll', async (t) => {
  const { job } = room.anchoring
  const round = job.round()
  job.hurry()
  t.equal(await round, true)
  t.equal(await job.round(), false)
})

t.test('what is too much for one batch becomes several, one after the other', async (t) => {
  const ids = await room.remember('large', numbered(1_100))
  await room.anchor('large')
  const anchors = await room.anchors('large')
  t.same(
    anchors.map(({ seq, count, status }) => [seq, count, status]),
    [
      [2, 100, 'confirmed'],
      [1, 1_000, 'confirmed'],
    ],
  )
  t.equal(anchors[0]?.prev, anchors[1]?.root)
  for (const id of [ids[0], ids[999], ids.at(-1)]) {
    t.ok((await room.verify('large', id ?? '')).verified)
  }
  t.match(await room.verifyGraph('large'), {
    ...{ verified: true, anchors: 2, memories: 1_100, sequence: 2, chainSequence: 2, pending: 0 },
    ...{ failed: 0, root: anchors[0]?.root, problem: null },
  })
})

t.test('anchors of one millisecond, or of a clock set back, sort as they were made', async (t) => {
  await room.remember('times', ['one', 'two', 'three'])
  const made: (string | undefined)[] = []
  for (const [i, now] of [5_000, 5_000, 4_000].entries()) {
    const random = new Uint8Array(10).fill(200 - i)
    const anchor = await room.inGraph('times', function* (tx, graph) {
      const { ids, hashes, ns, found } = yield* gather(tx, graph)
      const first = { ids: ids.slice(0, 1), hashes: hashes.slice(0, 1), ns: ns.slice(0, 1) }
      const batch = { ...first, found: found.slice(0, 1), isAll: false }
      const made = { root: `root ${i}`, random, now, isAlone: false }
      const begun = yield* beginAnchor(tx, graph, batch, made)
      if (begun !== undefined) yield* markSome(tx, graph, begun, batch, 0)
      return begun
    })
    made.unshift(anchor?.id)
  }
  const anchors = await room.anchors('times')
  t.same(
    anchors.map(({ id, seq, createdAt }) => [id, seq, createdAt]),
    made.map((id, i) => [id, 3 - i, 5_002 - i]),
  )
  for (const id of made) await room.tamper('times', 'anchors', id ?? '', () => undefined)
})

t.test('of a deleted memory a tombstone stays, and its batch proves the others', async (t) => {
  const [gone = '', stays = ''] = await room.remember('tombs', ['gone', 'stays'])
  await room.anchor('tombs')
  const [anchor] = await room.anchors('tombs')
  const { computedHash: hash } = await room.verify('tombs', gone)
  await room.inGraph('tombs', (tx, { anchors }) =>
    buryMemory(tx, anchors, { id: gone, hash, anchorId: anchor?.id ?? '' }, 7),
  )
  await room.tamper('tombs', 'nodes', gone, () => undefined)
  t.match(await room.verify('tombs', gone), { verified: false, problem: 'not found' })
  t.match(await room.verify('tombs', `tomb_${gone}`), { problem: 'not found' })
  t.ok((await room.verify('tombs', stays)).verified)
  t.equal((await room.anchors('tombs')).length, 1)
})

t.test('a memory that was deleted before it was anchored is in no batch', async (t) => {
  const [gone = ''] = await room.remember('early', ['gone', 'stays'])
  await room.tamper('early', 'nodes', gone, () => undefined)
  await room.anchor('early')
  t.match(await room.anchors('early'), [{ count: 1 }])
})

t.test('an invalid stored hash delays no other memory', async (t) => {
  const [bad = '', , twin = ''] = await room.remember('bad', ['bad', 'good', 'twin'])
  await room.tamper('bad', 'nodes', bad, (fields) => ({ ...fields, hash: '0x' }))
  const { computedHash: hash } = await room.verify('bad', twin)
  const [another = ''] = await room.remember('bad', ['another'])
  await room.tamper('bad', 'nodes', another, (fields) => ({ ...fields, hash }))
  await room.anchor('bad')
  const [first] = await room.anchors('bad')
  t.match(first, { seq: 1, count: 3, status: 'confirmed', error: null })
  t.ok((await room.verify('bad', twin)).verified)
})

t.test('two jobs over one store: the one without the lease does nothing', async (t) => {
  const shared = await AnchorRoom.open(t, { store: openMemoryStore(), chain: room.chain })
  await shared.remember('before', ['one'])
  await shared.anchor('before')
  await shared.remember('leased', ['one'])
  const proofs = shared.proofs()
  const { job } = proofs
  await shared.request('leased', proofs)
  await job.round()
  t.same(await shared.anchors('leased'), [])
  await shared.anchoring.job.close()
  await job.round()
  t.match(await shared.anchors('leased'), [{ status: 'confirmed' }])
  await job.close()
})

t.test('two jobs at once over a store that answers late anchor everything once', async (t) => {
  const store = new LateStore({ seed: 7, conflictChance: 0.1 })
  const shared = await AnchorRoom.open(t, { store, chain: room.chain })
  await shared.remember('late', numbered(30))
  const both = [shared.anchoring, shared.proofs()]
  const jobs = both.map(({ job }) => job)
  for (let rounds = 0; rounds < 3; rounds++) {
    for (const proofs of both) await shared.request('late', proofs)
    await Promise.all(jobs.map((job) => job.round()))
  }
  t.match(await shared.anchors('late'), [{ seq: 1, count: 30, status: 'confirmed' }])
  t.same(jobs.map(({ counts }) => counts.transactions).sort(), [0, 1])
  t.match(await shared.verifyGraph('late'), { verified: true, chainSequence: 1 })
})

t.test('a chain that is away: tried again, shown as failed after five times', async (t) => {
  let chain: OpenChain | undefined
  const working = await AnchorRoom.open(t, { store: openMemoryStore(), chain: room.chain })
  const anchors = {
    isConfigured: true,
    client: () => chain?.anchors.client() ?? Promise.reject(new Error('away')),
  }
  const proofs = working.proofs({ kind: 'local', chainId: 31_337, anchors })
  const { job } = proofs
  await working.remember('tried', ['one'])
  await working.request('tried', proofs)
  await job.round()
  t.match(await working.anchors('tried'), [
    { status: 'pending', attempts: 1, error: 'no answer', tx: null },
  ])
  await job.round()
  t.match(await working.anchors('tried'), [{ attempts: 1 }], 'not before a while')
  for (const attempts of [2, 3, 4, 5]) {
    job.hurry()
    await job.round()
    t.match(await working.anchors('tried'), [{ attempts }])
  }
  t.match(await working.anchors('tried'), [{ status: 'failed', seq: 1 }])
  t.match(await working.verifyGraph('tried'), { verified: false, failed: 1, pending: 0 })
  t.equal(job.counts.failures, 5)
  chain = working.chain
  job.hurry()
  await job.round()
  t.match(await working.anchors('tried'), [{ status: 'confirmed', attempts: 0, error: null }])
  t.same({ ...job.counts }, { memories: 1, transactions: 1, failures: 5 })
})

t.test('a store that was set back goes on behind what the chain has, and shows it', async (t) => {
  await room.remember('back', ['one'])
  await room.anchor('back')
  const [two = ''] = await room.remember('back', ['two'])
  await room.anchor('back')
  const [newest] = await room.anchors('back')
  const { id = '', root } = newest ?? {}
  await room.tamper('back', 'anchors', id, () => undefined)
  await room.tamper('back', 'nodes', two, () => undefined)
  t.match(await room.verifyGraph('back'), { verified: false, problem: 'anchors missing' })
  const [three = ''] = await room.remember('back', ['three'])
  await room.anchor('back')
  t.match(await room.anchors('back'), [{ seq: 3, prev: root }, { seq: 1 }])
  const whole = { hashValid: true, anchored: true, proofValid: true, onChain: true }
  t.match(await room.verify('back', three), { ...whole, problem: 'anchor chain broken' })
  t.match(await room.verifyGraph('back'), { verified: false, problem: 'anchor chain broken' })
})

t.test('roots that the chain has lost are anchored again, in their order', async (t) => {
  const ids: string[] = []
  for (const name of ['one', 'two', 'three']) {
    ids.push(...(await room.remember('lost', [name])))
    await room.anchor('lost')
  }
  const anchors = await room.anchors('lost')
  await room.anchoring.job.close()
  const after = await AnchorRoom.open(t, { store: room.store })
  const [first = ''] = ids
  t.match(await after.verify('lost', first), { problem: 'root not found on chain' })
  await after.settle()
  const again = await after.anchors('lost')
  t.same(
    again.map(({ id, seq, prev, root, status }) => ({ id, seq, prev, root, status })),
    anchors.map(({ id, seq, prev, root, status }) => ({ id, seq, prev, root, status })),
  )
  t.equal(again[0]?.tx, again[2]?.tx, 'in one transaction')
  for (const id of ids) t.ok((await after.verify('lost', id)).verified)
  const [large] = await after.anchors('large')
  t.match(large, { seq: 2, status: 'confirmed', tx: again[0]?.tx }, 'other graphs with them')
  t.match(await after.verifyGraph('lost'), { verified: true, sequence: 3 })
})
