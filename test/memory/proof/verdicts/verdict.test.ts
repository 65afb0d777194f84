// Each way of tampering with a memory, its anchor or the chain, made below every guard, and
// exactly what verify answers to it. (docs/memory.md, "Verify")

import { id } from 'ethers'
import t, { type Test } from 'tap'
import {
  getDocument,
  recordKey,
  replaceDocument,
} from '../../../../src/engine/collection/collections.js'
import { memoryLeaf } from '../../../../src/memory/proof/leaves/leaf.js'
import { memoryHash } from '../../../../src/memory/proof/leaves/memory-hash.js'
import { merkleRoot } from '../../../../src/memory/proof/leaves/merkle.js'
import type { Verdict } from '../../../../src/memory/proof/verdicts/verdict.js'
import { fieldsOf } from '../../../../src/value/elements.js'
import { type Document, documentValue, stringValue } from '../../../../src/value/value.js'
import { writeDocument } from '../../../../src/value/writer.js'
import { AnchorRoom, anchorEach } from '../../../support/anchor-room.js'

const room = await AnchorRoom.open(t)
let graphs = 0

/** A graph with three anchored memories, the first of which is looked at. */
async function anchored(graph = `g${++graphs}`) {
  const ids = await room.remember(graph, ['one', 'two', 'three'])
  await room.anchor(graph)
  const [anchor] = await room.anchors(graph)
  if (anchor === undefined) throw new Error('nothing was anchored')
  return { graph, id: ids[0] ?? '', ids, anchor }
}

const good = { hashValid: true, anchored: true, proofValid: true, onChain: true } as const

/** The flags that do not hold, and the problem's text. */
function refused(
  t: Test,
  verdict: Verdict,
  flags: readonly (keyof typeof good)[],
  problem: Verdict['problem'],
) {
  const wrong = Object.fromEntries(flags.map((flag) => [flag, false]))
  t.match(verdict, { ...good, ...wrong, verified: false, problem }, problem ?? '')
}

t.test('an anchored memory is verified, by what the chain says', async (t) => {
  const { graph, ids, anchor } = await anchored()
  for (const id of ids) {
    const verdict = await room.verify(graph, id)
    t.match(verdict, { ...good, verified: true, problem: null, root: anchor.root })
    t.match(verdict, { txHash: anchor.tx, anchoredAt: anchor.anchoredAt, explorerUrl: null })
    t.match(verdict, { anchoredBy: anchor.anchoredBy, computedHash: /^0x[0-9a-f]{64}$/ })
  }
  t.match(anchor, { seq: 1, prev: null, count: 3, status: 'confirmed', attempts: 0, error: null })
})

t.test('what is not there is not found: no memory, no graph, an entity', async (t) => {
  const { graph } = await anchored()
  const nothing = {
    ...{ verified: false, hashValid: false, anchored: false, proofValid: false, onChain: false },
    ...{ root: null, txHash: null, anchoredAt: null, anchoredBy: null, explorerUrl: null },
    ...{ computedHash: '', problem: 'not found', stateValid: false, complete: false, warnings: [] },
  }
  for (const [of, id] of [
    [graph, 'mem_none'],
    [graph, 'ent_0123456789abcdef01234567'],
    [graph, 'graph'],
    ['nowhere', 'mem_none'],
  ] as const) {
    const { graphKey, ...verdict } = await room.verify(of, id)
    t.same(verdict, nothing)
    t.equal(typeof graphKey === 'string', of === graph)
  }
})

t.test('a memory that no anchor has is not anchored yet', async (t) => {
  const { graph } = await anchored()
  const [fresh = ''] = await room.remember(graph, ['fresh'])
  const rest = ['anchored', 'proofValid', 'onChain'] as const
  refused(t, await room.verify(graph, fresh), rest, 'not anchored yet')
})

