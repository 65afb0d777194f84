// Parameters of several graph commands, and how a command finds its graph, so that equal errors
// have equal texts.

import { fail } from '../../base/errors.js'
import { entityNameCharsMax } from '../../base/limits/memory.js'
import type { Call } from '../../bus/document/call.js'
import { string } from '../../bus/document/params.js'
import type { Field } from '../../bus/document/schema.js'
import type { Privilege, Resource } from '../../engine/types.js'
import { walletOf } from '../../identity/identity.js'
import { findGraph, type Graph, graphResources } from '../../memory/graph/graph.js'
import type { Author } from '../../memory/nodes/entity-writing.js'
import { requireName } from '../../memory/write/given-memory.js'
import { unknownNode } from '../../memory/write/memory-plan.js'
import type { Program } from '../../store/store.js'
import { stringValue } from '../../value/value.js'

/** A node: an id, or an entity's name. */
export const nodeText: Field<string> = {
  ...string,
  bind: (where) => {
    const read = string.bind(where)
    const name = where.slice(where.lastIndexOf('.') + 1)
    return (value) => requireName(stringValue(read(value)), name, entityNameCharsMax)
  },
}

/** The resources of a command on its single graph. */
export function graphResource(
  ...privileges: readonly Privilege[]
): (call: { readonly db: string; readonly target: string }) => readonly Resource[] {
  return ({ db, target }) => graphResources(db, target, ...privileges)
}

/** The author and time of a write. */
export function authorOf({
  now,
  identity,
}: Pick<Call<unknown, string>, 'now' | 'identity'>): Author {
  return { now, createdBy: walletOf(identity) }
}

/** The graph of a requested node. Throws NodeNotFound, because a missing graph has no nodes. */
export function* requireGraph(
  tx: Parameters<typeof findGraph>[0],
  { db, target }: Pick<Call<unknown, string>, 'db' | 'target'>,
  node: string,
): Program<Graph> {
  const graph = yield* findGraph(tx, db, target)
  if (graph === undefined) throw unknownNode(node)
  return graph
}

/** Throws GraphNotFound. */
export function missingGraph(name: string): Error {
  return fail('GraphNotFound', `there is no graph '${name}'`)
}
