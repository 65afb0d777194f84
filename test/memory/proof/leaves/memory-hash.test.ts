// The hash of a memory against golden vectors, and what changes it and what does not.

import { readFileSync } from 'node:fs'
import t from 'tap'
import {
  type HashedMemory,
  hashedText,
  memoryHash,
} from '../../../../src/memory/proof/leaves/memory-hash.js'
import { merkleRoot } from '../../../../src/memory/proof/leaves/merkle.js'

interface Vector {
  readonly memory: HashedMemory
  readonly bytes: number
  readonly hash: string
  readonly leaf: string
}

const { memories } = JSON.parse(readFileSync('protocol-fixtures/memory/hashes.json', 'utf8')) as {
  readonly memories: readonly Vector[]
}

t.test(
  'golden memories have their hash, and alone in a batch their leaf is the root',
  async (t) => {
    for (const { memory, bytes, hash, leaf } of memories) {
      t.equal(Buffer.byteLength(hashedText(memory)), bytes)
      t.equal(memoryHash(memory), hash)
      t.equal(merkleRoot([hash]), leaf)
    }
  },
)

const memory: HashedMemory = {
  ...{ graph: 'default', id: 'mem_1', text: 'Zoë', entities: ['ent_b', 'ent_a'], createdAt: 7 },
  createdBy: '0x52908400098527886E0F7030069857D2E4169EE7',
}

t.test('the order of entities and the case of the address do not matter', async (t) => {
  const other = { ...memory, entities: ['ent_a', 'ent_b'] }
  t.equal(memoryHash(other), memoryHash(memory))
  const lower = { ...memory, createdBy: memory.createdBy?.toLowerCase() }
  t.equal(memoryHash(lower), memoryHash(memory))
})

t.test('every other difference does, also one of normalisation alone', async (t) => {
  const others: readonly HashedMemory[] = [
    { ...memory, text: 'Zoe\u0308' },
    { ...memory, text: 'Zoë ' },
    { ...memory, graph: 'Default' },
    { ...memory, id: 'mem_2' },
    { ...memory, entities: [] },
    { ...memory, entities: ['ent_a'] },
    { ...memory, createdAt: 8 },
    { ...memory, createdBy: undefined },
    { ...memory, supersedes: 'mem_0' },
    { ...memory, source: {} },
    { ...memory, source: { ref: 'a' } },
  ]
  const hashes = [memory, ...others].map(memoryHash)
  t.equal(new Set(hashes).size, hashes.length)
})

t.test('a text that is not well-formed has no hash', async (t) => {
  t.throws(() => memoryHash({ ...memory, text: '\ud800' }), { code: 2 })
})
