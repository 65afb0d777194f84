// Arenas that slabs are cut from. They are so large that the system maps each separately and takes
// it back whole. Smaller pieces come from the C library's heap, which shrinks only at its end:
// there, slabs held another 110 MB after a load. Untouched parts of an arena use no memory. Slabs
// are reused between memtables, since mapping them each time costs more, and returned at rest.

import type { Bytes } from '../../base/bytes/bytes.js'
import { assert } from '../../base/errors.js'
import { memtableSlabBytes } from '../../base/limits/store.js'
import { MiB } from '../../base/units.js'
import { freeMemory } from '../checkpoint/typed-memory.js'

/** Slabs of one mapping: more than the 32 MiB up to which glibc may use its common heap. */
export const memtableArenaSlabs = 33
assert(memtableArenaSlabs * memtableSlabBytes > 32 * MiB, 'an arena is mapped on its own')

/**
 * Free slabs kept while whole arenas are returned: idle memory against the cost of mapping again.
 */
export const memtableSlabsFreeMax = 32

/** Free slabs of each arena, by the arena's memory. */
const arenas = new Map<ArrayBufferLike, Bytes[]>()
let idle = 0

/** Returns `memtableSlabBytes` uninitialized bytes, from the fullest arena so that others empty. */
export function takeSlab(): Bytes {
  let fullest: Bytes[] | undefined
  for (const free of arenas.values()) {
    if (free.length > 0 && free.length < (fullest?.length ?? Number.POSITIVE_INFINITY)) {
      fullest = free
    }
  }
  const slab = (fullest ?? newArena()).pop() as Bytes
  idle--
  return slab
}

/** The slab must no longer be read. */
export function giveSlab(slab: Bytes): void {
  const free = arenas.get(slab.buffer) as Bytes[]
  free.push(slab)
  idle++
  if (free.length < memtableArenaSlabs || idle - memtableArenaSlabs < memtableSlabsFreeMax) return
  giveArena(free)
}

/** Bytes of all arenas, in use or not. */
export function arenaBytes(): number {
  return arenas.size * memtableArenaSlabs * memtableSlabBytes
}

/** At rest: returns every arena of which no slab is in use. */
export function giveIdleArenas(): void {
  for (const free of [...arenas.values()]) {
    if (free.length === memtableArenaSlabs) giveArena(free)
  }
}

function giveArena(free: readonly Bytes[]): void {
  const [slab] = free as [Bytes]
  arenas.delete(slab.buffer)
  idle -= memtableArenaSlabs
  freeMemory(slab)
}

function newArena(): Bytes[] {
  const memory = new ArrayBuffer(memtableArenaSlabs * memtableSlabBytes)
  const free: Bytes[] = []
  // The first slab is last in the list, so it is taken first.
  for (let at = memtableArenaSlabs - 1; at >= 0; at--) {
    free.push(new Uint8Array(memory, at * memtableSlabBytes, memtableSlabBytes))
  }
  arenas.set(memory, free)
  idle += free.length
  return free
}
