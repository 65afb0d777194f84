// The names that share privacy and roles: a collection has its own, and the collections of a graph
// share one ownership record. Each collection of a graph stands for the whole graph.

import { findNamespace, saveAccess } from '../../engine/collection/catalog/catalog.js'
import { release } from '../../engine/collection/catalog/reservations.js'
import type { Access, Guarded, Namespace, Privilege, Resource } from '../../engine/types.js'
import { graphOfPart, graphParts, graphResources, partName } from '../../memory/graph/graph.js'
import type { Program, Tx } from '../../store/store.js'
import { namedResource } from '../document/arguments.js'

interface Named {
  readonly db: string
  readonly target: string
}

/** All names that share the access of `target`, itself first. */
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
    // In the order of namesOf: the named collection first.
    const resources = graphResources(call.db, graph, ...privileges)
    const isNamed = ({ collection }: Resource): boolean => collection === call.target
    return [...resources.filter(isNamed), ...resources.filter((resource) => !isNamed(resource))]
  }
}

/** Saves an access for a collection and for all that share its ownership record. */
export function* saveOwnership(tx: Tx & Guarded, ns: Namespace, access: Access): Program<void> {
  yield* saveAccess(tx, ns, access)
  for (const name of namesOf(ns.name).slice(1)) {
    const other = yield* findNamespace(tx, ns.db, name)
    if (other !== undefined) yield* saveAccess(tx, other, access)
  }
}

/** Releases a name and the names that share its ownership record. */
export function releaseOwned(tx: Tx, { db, target }: Named): void {
  for (const name of namesOf(target)) release(tx, db, name)
}
