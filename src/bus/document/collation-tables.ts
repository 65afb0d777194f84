// The tables of a command's collations. A thread builds a table before the command begins, because
// building takes longer than a turn. (docs/design/transactions.md, rule 1)

import { collationTablesMax } from '../../base/limits/engine.js'
import type { Collation } from '../../value/collation/collation.js'

/** The arguments of commands with a collation, for the command or for each of its changes. */
interface WithCollation {
  readonly collation?: { readonly collation: Collation | undefined } | undefined
}
export interface WithCollations extends WithCollation {
  readonly updates?: readonly WithCollation[]
  readonly deletes?: readonly WithCollation[]
}

/** Resolves when the last missing collation table is built; undefined if none is missing. */
export function tableOf({
  collation,
  updates,
  deletes,
}: WithCollations): Promise<void> | undefined {
  const ready = collation?.collation?.ready()
  const changes = updates ?? deletes
  if (ready !== undefined || changes === undefined) return ready
  let last: Promise<void> | undefined
  const asked = new Set<Collation>()
  for (const { collation: given } of changes) {
    if (given?.collation === undefined || asked.size === collationTablesMax) continue
    asked.add(given.collation)
    last = given.collation.ready() ?? last
  }
  return last
}