t.test('a stored status is not believed: the chain says what is anchored', async (t) => {
  const { graph, id, anchor } = await anchored()
  for (const status of ['pending', 'submitted', 'failed', 'unheard of']) {
    await room.tamper(graph, 'anchors', anchor.id, (fields) => ({ ...fields, status }))
    t.match(await room.verify(graph, id), { ...good, verified: true, problem: null })
  }
  const [unsent = ''] = await room.remember(graph, ['unsent'])
  await anchorEach(room, graph, [unsent], false)
  const [pending] = await room.anchors(graph)
  const { id: pendingId = '' } = pending ?? {}
  const flags = ['anchored', 'proofValid', 'onChain'] as const
  refused(t, await room.verify(graph, unsent), flags, 'not anchored yet')
  await room.tamper(graph, 'anchors', pendingId, (fields) => ({ ...fields, status: 'confirmed' }))
  refused(t, await room.verify(graph, unsent), ['onChain'], 'root not found on chain')
})

/** As an anchor is until the write behind its block. */
const untold = {
  ...{ status: 'pending', tx: null, block: null, anchoredAt: null, anchoredBy: null },
  ...{ chainId: null, contract: null, seq: 7, prev: null },
}

t.test('a block whose transaction is not written down yet is no contradiction', async (t) => {
  const { graph, id, anchor } = await anchored()
  const tamper = (change: Readonly<Record<string, unknown>>) =>
    room.tamper(graph, 'anchors', anchor.id, (fields) => ({ ...fields, ...change }))
  await tamper(untold)
  t.match(await room.verify(graph, id), { ...good, verified: true, problem: null }, 'the memory')
  t.match(await room.verifyGraph(graph), { verified: true, problem: null }, 'the graph')
  await tamper({ status: 'confirmed' })
  refused(t, await room.verify(graph, id), ['onChain'], 'root not found on chain')
  await tamper({ status: 'pending', count: 2 })
  refused(t, await room.verify(graph, id), ['onChain'], 'root not found on chain')
})

/** Each alone, of one memory, which is proved again once it is taken back. */
async function areMismatches(t: Test, changes: readonly Record<string, unknown>[]): Promise<void> {
  const { graph, id } = await anchored()
  for (const change of changes) {
    let before: Record<string, unknown> = {}
    await room.tamper(graph, 'nodes', id, (fields) => {
      before = fields
      return { ...fields, ...change }
    })
    refused(t, await room.verify(graph, id), ['hashValid', 'anchored'], 'content hash mismatch')
    await room.tamper(graph, 'nodes', id, () => before)
  }
  t.ok((await room.verify(graph, id)).verified)
}

t.test('a changed text, author, time, source or list of entities is a mismatch', async (t) => {
  const changes: readonly Record<string, unknown>[] = [
    { text: 'won' },
    { text: 7 },
    { createdBy: '0x0000000000000000000000000000000000000001' },
    { createdAt: 5 },
    { createdAt: Number.NaN },
    { source: { ref: 'elsewhere' } },
    { source: { note: ['added'] } },
    { entities: ['ent_0123456789abcdef01234567'] },
    { supersedes: 'mem_other' },
  ]
  await areMismatches(t, changes)
})

t.test('a field that is not as a memory has it, or that no memory has, is seen', async (t) => {
  const changes: readonly Record<string, unknown>[] = [
    ...['the director wrote this', ['a'], 7].map((source) => ({ source })),
    ...['all of them', { 0: 'ent_other' }].map((entities) => ({ entities })),
    ...[7, ['mem_other'], null].map((supersedes) => ({ supersedes })),
    ...[7, ['0x01'], { name: 'Ada' }].map((createdBy) => ({ createdBy })),
    ...[{ author: 'Ada' }, { id: 'mem_other' }, { names: ['ada'] }],
  ]
  await areMismatches(t, changes)
})

