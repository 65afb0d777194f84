// Moves data for `sigil spaces move`: graphs of wallets to their homes, and keys of the shared
// databases to a named wallet's home. Each step is one program, and its result is compared with the
// source. An interrupted move continues with its next step.

import type { Bytes } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import {
  type KeysToMove,
  readMove,
  removeMove,
  type SpaceMove,
  type Unchecked,
  writeMove,
} from '../../bus/spaces/space-move.js'
import { readRule, writeRule } from '../../bus/spaces/space-rule.js'
import { homeOf } from '../../engine/collection/catalog/homes.js'
import { findParts, moveGraph } from '../../memory/graph/graph.js'
import { digestOfGraph } from '../../memory/graph/graph-digest.js'
import { graphsFrom, partsOfPath } from '../../memory/graph/graph-names.js'
import type { Store } from '../../store/store.js'
import { checkKeys, type MoveParts, moveKeys } from './move-keys.js'

const graphsAtOnce = 500

/**
 * Continues an earlier run, moves the rest, then stores the rule. Rejects if moved data differs
 * from its source.
 */
export async function moveSpaces(parts: MoveParts, keys: KeysToMove | null): Promise<void> {
  const { store, say } = parts
  const begun = await store.read(readMove)
  if (begun !== undefined) {
    say(`A move${ofKeys(begun.keys)} was interrupted. It continues.`)
    await finish(parts, begun)
  }
  if (begun === undefined || (keys !== null && !isSame(keys, begun.keys))) {
    const move: SpaceMove = { keys, unchecked: null }
    await store.write(function* (tx) {
      writeMove(tx, move)
    })
    await finish(parts, move)
  }
  say('From the next start on, each wallet has a space of its own.')
}

/** Runs the remaining steps. */
async function finish(parts: MoveParts, { keys, unchecked }: SpaceMove): Promise<void> {
  if (unchecked?.kind === 'keys') await checkKeys(parts, unchecked)
  else if (unchecked !== null) await checkGraph(parts.store, unchecked)
  await moveGraphs(parts, keys)
  if (keys !== null) await moveKeys(parts, keys)
  await parts.store.write(function* (tx) {
    if ((yield* readRule(tx)) !== 'own') writeRule(tx, 'own')
    removeMove(tx)
  })
}

async function moveGraphs(parts: MoveParts, keys: KeysToMove | null): Promise<void> {
  const { store, database, say } = parts
  let moved = 0
  let from: Bytes | undefined
  do {
    const start = from
    const page = await store.read((tx) => graphsFrom(tx, start, graphsAtOnce))
    for (const path of page.paths) {
      const [db, name] = partsOfPath(path)
      if (db !== database) continue
      const outcome = await moveOne(parts, keys, name)
      if (outcome === 'moved') moved++
      if (outcome === 'taken') say(`graph ${path} stays: its owner's home has one of that name`)
    }
    from = page.next
  } while (from !== undefined)
  say(`${moved} graphs were moved into the homes of their owners.`)
}

type Outcome = 'moved' | 'taken' | 'unowned'

async function moveOne(
  { store, database, now }: MoveParts,
  keys: KeysToMove | null,
  name: string,
): Promise<Outcome> {
  const graph = await store.read((tx) => findParts(tx, database, name))
  const owner = graph?.nodes.access.owner ?? null
  if (graph === undefined || owner === null) return 'unowned'
  const home = homeOf(owner)
  if ((await store.read((tx) => findParts(tx, home, name))) !== undefined) return 'taken'
  const digest = await digestOfGraph(store, graph)
  const unchecked = { kind: 'graph', name, home, digest } as const
  await store.write(function* (tx) {
    writeMove(tx, { keys, unchecked })
    yield* moveGraph(tx, graph, home, now)
  })
  await checkGraph(store, unchecked)
  return 'moved'
}

async function checkGraph(
  store: Store,
  { name, home, digest }: Unchecked & { kind: 'graph' },
): Promise<void> {
  const graph = await store.read((tx) => findParts(tx, home, name))
  if (graph !== undefined && (await digestOfGraph(store, graph)) === digest) return
  const what = graph === undefined ? 'is missing' : 'is not what it was before the move'
  throw fail('InternalError', `graph ${home}/${name} ${what}. 'sigil check' looks at the folder`)
}

function ofKeys(keys: KeysToMove | null): string {
  if (keys === null) return ''
  return ` of the keys '${keys.pattern ?? '*'}' to ${keys.wallet}`
}

function isSame(one: KeysToMove, other: KeysToMove | null): boolean {
  return one.wallet === other?.wallet && one.pattern === other.pattern
}
