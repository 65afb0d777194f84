// The columns of CREATE TABLE, cached for the lifetime of a descriptor, because every statement on
// the table needs them.

import type { Namespace } from '../../../engine/types.js'
import { idColumn, type KnownTable } from '../catalog/known-table.js'
import { declaredColumns } from './ddl-columns.js'

const tables = new WeakMap<Namespace, KnownTable | 'plain'>()

/** Undefined for a collection that is not from CREATE TABLE. */
export function declaredTable(ns: Namespace | undefined): KnownTable | undefined {
  if (ns === undefined) return undefined
  const known = tables.get(ns) ?? tableOf(ns)
  tables.set(ns, known)
  return known === 'plain' ? undefined : known
}

function tableOf(ns: Namespace): KnownTable | 'plain' {
  const declared = ns.view === undefined ? declaredColumns(ns.options) : undefined
  if (declared === undefined) return 'plain'
  const required = declared.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  return {
    columns: new Map(declared.map(({ name, type }) => [name, type])),
    required: new Set([...required, idColumn]),
    isDeclared: true,
    name: ns.name,
  }
}

/** Whether the collection is a table of CREATE TABLE. */
export function isDeclared(ns: Namespace): boolean {
  return declaredTable(ns) !== undefined
}
