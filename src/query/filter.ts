// Filters of find, update, delete, $match, partial indexes and validators: compiled once per
// command, then applied to the bytes of each document.
// Source: MongoDB manual, Query and Projection Operators.

import type { Bytes } from '../base/bytes/bytes.js'
import type { Collation } from '../value/collation/collation.js'
import { numberOf } from '../value/numbers.js'
import { boolOf, type Document, type Value } from '../value/value.js'
import type { QueryContext } from './context.js'
import { type Cell, contextData, Detachable, resultOf } from './detached.js'
import { documentTest, matchedPosition } from './filter/match.js'
import type { FilterNode } from './filter/node.js'
import { parseFilter } from './filter/parse.js'
import { filterToDocument } from './filter/print.js'

export type { FilterNode } from './filter/node.js'
export { filterToDocument }

export interface Filter {
  matches(document: Document): boolean
  /** For a matching document: the position of the array element that matched, for `$`. */
  matchedIndex(document: Document): number | undefined
  readonly tree: FilterNode
  /** Its context, if it can be compiled again in a thread. */
  readonly context?: QueryContext | undefined
  /** The collation of strings; undefined compares their bytes. */
  readonly collation: Collation | undefined
}

/**
 * Compiles a filter. Throws BadValue for unknown operators and bad operands, 51091 for malformed or
 * nonlinear regular expressions, and the errors of $expr.
 */
export function compileFilter(filter: Document, context: QueryContext): Filter {
  return new CompiledFilter(parseFilter(filter, context), context.collation, context, filter)
}

/** A filter from a tree that consists of parts of `of`. */
export function filterOf(tree: FilterNode, { collation, context }: Filter): Filter {
  return new CompiledFilter(tree, collation, context)
}

class CompiledFilter implements Filter {
  /** Built for the first document, because a plan with exact bounds tests none. */
  private test: Detachable<boolean> | undefined
  private position: Detachable<number | undefined> | undefined

  constructor(
    readonly tree: FilterNode,
    readonly collation: Collation | undefined,
    readonly context: QueryContext | undefined,
    private readonly given?: Document,
  ) {}

  matches(document: Document): boolean {
    this.test ??= this.detachable('filter', documentTest(this.tree), truthIn)
    return this.test.of(document)
  }

  matchedIndex(document: Document): number | undefined {
    const find = (one: Document) => matchedPosition(this.tree, one)
    this.position ??= this.detachable('position', find, positionIn)
    return this.position.of(document)
  }

  private detachable<Answer>(
    kind: 'filter' | 'position',
    act: (document: Document) => Answer,
    read: (cells: readonly Cell[]) => Answer,
  ): Detachable<Answer> {
    const { context } = this
    if (context === undefined) return new Detachable(act, undefined, read)
    const describe = () => ({ kind, filter: this.data(), context: contextData(context) }) as const
    return new Detachable(act, describe, read)
  }

  /** The filter as its own document. */
  data(): Bytes {
    return new Uint8Array(this.given ?? filterToDocument(this.tree))
  }
}

function truthIn([cell]: readonly Cell[]): boolean {
  return boolOf(resultOf(cell) as Value)
}

function positionIn([cell]: readonly Cell[]): number | undefined {
  const value = resultOf(cell)
  return value === undefined ? undefined : numberOf(value)
}
