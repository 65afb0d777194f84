// Every kind of tampering that can be made in the store by hand, on its own and with the graph
// anchored again behind it, and what the single verify, the verify of many, the sweep and the
// check say. (docs/memory.md, "Proofs")

import { id as keccak } from 'ethers'
import t, { type Test } from 'tap'
import { systemClock } from '../../../../src/base/clock.js'
import { checkGraphs } from '../../../../src/memory/check-graphs.js'
import { memoryLeaf } from '../../../../src/memory/proof/leaves/leaf.js'
import { memoryHash } from '../../../../src/memory/proof/leaves/memory-hash.js'
import { merkleRoot } from '../../../../src/memory/proof/leaves/merkle.js'
import { openMemoryStore } from '../../../../src/store/memory.js'
import { AnchorRoom, database } from '../../../support/anchor-room.js'
import { openClients } from '../../../support/chain-room.js'
import { CommandRoom } from '../../../support/command-room.js'
import { drawn } from '../../../support/runs.js'

t.setTimeout(300_000)
const chain = await openClients(t, {}, { store: openMemoryStore() })

interface Scene {
  readonly room: AnchorRoom
  readonly run: (command: Readonly<Record<string, unknown>>) => Promise<Record<string, unknown>>
  /** The memory that is looked at, one that it leads to, one that is superseded, one forgotten. */
  readonly victim: string
  readonly other: string
  readonly old: string
  readonly gone: string
  /** From the victim to the other. */
  readonly edge: string
  readonly anchorId: string
}

const graph = 'g'

/** A graph of its own store, all of it anchored but what the graph has not told yet. */
async function scene(t: Test): Promise<Scene> {
  const room = await AnchorRoom.open(t, { store: openMemoryStore(), chain })
  const commands = new CommandRoom(room.store, systemClock, {
    services: { proofs: room.anchoring },
  })
  const run = (command: Readonly<Record<string, unknown>>) => commands.run(command, database)
  const texts = ['the victim', 'the other', 'the old one', 'the forgotten one']
  const memories = texts.map((text) => ({ text, entities: ['Ada'] }))
  const { results } = (await run({ rememberMemories: graph, memories })) as Results
  const [victim = '', other = '', old = '', gone = ''] = results.map(({ id }) => id)
  await run({ rememberMemories: graph, memories: [{ text: 'the new one', supersedes: old }] })
  const related = await run({ relateNodes: graph, from: victim, to: other, weight: 0.5 })
  const { id: edge } = related.edge as { readonly id: string }
  await room.anchor(graph)
  await run({ forgetMemory: graph, id: gone })
  await room.anchor(graph)
  const anchorId = (await room.anchors(graph)).at(-1)?.id ?? ''
  return { room, run, victim, other, old, gone, edge, anchorId }
}

interface Results extends Record<string, unknown> {
  readonly results: readonly { readonly id: string }[]
}

/** What is said of a graph; null: nothing is wrong. */
interface Said {
  /** Of the victim, by the single verify and among many. */
  readonly verify: string | null
  readonly sweep: string | null
  /** A part of a line. */
  readonly check: string | null
}

interface Tampering {
  readonly name: string
  readonly tamper: (scene: Scene) => Promise<unknown>
  readonly said: Said
  /** When the graph was anchored again. */
  readonly after?: Said
  /** Who is looked at, where it is not the victim. */
  readonly of?: (scene: Scene) => string
}

type Change = Parameters<AnchorRoom['tamper']>[3]

const inNodes = (change: Change, of = ({ victim }: Scene) => victim) => {
  return (scene: Scene) => scene.room.tamper(graph, 'nodes', of(scene), change)
}
const inEdges = (change: Change) => (scene: Scene) =>
  scene.room.tamper(graph, 'edges', scene.edge, change)
const inAnchors = (change: Change, of = ({ anchorId }: Scene) => anchorId) => {
  return (scene: Scene) => scene.room.tamper(graph, 'anchors', of(scene), change)
}
const inBatch = (change: Change) => (scene: Scene) =>
  scene.room.tamperBatch(graph, scene.anchorId, change)

