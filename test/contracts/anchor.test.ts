// The anchor registry: a chain of roots for each account and graph, many graphs in one transaction,
// and nothing that anchors of other accounts could spoil.

import { id, ZeroHash } from 'ethers'
import fc from 'fast-check'
import t from 'tap'
import { anchorRegistryArtifact } from '../../src/chain/artifacts/anchor-registry.js'
import { type Contract, Evm, walletOf } from '../support/evm.js'
import { runs } from '../support/runs.js'

const sender = walletOf('anchors')
const other = walletOf('another')
const [graph, second] = [id('graph'), id('another graph')]
const root = (n: number) => id(`root ${n}`)

function open(): Promise<Contract> {
  return Evm.open().then((evm) => evm.deploy(anchorRegistryArtifact, [], sender))
}

/** One element of the call: [graphKey, root, prev, count]. */
type Link = readonly [graphKey: string, root: string, prev: string, count: number]

t.test('a root is kept with its time, its place in the sequence and the one before', async (t) => {
  const anchors = await open()
  const { evm } = anchors
  const first = BigInt(evm.now)
  const done = await anchors.send(sender, 'anchor', [[graph, root(1), ZeroHash, 7]])
  t.equal(done.error, undefined)
  evm.now += 60
  await anchors.send(sender, 'anchor', [[graph, root(2), root(1), 3]])
  t.same(await anchors.view('getAnchor', sender.address, graph, root(1)), {
    anchoredAt: first,
    sequence: 1n,
    prev: ZeroHash,
    count: 7n,
  })
  t.same(await anchors.view('getAnchor', sender.address, graph, root(2)), {
    anchoredAt: first + 60n,
    sequence: 2n,
    prev: root(1),
    count: 3n,
  })
  const latest = await anchors.view('latestAnchor', sender.address, graph)
  t.same(latest, { root: root(2), sequence: 2n })
})

t.test('an anchor is one event that names sender, graph and root', async (t) => {
  const anchors = await open()
  const { evm } = anchors
  const { events } = await anchors.send(sender, 'anchor', [
    [graph, root(1), ZeroHash, 7],
    [graph, root(2), root(1), 2],
  ])
  t.same(
    events.map(({ name, args, topics }) => [name, args, topics.length]),
    [
      ['Anchored', [sender.address, graph, root(1), ZeroHash, 1n, 7n, BigInt(evm.now)], 4],
      ['Anchored', [sender.address, graph, root(2), root(1), 2n, 2n, BigInt(evm.now)], 4],
    ],
  )
})

t.test('one transaction anchors many graphs, or none of them', async (t) => {
  const anchors = await open()
  const bad: readonly (readonly [name: string, link: Link])[] = [
    ['BadPrevious', [second, root(2), root(1), 1]],
    ['EmptyValue', [second, ZeroHash, ZeroHash, 1]],
    ['EmptyValue', [ZeroHash, root(2), ZeroHash, 1]],
    ['EmptyValue', [second, root(2), ZeroHash, 0]],
  ]
  for (const [name, link] of bad) {
    const links = [[graph, root(1), ZeroHash, 1], link]
    t.equal((await anchors.send(sender, 'anchor', links)).error, name)
    const entry = await anchors.view('getAnchor', sender.address, graph, root(1))
    t.equal(entry.sequence, 0n)
  }
  t.equal((await anchors.send(sender, 'anchor', [])).error, 'EmptyValue', 'an empty batch')
  const links = [graph, second].map((key) => [key, root(1), ZeroHash, 1])
  t.equal((await anchors.send(sender, 'anchor', links)).error, undefined)
})

t.test('prev must be the latest root: no fork, no gap, no second beginning', async (t) => {
  const anchors = await open()
  await anchors.send(sender, 'anchor', [
    [graph, root(1), ZeroHash, 1],
    [graph, root(2), root(1), 1],
  ])
  for (const prev of [ZeroHash, root(1), root(3), root(9)]) {
    const refused = await anchors.send(sender, 'anchor', [[graph, root(3), prev, 1]])
    t.same([refused.error, refused.errorArgs], ['BadPrevious', [graph, prev, root(2)]])
  }
})

