// What `sigil spaces move` does to a store: graphs of wallets go into their homes, and keys of the
// shared databases into the home of the wallet that is named. Each step is one program and leaves
// nothing in between, so that a run that was ended goes on with the next one.

import type { Bytes } from '../base/bytes.js'
import { fail } from '../base/errors.js'
import { Glob } from '../base/glob.js'
import { keyspacesMax } from '../base/limits.js'
import { Slice } from '../base/slice.js'
import { OpenPlaces } from '../bus/keyvalue/open-places.js'
import { readRule, writeRule } from '../bus/space-rule.js'
import { countOf } from '../engine/collection/counters.js'
import { homeOf } from '../engine/collection/homes.js'
import { walkKeys } from '../engine/keyspace/key-walk.js'
import { type Place, SpaceTable } from '../engine/keyspace/spaces.js'
import { usualBounds, Work } from '../engine/keyspace/work.js'
import { findParts, moveGraph } from '../memory/graph/graph.js'
import { graphsFrom, partsOfPath } from '../memory/graph/graph-names.js'
import type { Program, ReadTx, Store, Tx } from '../store/store.js'

export interface MoveParts {
  readonly store: Store
  /** Setting DATABASE. */
  readonly database: string
  readonly now: number
  readonly say: (line: string) => void
}

export interface KeysToMove {
  /** EIP-55. */
  readonly wallet: string
  /** Undefined: all keys. */
  readonly pattern: string | undefined
}

/** Keys of one program, whatever they hold: their members stay where they are. */
const keysAtOnce = 200
const graphsAtOnce = 500

/** Moves what is to be moved, then writes the rule down. Rejects where a count does not add up. */
export async function moveSpaces(parts: MoveParts, keys: KeysToMove | undefined): Promise<void> {
  const { store, say } = parts
  await moveGraphs(parts)
  if (keys !== undefined) await moveKeys(parts, keys)
  await store.write(function* (tx) {
    if ((yield* readRule(tx)) !== 'own') writeRule(tx, 'own')
  })
  say('Each wallet has a space of its own from the next start on.')
}

async function moveGraphs({ store, database, now, say }: MoveParts): Promise<void> {
  let moved = 0
  let from: Bytes | undefined
  do {
    const start = from
    const page = await store.read((tx) => graphsFrom(tx, start, graphsAtOnce))
    for (const path of page.paths) {
      const [db, name] = partsOfPath(path)
      if (db !== database) continue
      const outcome = await store.write((tx) => moveOne(tx, db, name, now))
      if (outcome === 'moved') moved++
      if (outcome === 'taken') {
        say(`graph ${path} stays: its owner's home has a graph of that name; rename neither`)
      }
    }
    from = page.next
  } while (from !== undefined)
  say(`${moved} graphs were moved into the homes of their owners.`)
}

type Outcome = 'moved' | 'taken' | 'unowned'

function* moveOne(tx: Tx, db: string, name: string, now: number): Program<Outcome> {
  const graph = yield* findParts(tx, db, name)
  const owner = graph?.nodes.access.owner ?? null
  if (graph === undefined || owner === null) return 'unowned'
  const home = homeOf(owner)
  if ((yield* findParts(tx, home, name)) !== undefined) return 'taken'
  const before = yield* countOf(tx, graph.nodes)
  yield* moveGraph(tx, graph, home, now)
  const there = yield* findParts(tx, home, name)
  const after = there === undefined ? undefined : yield* countOf(tx, there.nodes)
  if (after?.documents !== before.documents) throw fail('InternalError', `graph ${name} was lost`)
  return 'moved'
}

async function moveKeys(parts: MoveParts, { wallet, pattern }: KeysToMove): Promise<void> {
  const { store, database, say } = parts
  const spaces = new SpaceTable(database)
  const home = spaces.of(homeOf(wallet))
  const glob = pattern === undefined ? undefined : new Glob(Slice.ofText(pattern))
  for (let index = 0; index < keyspacesMax; index++) {
    const [from, to] = [spaces.main.place(index), home.place(index)]
    const before = await store.read((tx) => keysIn(tx, [from, to]))
    let moved = 0
    let taken = 0
    let place: Bytes | undefined
    do {
      const after = place
      const step = await store.write((tx) => moveSome(tx, { from, to, glob, after }, parts.now))
      moved += step.moved
      taken += step.taken
      place = step.place
    } while (place !== undefined)
    const after = await store.read((tx) => keysIn(tx, [from, to]))
    if (after !== before) throw fail('InternalError', `${from.ns}: ${before} keys became ${after}`)
    if (moved > 0) say(`${from.ns}: ${moved} keys are in ${to.ns} now`)
    if (taken > 0) say(`${from.ns}: ${taken} keys stay, ${to.ns} has keys of their names`)
  }
}

interface Step {
  readonly from: Place
  readonly to: Place
  readonly glob: Glob | undefined
  readonly after: Bytes | undefined
}

interface Moved {
  readonly moved: number
  readonly taken: number
  readonly place: Bytes | undefined
}

function* moveSome(tx: Tx, { from, to, glob, after }: Step, now: number): Program<Moved> {
  const work = new Work(usualBounds, false)
  const places = new OpenPlaces(tx, now, work)
  const source = yield* places.open(from)
  const target = yield* places.open(to)
  const { keys, place } = yield* walkKeys(source, glob?.prefix ?? noPrefix, after, keysAtOnce)
  let moved = 0
  let taken = 0
  for (const key of keys) {
    if (glob?.matches(key.name) === false) continue
    const there = yield* target.key(key.name)
    if (there.exists) taken++
    else {
      yield* source.rename(key, there, target)
      moved++
    }
  }
  if (moved > 0) places.noteChange(target, [source])
  yield* places.finish()
  return { moved, taken, place }
}

/** Documents of places, those that are due and still there among them. */
function* keysIn(tx: ReadTx, places: readonly Place[]): Program<number> {
  let keys = 0
  for (const place of places) {
    const ns = yield* place.find(tx)
    if (ns !== undefined) keys += (yield* countOf(tx, ns)).documents
  }
  return keys
}

const noPrefix: Bytes = new Uint8Array(0)
