// ORDER BY: each row gets one key whose bytes sort like the rows. NULL sorts as in documents, first
// when ascending and last when descending, unless the statement says otherwise. (docs/sql.md)

import type { Bytes } from '../../../base/bytes/bytes.js'
import type { Expression, OrderItem } from '../../../protocol/sql/ast.js'
import type { Sort } from '../../../query/sort.js'
import { KeyWriter } from '../../../value/key.js'
import { boolValue, type Document, nullValue } from '../../../value/value.js'
import { compile } from '../expression/compile.js'
import type { Scope } from '../expression/scope.js'
import type { Evaluator, Row } from '../expression/truth.js'
import { type RowOf, rowSpender } from './row-stages.js'

interface Part {
  readonly evaluator: Evaluator
  readonly descends: boolean
  readonly nulls: 'first' | 'last' | undefined
}

/** The key of a row, in memory that the next key overwrites. */
type OrderKey = (row: Row) => Bytes

export function compileOrderKey(items: readonly OrderItem[], scope: Scope): OrderKey {
  const writer = new KeyWriter()
  const spend = rowSpender(items.map(({ expression }) => expression))
  const parts = items.map(({ expression, descends, nulls }): Part => {
    return { evaluator: compile(expression, scope), descends, nulls: unusual(nulls, descends) }
  })
  return (row) => {
    spend()
    writer.reset()
    for (const { evaluator, descends, nulls } of parts) {
      const value = evaluator.value(row)
      if (nulls !== undefined) {
        writer.value(boolValue((value === undefined) === (nulls === 'last')))
      }
      writer.value(value ?? nullValue, descends)
    }
    return writer.view()
  }
}

/** Whether NULLS FIRST or LAST differs from the default. */
function unusual(nulls: OrderItem['nulls'], descends: boolean): OrderItem['nulls'] {
  return nulls === (descends ? 'last' : 'first') ? undefined : nulls
}

/** A sort of the documents of rows. */
export function sortBy(key: OrderKey, rowOf: RowOf): Sort {
  const peekKey = (document: Document): Bytes => key(rowOf(document))
  const parts: Sort['parts'] = []
  return {
    parts,
    natural: undefined,
    collation: undefined,
    peekKey,
    key: (document) => peekKey(document).slice(),
  }
}

/** Orders equal rows by `_id`, in the same direction, so that pages are stable. */
export function withTiebreak(
  items: readonly OrderItem[],
  tables: readonly string[],
): readonly OrderItem[] {
  const descends = items.length > 0 && items.every((item) => item.descends)
  const ids = tables.map((table): Expression => ({ kind: 'column', at: 0, path: [table, '_id'] }))
  return [...items, ...ids.map((expression) => ({ expression, descends }))]
}