t.test("another's document in its place, and a field that is there twice, are seen", async (t) => {
  const { graph, id, ids } = await anchored()
  const stored = (of: string) =>
    room.inGraph(graph, function* (tx, { nodes }) {
      const document = yield* getDocument(tx, nodes, recordKey(nodes, stringValue(of)))
      if (document === undefined) throw new Error(`there is no ${of}`)
      return document
    })
  const own = await stored(id)
  const put = async (after: Document) => {
    const before = await stored(id)
    await room.inGraph(graph, (tx, { nodes }) =>
      replaceDocument(tx, nodes, recordKey(nodes, stringValue(id)), before, after),
    )
  }
  await put(await stored(ids[1] ?? ''))
  refused(t, await room.verify(graph, id), ['hashValid', 'anchored'], 'content hash mismatch')
  for (const name of ['text', 'id', '_id', 'createdBy']) {
    const twice = writeDocument((writer) => {
      for (const [field, value] of fieldsOf(documentValue(own))) writer.value(field, value)
      writer.string(name, 'evil')
    })
    await put(twice)
    refused(t, await room.verify(graph, id), ['hashValid', 'anchored'], 'content hash mismatch')
  }
  await put(own)
  t.ok((await room.verify(graph, id)).verified)
})

t.test('what is derived from the text is not looked at', async (t) => {
  const { graph, id } = await anchored()
  const later = { keywords: [], len: 99 }
  await room.tamper(graph, 'nodes', id, (fields) => ({ ...fields, ...later }))
  t.ok((await room.verify(graph, id)).verified)
})

t.test('a changed hash is a mismatch', async (t) => {
  const { graph, id: memory } = await anchored()
  await room.tamper(graph, 'nodes', memory, (fields) => ({ ...fields, hash: id('other') }))
  refused(t, await room.verify(graph, memory), ['hashValid'], 'content hash mismatch')
})

t.test('a changed text with its hash made anew is not in the batch', async (t) => {
  const { graph, id } = await anchored()
  await room.tamper(graph, 'nodes', id, (fields) => {
    const createdAt = Number(fields.createdAt)
    const hash = memoryHash({ graph, id, text: 'won', entities: [], createdAt })
    return { ...fields, text: 'won', hash }
  })
  refused(t, await room.verify(graph, id), ['anchored'], 'hash not in anchor batch')
})

/** With the memory's new hash in the batch, in the place of the old one. */
async function forgeBatch(graph: string, memory: string, anchorId: string): Promise<string[]> {
  const key = await room.key(graph)
  let old = ''
  let forged = ''
  await room.tamper(graph, 'nodes', memory, (fields) => {
    const createdAt = Number(fields.createdAt)
    const hash = memoryHash({ graph, id: memory, text: 'won', entities: [], createdAt })
    old = memoryLeaf(key, memory, String(fields.hash))
    forged = memoryLeaf(key, memory, hash)
    return { ...fields, text: 'won', hash }
  })
  let hashes: string[] = []
  await room.tamperBatch(graph, anchorId, (fields) => {
    hashes = (fields.hashes as string[]).map((hash) => (hash === old ? forged : hash))
    return { ...fields, hashes }
  })
  return hashes
}

t.test('a batch that lists the changed memory does not add up to its root', async (t) => {
  const { graph, id, anchor } = await anchored()
  await forgeBatch(graph, id, anchor.id)
  refused(t, await room.verify(graph, id), ['proofValid'], 'merkle proof invalid')
})

t.test('a leaf that was taken away, added or is none spoils the batch of all', async (t) => {
  const { graph, id: memory, ids, anchor } = await anchored()
  const other = ids[1] ?? ''
  const changes: ((hashes: string[]) => unknown[])[] = [
    (hashes) => hashes.slice(0, -1),
    (hashes) => [...hashes, id('added')],
    (hashes) => [...hashes, hashes[0]],
    (hashes) => [...hashes.slice(0, -1), 'no hash'],
    (hashes) => [...hashes.slice(0, -1), 7],
  ]
  for (const change of changes) {
    let before: Record<string, unknown> = {}
    await room.tamperBatch(graph, anchor.id, (fields) => {
      before = fields
      return { ...fields, hashes: change(fields.hashes as string[]) }
    })
    const verdicts = [await room.verify(graph, memory), await room.verify(graph, other)]
    for (const verdict of verdicts) refused(t, verdict, ['proofValid'], 'merkle proof invalid')
    await room.tamperBatch(graph, anchor.id, () => before)
  }
})

