// The tree over a batch: golden roots, the layout written down a second time, what is no batch, and
// why no inner node passes for a leaf. Large trees are built beside the event loop.

import { readFileSync } from 'node:fs'
import { StandardMerkleTree } from '@openzeppelin/merkle-tree'
import { concat, id, keccak256 } from 'ethers'
import t from 'tap'
import { merkleRoot } from '../../../../src/memory/proof/leaves/merkle.js'
import { MerkleRoots } from '../../../../src/memory/proof/leaves/merkle-roots.js'

interface Vectors {
  readonly roots: readonly { readonly count: number; readonly root: string }[]
  readonly proof: { readonly count: number; readonly of: number; readonly proof: string[] }
}

const vectors = JSON.parse(readFileSync('protocol-fixtures/memory/merkle.json', 'utf8')) as Vectors

/** Hashes of the golden batches: of the texts `memory 0`, `memory 1` … */
const hashesOf = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => id(`memory ${i}`))

/** The layout as its definition says it, without the library. */
function plainRoot(hashes: readonly string[]): string {
  const leaves = hashes.map((hash) => keccak256(keccak256(hash))).sort()
  const tree = new Array<string>(2 * leaves.length - 1)
  leaves.forEach((leaf, i) => {
    tree[tree.length - 1 - i] = leaf
  })
  for (let i = leaves.length - 2; i >= 0; i--) {
    tree[i] = keccak256(concat([tree[2 * i + 1] ?? '', tree[2 * i + 2] ?? ''].sort()))
  }
  return tree[0] ?? ''
}

t.test('golden roots, with the library and without, whatever the order', async (t) => {
  for (const { count, root } of vectors.roots) {
    const hashes = hashesOf(count)
    t.equal(merkleRoot(hashes), root, `${count} leaves`)
    t.equal(merkleRoot(hashes.reverse()), root)
    t.equal(plainRoot(hashes), root)
  }
})

t.test('what is no batch has no root', async (t) => {
  const [one = '', two = ''] = hashesOf(2)
  const batches = [[], [one, one], [one, two.slice(0, -1)], [one, ''], [one.toUpperCase()]]
  for (const hashes of batches) t.equal(merkleRoot(hashes), undefined)
})

t.test(
  'a proof holds for its leaf alone: not for another, and not for an inner node',
  async (t) => {
    const { count, of, proof } = vectors.proof
    const hashes = hashesOf(count)
    const root = merkleRoot(hashes) ?? ''
    const holds = (leaf: string, steps: string[]): boolean =>
      StandardMerkleTree.verify(root, ['bytes32'], [leaf], steps)
    t.ok(holds(hashes[of] ?? '', proof))
    t.notOk(holds(hashes[of + 1] ?? '', proof))
    t.notOk(holds(id('memory 3!'), proof), 'a memory that was changed')
    t.notOk(holds(hashes[of] ?? '', proof.slice(1)))
    const tree = StandardMerkleTree.of(
      hashes.map((hash) => [hash]),
      ['bytes32'],
    )
    const nodes = tree.dump().tree
    // The two children of the root prove each other, so either would be a leaf if leaves were
    // plain.
    t.equal(keccak256(concat([nodes[1] ?? '', nodes[2] ?? ''].sort())), root)
    t.notOk(holds(nodes[1] ?? '', [nodes[2] ?? '']))
  },
)

t.test('trees are built beside the event loop, and known the next time', async (t) => {
  const roots = new MerkleRoots()
  const hashes = hashesOf(1_500)
  let turns = 0
  const count = (): void => {
    turns++
    turning = setImmediate(count)
  }
  let turning = setImmediate(count)
  const root = await roots.rootOf(hashes)
  clearImmediate(turning)
  t.equal(root, merkleRoot(hashes))
  t.ok(turns > 10, `the loop went round ${turns} times meanwhile`)
  t.equal(await roots.rootOf(hashes), root)
  const changed = [...hashes.slice(1), id('another')]
  t.not(await roots.rootOf(changed), root)
  t.equal(await roots.rootOf([...hashes, hashes[0] ?? '']), undefined)
  const batches = [hashesOf(3), hashesOf(300), hashesOf(2)]
  const all = await Promise.all(batches.map((batch) => roots.rootOf(batch)))
  t.same(all, batches.map(merkleRoot), 'answers find those who asked')
})
