// What privacy and roles are of: a collection, or a graph of memories, which is several under one
// ownership record. Any of a graph's collections stands for all of them.

import { findNamespace, release, saveAccess } from '../../engine/collection/catalog/catalog.js'
import type { Access, Guarded, Namespace, Privilege, Resource } from '../../engine/types.js'
import { graphOfPart, graphParts, graphResources, partName } from '../../memory/graph/graph.js'
import type { Program, Tx } from '../../store/store.js'
import { namedResource } from '../document/arguments.js'

interface Named {
  readonly db: string
  readonly target: string
}

/** The names that have the access of the one that was named; that one is the first. */
function namesOf(target: string): readonly string[] {
  const graph = graphOfPart(target)
  if (graph === undefined) return [target]
  const parts = graphParts.map((part) => partName(graph, part))
  return [target, ...parts.filter((name) => name !== target)]
}

export function ownedResource(
  ...privileges: readonly Privilege[]
): (call: Named) => readonly Resource[] {
  const ofName = namedResource(...privileges)
  return (call) => {
    const graph = graphOfPart(call.target)
    if (graph === undefined) return ofName(call)
    // In the order of namesOf, whose first is what the command is about.
    const resources = graphResources(call.db, graph, ...privileges)
    const isNamed = ({ collection }: Resource): boolean => collection === call.target
    return [...resources.filter(isNamed), ...resources.filter((resource) => !isNamed(resource))]
  }
}

/** Gives what was named, and all that shares its ownership record, an access. */
export function* saveOwnership(tx: Tx & Guarded, ns: Namespace, access: Access): Program<void> {
  yield* saveAccess(tx, ns, access)
  for (const name of namesOf(ns.name).slice(1)) {
    const other = yield* findNamespace(tx, ns.db, name)
    if (other !== undefined) yield* saveAccess(tx, other, access)
  }
}

/** Gives the name away, with those that belong to it. */
export function releaseOwned(tx: Tx, { db, target }: Named): void {
  for (const name of namesOf(target)) release(tx, db, name)
}
