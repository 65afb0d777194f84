// A duplicate key with PostgreSQL's text: clients search it for the name of the constraint.
// Source: PostgreSQL 17, errors of unique constraints (23505).

import { GatewayError } from '../../../base/errors.js'
import { fieldsOf } from '../../../value/elements.js'
import { documentValue, type Value } from '../../../value/value.js'
import { constraintName } from '../catalog/constraint-name.js'
import { textForm } from '../expression/texts/text-form.js'
import type { SqlCall } from './change-call.js'

/**
 * Converts a DuplicateKey to the SQL error; returns other errors unchanged. `isBuilt`: the error
 * comes from building an index.
 */
export function uniqueViolation(
  thrown: unknown,
  { isBlind }: Pick<SqlCall, 'isBlind'>,
  isBuilt = false,
): unknown {
  if (!(thrown instanceof GatewayError) || thrown.kind !== 'DuplicateKey') return thrown
  const found = / collection: [^.]*\.(.*) index: (.*?)(?: dup key: |$)/.exec(thrown.message)
  const [, table, index] = found ?? []
  if (table === undefined || index === undefined) return thrown
  const constraint = constraintName(table, index)
  const text = isBuilt
    ? `could not create unique index "${constraint}"`
    : `duplicate key value violates unique constraint "${constraint}"`
  const key = isBlind ? undefined : keyOf(thrown.extra.keyValue)
  const detail = key && `${key} ${isBuilt ? 'is duplicated' : 'already exists'}.`
  const extra = {
    ...thrown.extra,
    ...(detail === undefined ? {} : { detail }),
    schema: 'public',
    table,
    constraint,
  }
  return new GatewayError(thrown.kind, text, extra, thrown.cause ?? thrown)
}

/** `Key (a, b)=(1, x)` */
function keyOf(keyValue: unknown): string | undefined {
  if (!(keyValue instanceof Uint8Array)) return undefined
  const fields = [...fieldsOf(documentValue(keyValue))]
  const names = fields.map(([name]) => name).join(', ')
  const values = fields.map(([, value]) => shown(value)).join(', ')
  return `Key (${names})=(${values})`
}

function shown(value: Value): string {
  return value.isNullish ? 'null' : textForm(value)
}