/** Text and hash, with more of the memory's fields. */
function rewrite(more: Readonly<Record<string, unknown>> = {}) {
  return async (scene: Scene): Promise<void> => {
    await scene.room.tamper(graph, 'nodes', scene.victim, (fields) => {
      const createdAt = Number(fields.createdAt)
      const entities = fields.entities as string[]
      const hash = memoryHash({ graph, id: scene.victim, text: 'forged', entities, createdAt })
      return { ...fields, text: 'forged', hash, ...more }
    })
  }
}

const all = (text: string): Said => ({ verify: text, sweep: text, check: text })
/** Of single memories nothing is wrong. */
const missing = (text: string): Said => ({ verify: null, sweep: text, check: text })
const swap = <T>(list: readonly T[]): T[] => [
  ...list.slice(1, 2),
  ...list.slice(0, 1),
  ...list.slice(2),
]
const stale = 'changed since it was anchored'
const broken = 'anchor chain broken'

const tamperings: readonly Tampering[] = [
  {
    name: 'the text',
    tamper: inNodes((fields) => ({ ...fields, text: 'forged' })),
    said: all('content hash mismatch'),
    after: all('content hash mismatch'),
  },
  {
    name: 'the hash',
    tamper: inNodes((fields) => ({ ...fields, hash: keccak('other') })),
    said: { ...all('content hash mismatch'), sweep: 'hash not in anchor batch' },
  },
  {
    name: 'text and hash',
    tamper: rewrite(),
    said: all('hash not in anchor batch'),
    after: all('hash not in anchor batch'),
  },
  {
    name: 'text, hash and anchorId',
    tamper: rewrite({ anchorId: null }),
    said: all(stale),
    after: all(stale),
  },
  {
    // The newer anchor alone says what the memory says now.
    name: 'the text, anchored anew, and its first leaf taken from the batch',
    tamper: async (scene) => {
      await rewrite({ anchorId: null })(scene)
      await scene.run({ rememberMemories: graph, memories: [{ text: 'one more' }] })
      await scene.room.anchor(graph)
      await inBatch(({ ids, hashes, ns, ...fields }) => {
        const isKept = (ids as string[]).map((id) => id !== scene.victim)
        const kept = (list: unknown) => (list as unknown[])?.filter((_, i) => isKept[i])
        return { ...fields, ids: kept(ids), hashes: kept(hashes), ...(ns ? { ns: kept(ns) } : {}) }
      })(scene)
    },
    said: all('merkle proof invalid'),
  },
  {
    name: 'the anchorId alone',
    tamper: inNodes((fields) => ({ ...fields, anchorId: null })),
    said: all('anchor id mismatch'),
    after: all('anchored twice'),
  },
  {
    name: 'the status',
    tamper: inNodes((fields) => ({ ...fields, status: 'superseded' })),
    said: all('state not as recorded'),
    after: all('state not as recorded'),
  },
  {
    name: 'the status of a superseded memory, set back',
    of: ({ old }) => old,
    tamper: inNodes(
      (fields) => ({ ...fields, status: 'active' }),
      ({ old }) => old,
    ),
    said: all('state not as recorded'),
    after: all('state not as recorded'),
  },
  {
    name: 'until when it holds',
    tamper: inNodes((fields) => ({ ...fields, validTo: 5 })),
    said: all('state not as recorded'),
  },
  {
    name: 'a state with its leaf taken away',
    of: ({ old }) => old,
    tamper: async (scene) => {
      const { room, old } = scene
      const leaf = `leaf_${old}_00000001`
      await room.tamper(graph, 'anchors', leaf, () => undefined)
      await room.tamper(graph, 'nodes', old, ({ createdAt, ...fields }) => {
        return { ...fields, createdAt, updatedAt: createdAt, status: 'active' }
      })
    },
    said: { ...all('state not as recorded'), sweep: 'leaf missing', check: 'leaf missing' },
  },
  {
    name: "an edge's weight",
    tamper: inEdges((fields) => ({ ...fields, weight: 1 })),
    said: all('edge not as recorded'),
    after: all('edge not as recorded'),
  },
  {
    name: 'an edge taken away',
    tamper: inEdges(() => undefined),
    said: missing('edge missing'),
    after: missing('edge missing'),
  },
  {
    name: 'a mention taken away',
    tamper: async ({ room, victim }) => {
      const [edge = ''] = await room.edgesOf(graph, victim, 'mentions')
      await room.tamper(graph, 'edges', edge, () => undefined)
    },
    said: { ...all('edge missing'), verify: 'edge not as recorded' },
  },
  {
    name: 'an edge added',
    tamper: ({ room, victim, old }) => room.addEdge(graph, victim, 'relates', old),
    said: all('edge not as recorded'),
  },
  {
    name: 'a memory deleted',
    tamper: inNodes(() => undefined),
    said: { verify: 'not found', sweep: 'memory missing', check: 'memory missing' },
    after: { verify: 'not found', sweep: 'memory missing', check: 'memory missing' },
  },
  {
    name: 'a memory deleted with a tombstone in its place',
    tamper: async ({ room, victim, anchorId }) => {
      let hash = ''
      await room.tamper(graph, 'nodes', victim, (fields) => {
        hash = String(fields.hash)
        return undefined
      })
      await room.bury(graph, { id: victim, hash, anchorId })
    },
    said: {
      ...{ verify: 'not found', sweep: 'deletion not recorded', check: 'deletion not recorded' },
    },
  },
  {
    name: 'a tombstone taken away',
    tamper: inAnchors(
      () => undefined,
      ({ gone }) => `tomb_${gone}`,
    ),
    said: missing('memory missing'),
  },
  {
    name: "a tombstone's hash",
    tamper: inAnchors(
      (fields) => ({ ...fields, hash: keccak('x') }),
      ({ gone }) => `tomb_${gone}`,
    ),
    said: missing(stale),
  },
  {
    name: 'a deletion taken back, with its leaf',
    tamper: inAnchors(
      () => undefined,
      ({ gone }) => `leaf_${gone}_00000001`,
    ),
    said: missing('leaf missing'),
  },
  {
    name: 'a leaf that waits, rewritten',
    tamper: async ({ room, run, victim }) => {
      await run({ updateMemory: graph, id: victim, validTo: 7 })
      const leaf = `wait_${victim}_00000001`
      await room.tamper(graph, 'anchors', leaf, (fields) => ({ ...fields, hash: keccak('x') }))
    },
    said: { ...all('state not as recorded'), sweep: 'leaf not as recorded', check: 'not as' },
  },
  {
    name: 'a leaf taken from the list of a batch',
    tamper: inBatch(({ hashes, ...fields }) => {
      return { ...fields, hashes: (hashes as string[]).slice(0, -1) }
    }),
    said: { ...all('merkle proof invalid') },
  },
  {
    name: 'the order of a batch',
    tamper: inBatch(({ hashes, ...fields }) => {
      return { ...fields, hashes: swap(hashes as string[]) }
    }),
    said: all('hash not in anchor batch'),
  },
  {
    name: 'the ids of a batch',
    tamper: inBatch(({ ids, ...fields }) => ({ ...fields, ids: swap(ids as string[]) })),
    said: { ...all('hash not in anchor batch') },
  },
  {
    name: 'a root',
    tamper: inAnchors((fields) => ({ ...fields, root: keccak('root') })),
    said: { verify: 'merkle proof invalid', sweep: 'root not found on chain', check: broken },
  },
  {
    name: 'batch and root, with the memory',
    tamper: async (scene) => {
      const { room, victim, anchorId } = scene
      const key = await room.key(graph)
      let old = ''
      let forged = ''
      await room.tamper(graph, 'nodes', victim, (fields) => {
        const entities = fields.entities as string[]
        const createdAt = Number(fields.createdAt)
        const hash = memoryHash({ graph, id: victim, text: 'forged', entities, createdAt })
        old = memoryLeaf(key, victim, String(fields.hash))
        forged = memoryLeaf(key, victim, hash)
        return { ...fields, text: 'forged', hash }
      })
      let root: string | undefined
      await room.tamperBatch(graph, anchorId, (fields) => {
        const hashes = (fields.hashes as string[]).map((hash) => (hash === old ? forged : hash))
        root = merkleRoot(hashes)
        return { ...fields, hashes }
      })
      await room.tamper(graph, 'anchors', anchorId, (fields) => ({ ...fields, root }))
    },
    said: { verify: 'root not found on chain', sweep: 'root not found on chain', check: broken },
  },
  {
    name: 'the sequence of an anchor',
    tamper: inAnchors((fields) => ({ ...fields, seq: 7 })),
    said: { ...all(broken), verify: 'root not found on chain' },
  },
  {
    name: 'the transaction of an anchor',
    tamper: inAnchors((fields) => ({ ...fields, tx: keccak('tx') })),
    said: { ...all('root not found on chain'), check: null },
  },
  {
    name: 'an anchor taken away with its batch',
    tamper: async (scene) => {
      await inBatch(() => undefined)(scene)
      await inAnchors(() => undefined)(scene)
    },
    said: {
      ...{ verify: 'hash not in anchor batch', sweep: broken, check: 'hash not in anchor batch' },
    },
  },
  {
    name: "the settings' key",
    tamper: inAnchors(
      (fields) => ({ ...fields, key: Buffer.alloc(16, 7) }),
      () => 'graph',
    ),
    said: { ...all('hash not in anchor batch'), sweep: 'root not found on chain' },
    after: { ...all('hash not in anchor batch'), sweep: 'leaf not as recorded' },
  },
  {
    name: "the settings' place",
    tamper: inAnchors(
      (fields) => ({ ...fields, place: { database: 'w', name: graph } }),
      () => 'graph',
    ),
    said: {
      ...all('hash not in anchor batch'),
      sweep: 'graph moved without a leaf',
      check: 'moved',
    },
  },
  {
    name: 'the newest anchor taken away with all it lists: the store set back',
    tamper: async ({ room }) => {
      const [newest] = await room.anchors(graph)
      await room.tamperBatch(graph, newest?.id ?? '', () => undefined)
      await room.tamper(graph, 'anchors', newest?.id ?? '', () => undefined)
    },
    said: {
      verify: 'anchors missing',
      sweep: 'anchors missing',
      check: 'leaf not in anchor batch',
    },
    after: { verify: broken, sweep: broken, check: broken },
  },
]

