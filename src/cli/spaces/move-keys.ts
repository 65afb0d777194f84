// Moves keys of the shared databases to a wallet's home for `sigil spaces move --keys`: some in
// each program. Each is read again at the target and compared with the source.

import { type Bytes, concatBytes } from '../../base/bytes/bytes.js'
import { Glob } from '../../base/bytes/glob.js'
import { Slice } from '../../base/bytes/slice.js'
import { fail } from '../../base/errors.js'
import { keyspacesMax } from '../../base/limits/key-value.js'
import { OpenPlaces } from '../../bus/keyvalue/programs/open-places.js'
import type { KeysToMove, MovedKey, SpaceMove, Unchecked } from '../../bus/spaces/space-move.js'
import { writeMove } from '../../bus/spaces/space-move.js'
import { idRange } from '../../engine/background/garbage.js'
import { homeOf } from '../../engine/collection/catalog/homes.js'
import { stagedWrite } from '../../engine/collection/collections.js'
import { countOf } from '../../engine/collection/counters.js'
import type { Staged } from '../../engine/collection/staging.js'
import { type Key, never } from '../../engine/keyspace/keys/key.js'
import { digestOf } from '../../engine/keyspace/keys/key-digest.js'
import { placeStart, walkKeys } from '../../engine/keyspace/keys/key-walk.js'
import type { Keyspace } from '../../engine/keyspace/keyspace.js'
import { type Place, SpaceTable } from '../../engine/keyspace/spaces.js'
import { usualBounds, Work } from '../../engine/keyspace/work.js'
import { keyClass } from '../../store/layout.js'
import type { Program, ReadTx, Store, Tx } from '../../store/store.js'
import { runSweep } from '../../store/sweep.js'

export interface MoveParts {
  readonly store: Store
  /** Setting DATABASE. */
  readonly database: string
  readonly now: number
  readonly say: (line: string) => void
}

/** Keys of one program: members of containers stay in place, string values are moved. */
const keysAtOnce = 200
/** Bytes of documents in one program, besides one step of a walk: all of it is in memory. */
const bytesAtOnce = 16 * 1024 * 1024
const keysOfWalk = 20

interface Ends {
  readonly from: Place
  readonly to: Place
}

export async function moveKeys(parts: MoveParts, keys: KeysToMove): Promise<void> {
  for (let index = 0; index < keyspacesMax; index++) await moveDatabase(parts, keys, index)
}

/** Compares the keys of a step with their state before the move. */
export async function checkKeys(
  { store, database, now }: MoveParts,
  { index, wallet, keys }: Unchecked & { kind: 'keys' },
): Promise<void> {
  const { to } = endsOf(database, wallet, index)
  for (const { place, expiresAt, digest } of keys) {
    // It may have expired since: an interrupted move continues later.
    if (expiresAt !== never && expiresAt <= now) continue
    const found = await store.read((tx) => digestAt(tx, to, Buffer.from(place, 'hex'), now))
    if (found?.digest === digest) continue
    const what = found === undefined ? 'is missing' : 'is not what it was before the move'
    throw fail('InternalError', `${to.ns}: a key ${what}. 'sigil check' looks at the folder`)
  }
}

function endsOf(database: string, wallet: string, index: number): Ends {
  const spaces = new SpaceTable(database)
  return { from: spaces.main.place(index), to: spaces.of(homeOf(wallet)).place(index) }
}

async function moveDatabase(parts: MoveParts, keys: KeysToMove, index: number): Promise<void> {
  const { store, database, say } = parts
  const { wallet, pattern } = keys
  const ends = endsOf(database, wallet, index)
  const { from, to } = ends
  const before = await store.read((tx) => keysIn(tx, ends))
  if (before === 0) return
  const glob = pattern === null ? undefined : new Glob(Slice.ofText(pattern))
  let moved = 0
  let taken = 0
  let place: Bytes | undefined
  do {
    const after = place
    const step = await store.read((tx) => stepFrom(tx, { ...ends, glob, after }, parts.now))
    const told = await digestsOf(parts, from, step.places)
    const unchecked: Unchecked = { kind: 'keys', index, wallet, keys: told }
    if (told.length > 0) {
      const { now } = parts
      const move = { keys, unchecked }
      await runSweep(
        store,
        stagedWrite((tx, staged) => moveSome(tx, { ...ends, staged }, move, now)),
      )
      await checkKeys(parts, unchecked)
    }
    moved += told.length
    taken += step.taken
    place = step.next
  } while (place !== undefined)
  const after = await store.read((tx) => keysIn(tx, ends))
  if (after !== before) throw fail('InternalError', `${from.ns}: ${before} keys became ${after}`)
  if (moved > 0) say(`${from.ns}: ${moved} keys are in ${to.ns} now`)
  if (taken > 0) say(`${from.ns}: ${taken} keys stay, ${to.ns} has keys of their names`)
}