t.test('a root that was changed alone is neither that of the batch nor on the chain', async (t) => {
  const { graph, id: memory, anchor } = await anchored()
  await room.tamper(graph, 'anchors', anchor.id, (fields) => ({ ...fields, root: id('root') }))
  const verdict = await room.verify(graph, memory)
  refused(t, verdict, ['proofValid', 'onChain'], 'merkle proof invalid')
})

t.test('batch and root forged together are not on the chain', async (t) => {
  const { graph, id, anchor } = await anchored()
  const root = merkleRoot(await forgeBatch(graph, id, anchor.id))
  await room.tamper(graph, 'anchors', anchor.id, (fields) => ({ ...fields, root }))
  const verdict = await room.verify(graph, id)
  refused(t, verdict, ['onChain'], 'root not found on chain')
  t.match(verdict, { root, txHash: null, anchoredAt: null, anchoredBy: null })
})

t.test(
  'an anchor that tells of another transaction, sender or place is not on chain',
  async (t) => {
    const { graph, id: memory, anchor } = await anchored()
    const another = await anchored()
    const changes: readonly Record<string, unknown>[] = [
      { tx: id('tx') },
      { tx: another.anchor.tx },
      { tx: null },
      { anchoredBy: '0x0000000000000000000000000000000000000001' },
      { contract: '0x0000000000000000000000000000000000000001' },
      { chainId: 1 },
      { seq: 2 },
      { prev: id('root') },
      { count: 4 },
    ]
    for (const change of changes) {
      await room.tamper(graph, 'anchors', anchor.id, (fields) => ({ ...fields, ...change }))
      const verdict = await room.verify(graph, memory)
      refused(t, verdict, ['onChain'], 'root not found on chain')
      const { tx, anchoredBy, contract, chainId, seq, prev, count } = anchor
      const before = { tx, anchoredBy, contract, chainId, seq, prev, count }
      await room.tamper(graph, 'anchors', anchor.id, (fields) => ({ ...fields, ...before }))
    }
  },
)

t.test("the chain's word wins over the anchor's about time and block", async (t) => {
  const { graph, id, anchor } = await anchored()
  const told = { anchoredAt: 1, block: 0 }
  await room.tamper(graph, 'anchors', anchor.id, (fields) => ({ ...fields, ...told }))
  const verdict = await room.verify(graph, id)
  t.match(verdict, { verified: true, anchoredAt: anchor.anchoredAt, txHash: anchor.tx })
})

t.test("another graph's anchor proves nothing here", async (t) => {
  const [here, there] = [await anchored(), await anchored()]
  await room.tamper(here.graph, 'anchors', here.anchor.id, () => undefined)
  const { graph, id } = here
  const verdict = await room.verify(graph, id)
  refused(t, verdict, ['anchored', 'proofValid', 'onChain'], 'hash not in anchor batch')
  t.ok((await room.verify(there.graph, there.id)).verified)
})

t.test('a missing batch has no hash in it', async (t) => {
  const { graph, id, anchor } = await anchored()
  await room.tamperBatch(graph, anchor.id, () => undefined)
  const verdict = await room.verify(graph, id)
  refused(t, verdict, ['anchored', 'proofValid'], 'hash not in anchor batch')
})

const dead = { isConfigured: true, client: () => Promise.reject(new Error('away')) }

t.test('a chain that is away, or none, is told apart from tampering', async (t) => {
  const { graph, id, anchor } = await anchored()
  const away = room.proofs({ kind: 'remote', chainId: 1, anchors: dead })
  const verdict = await room.verify(graph, id, away)
  refused(t, verdict, ['onChain'], 'chain unreachable')
  const explorerUrl = `https://etherscan.io/tx/${anchor.tx}`
  t.match(verdict, { root: anchor.root, txHash: anchor.tx, explorerUrl })
  const anchors = { ...dead, isConfigured: false }
  const none = room.proofs({ kind: 'remote', chainId: 1, anchors })
  refused(t, await room.verify(graph, id, none), ['onChain'], 'no chain configured')
})