async function saidOf(scene: Scene, of: string): Promise<Said> {
  const { room, other } = scene
  const { anchoring } = room
  const single = await room.verify(graph, of, anchoring)
  const [, many] = await room.verifyAll(graph, [other, of, of], anchoring)
  const { problem, verified } = await room.verifyGraph(graph, anchoring, 7)
  if (many?.problem !== single.problem) throw new Error(`many say ${many?.problem}`)
  if (verified !== (problem === null)) throw new Error(`verified ${verified}, ${problem}`)
  const texts = (await checkGraphs(room.store)).map(({ text }) => text)
  return { verify: single.problem, sweep: problem, check: texts.length === 0 ? null : texts.join() }
}

function sameAs(t: Test, found: Said, wanted: Said, name: string): void {
  t.equal(found.verify, wanted.verify, `${name}: verify says ${found.verify}`)
  t.equal(found.sweep, wanted.sweep, `${name}: sweep says ${found.sweep}`)
  if (wanted.check === null) t.equal(found.check, null, `${name}: check`)
  else t.ok(found.check?.includes(wanted.check), `${name}: check says ${found.check}`)
}

t.test('nothing is wrong with what the commands wrote, and all of it is verified', async (t) => {
  const one = await scene(t)
  for (const of of [one.victim, one.other, one.old]) {
    sameAs(t, await saidOf(one, of), { verify: null, sweep: null, check: null }, of)
  }
  t.match(await one.room.verify(graph, one.gone), { problem: 'not found' })
})

for (const { name, tamper, said, after, of = ({ victim }: Scene) => victim } of drawn(tamperings)) {
  t.test(`${name}: found`, async (t) => {
    const one = await scene(t)
    await tamper(one)
    sameAs(t, await saidOf(one, of(one)), said, name)
    if (after === undefined) return
    await one.run({ rememberMemories: graph, memories: [{ text: 'one more' }] })
    await one.room.anchor(graph)
    sameAs(t, await saidOf(one, of(one)), after, `${name}, anchored again`)
  })
}
