// The privileges of a change: `write`, and `read` if it uses or returns existing rows. TRUNCATE is
// a flush, which needs the owner's privilege.

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

/** The only collection that a change uses, with its privileges. */
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

/** Whether its work or its reply reveals stored documents. */
function reads(statement: Exclude<ChangeStatement, TruncateStatement>): boolean {
  if (statement.returning.length > 0) return true
  if (statement.kind === 'insert') return statement.conflict !== undefined
  if (statement.where !== undefined) return true
  return statement.kind === 'update' && statement.set.some(readsRow)
}

function readsRow({ value }: Assignment): boolean {
  return value !== undefined && someNode(value, ({ kind }) => kind === 'column')
}
