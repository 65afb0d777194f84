// A filter as a tree: the planner reads it for index bounds, explain prints it, and match.ts makes
// closures of it. Leaves carry the test of one value, so that a new operator is one row of a table.

import type { Collation } from '../../value/collation/collation.js'
import type { FieldPath } from '../../value/path.js'
import type { Value } from '../../value/value.js'

/** undefined is a missing field. */
export type ValueTest = (value: Value | undefined) => boolean

/**
 * What a leaf's test is tried on: the value at the path and, if that is an array, each of its
 * elements (`each`), only the value itself (`whole`), or only the elements of an array.
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

/** How its strings compare; undefined: by their bytes. */
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
}

/** `exists: false` is the complement of true; its test is that of true. */
interface ExistsNode extends Leaf {
  readonly op: 'exists'
  readonly exists: boolean
}

interface RegexNode extends Leaf {
  readonly op: 'regex'
  /** Text that every matching string begins with; undefined where nothing is known. */
  readonly prefix: string | undefined
  /** Every string with that prefix matches. */
  readonly isPrefixOnly: boolean
}

/**
 * `object`: the child's paths start at an element. `value`: the child is a combination of leaves
 * that are tried on an element itself; their path is this node's.
 */
export interface ElemMatchNode extends Leaf {
  readonly op: 'elemMatch'
  readonly form: 'object' | 'value'
  readonly child: FilterNode
}

/** Leaves that no index serves better than by a scan. */
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

export type LeafNode = ComparisonNode | InNode | ExistsNode | RegexNode | ElemMatchNode | PlainNode

/** Truth of an expression over the whole document. */
export interface ExprNode extends Collated {
  readonly op: 'expr'
  readonly value: Value
  readonly test: (root: Value) => boolean
}

/** Truth of a schema over the whole document. */
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
