// Filters of find, update, delete, $match, partial indexes and validators: compiled once for a
// command, then asked for each document over its bytes.
// Source: MongoDB manual, Query and Projection Operators.

import type { Collation } from '../value/collation.js'
import type { Document } from '../value/value.js'
import type { QueryContext } from './context.js'
import { type DocumentTest, documentTest, matchedPosition } from './filter/match.js'
import type { FilterNode } from './filter/node.js'
import { parseFilter } from './filter/parse.js'
import { filterToDocument } from './filter/print.js'

export type { FilterNode } from './filter/node.js'
export { filterToDocument }

export interface Filter {
  matches(document: Document): boolean
  /** Of a document that matches: the position of the array element by which it does, for `$`. */
  matchedIndex(document: Document): number | undefined
  readonly tree: FilterNode
  /** How strings compare; undefined: by their bytes. */
  readonly collation: Collation | undefined
}

/**
 * Compiles a filter. Throws BadValue on unknown operators and bad operands, 51091 on regular
 * expressions that are malformed or not of the linear kind, and the errors of $expr.
 */
export function compileFilter(filter: Document, context: QueryContext): Filter {
  return new CompiledFilter(parseFilter(filter, context), context.collation)
}

/** The filter of a tree that compileFilter has made, or of parts of one. */
export function filterOf(tree: FilterNode, collation: Collation | undefined): Filter {
  return new CompiledFilter(tree, collation)
}

class CompiledFilter implements Filter {
  /** Made for the first document: a plan with exact bounds asks for none. */
  private test: DocumentTest | undefined

  constructor(
    readonly tree: FilterNode,
    readonly collation: Collation | undefined,
  ) {}

  matches(document: Document): boolean {
    this.test ??= documentTest(this.tree)
    return this.test(document)
  }

  matchedIndex(document: Document): number | undefined {
    return matchedPosition(this.tree, document)
  }
}
