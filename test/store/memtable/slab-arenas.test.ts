// The memory of slabs: used again while it is needed, given back when it is not.

import t from 'tap'
import { memtableSlabBytes } from '../../../src/base/limits/store.js'
import {
  arenaBytes,
  giveIdleArenas,
  giveSlab,
  memtableArenaSlabs,
  memtableSlabsFreeMax,
  takeSlab,
} from '../../../src/store/memtable/slab-arenas.js'

t.test('slabs do not overlap', async (t) => {
  const slabs = Array.from({ length: 3 * memtableArenaSlabs }, takeSlab)
  for (const [index, slab] of slabs.entries()) slab.fill(index)
  for (const [index, slab] of slabs.entries()) {
    t.ok(slab.length === memtableSlabBytes && slab.every((byte) => byte === index), `slab ${index}`)
  }
  for (const slab of slabs) giveSlab(slab)
})

t.test('the slab that was given last is taken next', async (t) => {
  const slab = takeSlab()
  giveSlab(slab)
  t.equal(takeSlab(), slab)
  giveSlab(slab)
})

t.test('unused arenas are given back except one', async (t) => {
  const slabs = Array.from({ length: 4 * memtableArenaSlabs }, takeSlab)
  for (const slab of slabs) giveSlab(slab)
  const kept = slabs.filter((slab) => slab.length > 0)
  t.ok(kept.length >= memtableSlabsFreeMax, 'the next memtable finds some')
  t.ok(kept.length < memtableSlabsFreeMax + memtableArenaSlabs, 'the rest is the system’s again')
})

t.test('at rest an arena is kept only for slabs that are in use', async (t) => {
  const slab = takeSlab()
  giveIdleArenas()
  t.equal(arenaBytes(), memtableArenaSlabs * memtableSlabBytes)
  t.equal(slab.length, memtableSlabBytes)
  giveSlab(slab)
  giveIdleArenas()
  t.equal(arenaBytes(), 0)
  t.equal(slab.length, 0, 'the system has its memory')
  const next = takeSlab()
  t.equal(next.length, memtableSlabBytes, 'and the next load gets another')
  giveSlab(next)
})