t.test('no root is anchored twice in one graph; another graph may have the same', async (t) => {
  const anchors = await open()
  await anchors.send(sender, 'anchor', [[graph, root(1), ZeroHash, 1]])
  const before = await anchors.view('getAnchor', sender.address, graph, root(1))
  anchors.evm.now += 10
  const again = await anchors.send(sender, 'anchor', [[graph, root(1), root(1), 1]])
  t.same([again.error, again.errorArgs], ['AlreadyAnchored', [graph, root(1)]])
  await anchors.send(sender, 'anchor', [[graph, root(2), root(1), 1]])
  const back = await anchors.send(sender, 'anchor', [[graph, root(1), root(2), 9]])
  t.equal(back.error, 'AlreadyAnchored', 'nor on top of a later one')
  t.same(await anchors.view('getAnchor', sender.address, graph, root(1)), before)
  const elsewhere = await anchors.send(sender, 'anchor', [[second, root(1), ZeroHash, 1]])
  t.equal(elsewhere.error, undefined)
})

t.test('front-running: a copy that comes first is an entry of the copier alone', async (t) => {
  const anchors = await open()
  const links = [[graph, root(1), ZeroHash, 5]]
  t.equal((await anchors.send(other, 'anchor', links)).error, undefined)
  anchors.evm.now += 5
  t.equal((await anchors.send(sender, 'anchor', links)).error, undefined)
  const his = await anchors.view('getAnchor', other.address, graph, root(1))
  const ours = await anchors.view('getAnchor', sender.address, graph, root(1))
  t.equal(BigInt(Number(ours.anchoredAt)), BigInt(Number(his.anchoredAt)) + 5n)
  await anchors.send(other, 'anchor', [[graph, root(2), root(1), 5]])
  const latest = await anchors.view('latestAnchor', sender.address, graph)
  t.same(latest, { root: root(1), sequence: 1n })
})

t.test('no ether is taken', async (t) => {
  const anchors = await open()
  const links = [[graph, root(1), ZeroHash, 5]]
  t.ok((await anchors.sendWith({ value: 1n }, sender, 'anchor', links)).error)
  t.same([anchors.face.receive, anchors.face.fallback], [false, null])
})

t.test('any batches leave the chains that a list of roots would', async (t) => {
  const evm = await Evm.open()
  const link = fc.record({
    graph: fc.nat({ max: 2 }),
    root: fc.nat({ max: 8 }),
    prev: fc.constantFrom('latest', 'latest', 'latest', 'zero', 'other'),
  })
  const batches = fc.array(fc.array(link, { minLength: 1, maxLength: 4 }), { maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(batches, async (all) => {
      const anchors = await evm.deploy(anchorRegistryArtifact, [], sender)
      let chains: readonly string[][] = [[], [], []]
      for (const batch of all) {
        const next = chains.map((chain) => [...chain])
        let good = true
        const links = batch.map((one): Link => {
          const chain = next[one.graph] ?? []
          const latest = chain.at(-1) ?? ZeroHash
          const prev = { latest, zero: ZeroHash, other: id('other') }[one.prev]
          good &&= prev === latest && !chain.includes(root(one.root))
          chain.push(root(one.root))
          return [id(`graph ${one.graph}`), root(one.root), prev, 1]
        })
        const { error } = await anchors.send(sender, 'anchor', links)
        t.equal(error === undefined, good)
        if (good) chains = next
      }
      for (const [at, chain] of chains.entries()) {
        const latest = await anchors.view('latestAnchor', sender.address, id(`graph ${at}`))
        const tip = { root: chain.at(-1) ?? ZeroHash, sequence: BigInt(chain.length) }
        t.same(latest, tip)
      }
      return t.passing()
    }),
    { numRuns: runs(20) },
  )
})