interface Chosen {
  readonly places: readonly Bytes[]
  readonly taken: number
  /** Undefined at the end. */
  readonly next: Bytes | undefined
}

interface Choosing extends Ends {
  readonly glob: Glob | undefined
  readonly after: Bytes | undefined
}

/** The next keys to move, and how many stay because the home already has their names. */
function* stepFrom(tx: ReadTx, step: Choosing, now: number): Program<Chosen> {
  const { source, target } = yield* openEnds(tx, step, now)
  const prefix = step.glob?.prefix ?? noPrefix
  const places: Bytes[] = []
  let taken = 0
  let bytes = 0
  let next = step.after
  do {
    const walk = yield* walkKeys(source, prefix, next, keysOfWalk)
    next = walk.place
    for (const key of walk.keys) {
      if (step.glob?.matches(key.name) === false) continue
      if ((yield* target.key(key.name)).exists) taken++
      else {
        places.push(key.record.slice(placeStart))
        bytes += key.storedBytes
      }
    }
  } while (next !== undefined && bytes < bytesAtOnce && places.length + keysOfWalk <= keysAtOnce)
  return { places, taken, next }
}

async function digestsOf(
  { store, now }: MoveParts,
  from: Place,
  places: readonly Bytes[],
): Promise<MovedKey[]> {
  const told: MovedKey[] = []
  for (const place of places) {
    const found = await store.read((tx) => digestAt(tx, from, place, now))
    if (found === undefined) continue
    told.push({ place: Buffer.from(place).toString('hex'), ...found })
  }
  return told
}

function* moveSome(
  tx: Tx,
  ends: Ends & { readonly staged: Staged },
  move: SpaceMove & { readonly unchecked: Unchecked & { kind: 'keys' } },
  now: number,
): Program<void> {
  writeMove(tx, move)
  const { places, source, target } = yield* openEnds(tx, ends, now, ends.staged)
  for (const { place } of move.unchecked.keys) {
    const key = yield* keyAt(source, Buffer.from(place, 'hex'))
    if (key === undefined) throw fail('InternalError', `${ends.from.ns}: a key went meanwhile`)
    yield* source.rename(key, yield* target.key(key.name), target)
  }
  places.noteChange(target, [source])
  yield* places.finish()
}

interface OpenEnds {
  readonly places: OpenPlaces
  readonly source: Keyspace
  readonly target: Keyspace
}

function* openEnds(
  tx: ReadTx,
  { from, to }: Ends,
  now: number,
  staged?: Staged,
): Program<OpenEnds> {
  const places = new OpenPlaces(tx, now, new Work(usualBounds, false, staged))
  return { places, source: yield* places.open(from), target: yield* places.open(to) }
}

/** Undefined if the key does not exist. */
function* digestAt(
  tx: ReadTx,
  at: Place,
  place: Bytes,
  now: number,
): Program<{ expiresAt: number; digest: string } | undefined> {
  const work = new Work(usualBounds, false)
  // Nothing else runs, so a key of any size is read at once.
  work.readsMax = Number.POSITIVE_INFINITY
  const ks = yield* new OpenPlaces(tx, now, work).open(at)
  const key = yield* keyAt(ks, place)
  if (key === undefined) return undefined
  return { expiresAt: key.expiresAt, digest: yield* digestOf(ks, key) }
}

function* keyAt(ks: Keyspace, place: Bytes): Program<Key | undefined> {
  const { start: head } = idRange(keyClass.record, ks.ns.id)
  const start = concatBytes(head, place)
  const { keys } = yield* ks.scan({ start, end: concatBytes(start, Uint8Array.of(0)) }, 1)
  return keys[0]
}

/** Documents at both places, including expired ones. */
function* keysIn(tx: ReadTx, { from, to }: Ends): Program<number> {
  let keys = 0
  for (const place of [from, to]) {
    const ns = yield* place.find(tx)
    if (ns !== undefined) keys += (yield* countOf(tx, ns)).documents
  }
  return keys
}

const noPrefix: Bytes = new Uint8Array(0)
