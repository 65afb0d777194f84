// arrayFilters: `[{"x.grade": {$gt: 80}}]` names a test `x`, which `$[x]` in a path applies to each
// element of an array.

import { fail } from '../../base/errors.js'
import { work } from '../../base/work/work-budget.js'
import { wrappedUnits } from '../../base/work/work-figures.js'
import type { Document, Value } from '../../value/value.js'
import { DocumentWriter } from '../../value/writer.js'
import type { QueryContext } from '../context.js'
import { documentTest, reachingTest } from '../filter/match.js'
import { type FilterNode, isLeaf, type LeafNode, type ValueTest } from '../filter/node.js'
import { parseFilter } from '../filter/parse.js'
import type { ArrayFilters } from './path-tree.js'

/** Throws FailedToParse and BadValue for filters without exactly one valid identifier. */
export function compileArrayFilters(
  filters: readonly Document[],
  context: QueryContext,
): ArrayFilters {
  const tests = new Map<string, ValueTest>()
  for (const filter of filters) {
    const tree = parseFilter(filter, context, 'arrayFilter')
    const name = identifierOf(tree)
    if (tests.has(name)) {
      const text = `Found multiple array filters with the same top-level field name ${name}`
      throw fail('FailedToParse', text)
    }
    tests.set(name, elementTestOf(tree, name))
  }
  return tests
}

function identifierOf(tree: FilterNode): string {
  const names = new Set<string>()
  for (const leaf of leavesOf(tree)) names.add(leaf.path.parts[0] ?? '')
  const [name, other] = names
  if (name === undefined || name === '') {
    const text = 'Cannot use an expression without a top-level field name in arrayFilters'
    throw fail('FailedToParse', text)
  }
  const prefix = 'Error parsing array filter :: caused by ::'
  if (other !== undefined) {
    const text = `Expected a single top-level field name, found '${name}' and '${other}'`
    throw fail('FailedToParse', `${prefix} ${text}`)
  }
  if (!/^[a-z][a-zA-Z0-9]*$/.test(name)) {
    const text =
      'The top-level field name must be an alphanumeric string beginning with a lowercase letter'
    throw fail('BadValue', `${prefix} ${text}, found '${name}'`)
  }
  return name
}

function* leavesOf(node: FilterNode): Generator<LeafNode> {
  if (isLeaf(node)) yield node
  else if ('children' in node) for (const child of node.children) yield* leavesOf(child)
  else if (node.op === 'not') yield* leavesOf(node.child)
}

/** Conditions on the element itself are tested directly; paths below it need a document. */
function elementTestOf(tree: FilterNode, name: string): ValueTest {
  const isPlain = [...leavesOf(tree)].every((leaf) => leaf.path.parts.length === 1)
  if (isPlain) return reachingTest(tree)
  const matches = documentTest(tree)
  return (element) => {
    if (element === undefined) return false
    work.spend(wrappedUnits)
    return matches(wrapped(name, element))
  }
}

function wrapped(name: string, element: Value): Document {
  return new DocumentWriter().value(name, element).finish()
}
