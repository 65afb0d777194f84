// A filter as a tree. The planner derives index bounds from it, explain prints it, and match.ts
// compiles it to closures. Leaves carry the test of one value, so that a new operator is one table
// row.

import type { Collation } from '../../value/collation/collation.js'
import type { FieldPath } from '../../value/path.js'
import type { Value } from '../../value/value.js'
import type { LongList } from './long-lists.js'

/** Undefined stands for a missing field. */
export type ValueTest = (value: Value | undefined) => boolean

/**
 * The values that a leaf tests. `each`: the value at the path and, for an array, its elements.
 * `whole`: only the value itself. `elements`: only the elements of an array.
 */
type Reach = 'each' | 'whole' | 'elements'

interface Leaf {
  readonly path: FieldPath
  /** The operand as a client would write it. */
  readonly value: Value
  readonly reach: Reach
  readonly test: ValueTest
}

export type ComparisonName = 'eq' | 'lt' | 'lte' | 'gt' | 'gte'

/** The collation of its strings; undefined compares their bytes. */
interface Collated {
  readonly collation: Collation | undefined
}

export interface ComparisonNode extends Leaf, Collated {
  readonly op: ComparisonName
}

/** Matches nothing when both lists are empty. */
export interface InNode extends Leaf, Collated {
  readonly op: 'in'
  readonly values: readonly Value[]
  readonly regexes: readonly Value[]
  /** The values of a long list, in place of `values`. */
  readonly list?: LongList | undefined
}

/** Equality with each value of a long list; `test` is that of one value with all of them. */
export interface AllNode extends Leaf, Collated {
  readonly op: 'all'
  readonly list: LongList
}

/** `exists: false` is the complement of true and has the same test. */
interface ExistsNode extends Leaf {
  readonly op: 'exists'
  readonly exists: boolean
}

interface RegexNode extends Leaf {
  readonly op: 'regex'
  /** A prefix of every matching string; undefined if unknown. */
  readonly prefix: string | undefined
  /** Whether every string with that prefix matches. */
  readonly isPrefixOnly: boolean
}

/**
 * `object`: the child's paths start at an element. `value`: the child combines leaves that test an
 * element itself; their path is this node's.
 */
export interface ElemMatchNode extends Leaf {
  readonly op: 'elemMatch'
  readonly form: 'object' | 'value'
  readonly child: FilterNode
}

/** Leaves for which an index is no better than a scan. */
interface PlainNode extends Leaf {
  readonly op:
    | 'type'
    | 'size'
    | 'mod'
    | 'bitsAllSet'
    | 'bitsAllClear'
    | 'bitsAnySet'
    | 'bitsAnyClear'
}

export type LeafNode =
  | ComparisonNode
  | InNode
  | AllNode
  | ExistsNode
  | RegexNode
  | ElemMatchNode
  | PlainNode

/** Whether an expression on the whole document is true. */
export interface ExprNode extends Collated {
  readonly op: 'expr'
  readonly value: Value
  readonly test: (root: Value) => boolean
}

/** Whether the whole document conforms to a schema. */
interface SchemaNode {
  readonly op: 'jsonSchema'
  readonly value: Value
  readonly test: (root: Value) => boolean
}

export type FilterNode =
  | { readonly op: 'and' | 'or' | 'nor'; readonly children: readonly FilterNode[] }
  | { readonly op: 'not'; readonly child: FilterNode }
  | { readonly op: 'always' | 'never' }
  | LeafNode
  | ExprNode
  | SchemaNode

export function isLeaf(node: FilterNode): node is LeafNode {
  return 'path' in node
}
