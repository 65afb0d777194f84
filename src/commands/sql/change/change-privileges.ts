// What a change needs of its collection: writing, and reading where it tells or uses something of
// the rows that are there. TRUNCATE is a flush, which is the owner's.

import type { Privilege, Resource } from '../../../engine/types.js'
import type { Assignment } from '../../../protocol/sql/ast.js'
import { someNode } from '../expression/expression-tree.js'
import { meaning, relationNames } from '../relation-names.js'
import {
  type ChangeStatement,
  collectionOf,
  type SqlCall,
  type TruncateStatement,
} from './change-call.js'

/** The one collection that a change reaches, and what it needs of it. */
export function resourceOf(
  { db, target }: Pick<SqlCall, 'db' | 'target'>,
  statement: ChangeStatement,
): Resource {
  const resource = {
    db,
    collection: collectionOf(statement.table),
    privileges: privilegesOf(statement),
  }
  const [name] = relationNames(target, statement)
  return name === undefined ? resource : meaning(resource, name)
}

function privilegesOf(statement: ChangeStatement): readonly Privilege[] {
  if (statement.kind === 'truncate') return ['admin']
  return reads(statement) ? ['read', 'write'] : ['write']
}

/** Whether what it does or answers tells something of the documents that are there. */
function reads(statement: Exclude<ChangeStatement, TruncateStatement>): boolean {
  if (statement.returning.length > 0) return true
  if (statement.kind === 'insert') return statement.conflict !== undefined
  if (statement.where !== undefined) return true
  return statement.kind === 'update' && statement.set.some(readsRow)
}

function readsRow({ value }: Assignment): boolean {
  return value !== undefined && someNode(value, ({ kind }) => kind === 'column')
}
