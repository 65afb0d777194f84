// Parses a filter document to its tree. Operators under a path are in the table of operators.ts;
// top-level operators ($and, $expr …) are in the table here.

import { fail } from '../../base/errors.js'
import { expressionDepthMax } from '../../base/limits/documents.js'
import { work } from '../../base/work/work-budget.js'
import { conditionUnits } from '../../base/work/work-figures.js'
import { Elements, elementsOf } from '../../value/elements.js'
import { numberOf } from '../../value/numbers.js'
import { type FieldPath, parsePath } from '../../value/path.js'
import {
  bsonType,
  type Document,
  documentValue,
  doubleValue,
  type Value,
} from '../../value/value.js'
import { writeDocument } from '../../value/writer.js'
import type { QueryContext } from '../context.js'
import { compileExpression, envOf, scopeOf } from '../expression.js'
import { emptyObject, isTruthy } from '../expressions/operator.js'
import { compileRegexValue } from '../regex.js'
import { compileSchema } from '../schema/json-schema.js'
import type { FieldOperator, FieldPlace } from './field-operator.js'
import type { FilterNode } from './node.js'
import { isOperatorObject, isReferenceName } from './operator-object.js'
import { comparisonNode, fieldOperators, regexNode } from './operators.js'

/** The place of a filter: $expr needs a whole document, which an array element is not. */
type FilterRole = 'document' | 'element' | 'arrayFilter'

const operators = new Map<string, FieldOperator>(fieldOperators.map((row) => [row.name, row]))

interface TopOperator {
  compile(operand: Value, parser: Parser): FilterNode
}

const topOperators = new Map<string, TopOperator>([
  ['$and', { compile: (operand, parser) => conjunction(parser.list('$and', operand)) }],
  ['$or', { compile: (operand, parser) => disjunction(parser.list('$or', operand)) }],
  [
    '$nor',
    { compile: (operand, parser) => ({ op: 'nor', children: parser.list('$nor', operand) }) },
  ],
  ['$comment', { compile: () => ({ op: 'always' }) }],
  ['$expr', { compile: (operand, parser) => parser.expression(operand) }],
  ['$alwaysTrue', { compile: () => ({ op: 'always' }) }],
  ['$alwaysFalse', { compile: () => ({ op: 'never' }) }],
  ['$where', refused('BadValue', '$where is not allowed in this context')],
  ['$text', refused('IndexNotFound', 'text index required for $text query')],
  ['$jsonSchema', { compile: (operand, parser) => parser.schema(operand) }],
  ['$sampleRate', { compile: (operand, parser) => parser.expression(sampling(operand)) }],
  [
    '$not',
    refused(
      'BadValue',
      'unknown top level operator: $not. If you are trying to negate an entire expression, ' +
        'use $nor.',
    ),
  ],
])

/** Top-level operators, for the reference; the others are in operators.ts. */
export const topOperatorNames: readonly string[] = [...topOperators.keys()]

/** `$sampleRate` as an expression that is true with that probability. */
function sampling(operand: Value): Value {
  if (!operand.isNumber) {
    throw fail('BadValue', 'argument to $sampleRate must be a numeric type')
  }
  const rate = numberOf(operand)
  if (!(rate >= 0 && rate <= 1)) {
    throw fail('BadValue', 'numeric argument to $sampleRate must be in [0, 1]')
  }
  return documentValue(
    writeDocument((writer) => {
      writer.openArray('$lt').pushOpenDocument().openDocument('$rand').close().close()
      writer.push(doubleValue(rate)).close()
    }),
  )
}

function refused(kind: 'BadValue' | 'IndexNotFound', text: string): TopOperator {
  return {
    compile: () => {
      throw fail(kind, text)
    },
  }
}

export function parseFilter(
  filter: Document,
  context: QueryContext,
  role: FilterRole = 'document',
): FilterNode {
  return new Parser(context, role, 0).object(documentValue(filter))
}

/** The node of `{path: {$gt: 1, …}}` or `{path: value}`, for $pull and others. */
export function parseCondition(path: FieldPath, operand: Value, context: QueryContext): FilterNode {
  return new Parser(context, 'element', 0).field(path, operand)
}

/** Whether an object starts with an operator for fields, `{$gt: 5}`. */
export function isFieldOperator(value: Value): boolean {
  if (!isOperatorObject(value)) return false
  const first = new Elements(value.bytes, value.start)
  return first.next() && operators.has(first.name())
}

/** Flattens nested $and; a single child needs no node. */
function conjunction(children: readonly FilterNode[]): FilterNode {
  const flat: FilterNode[] = []
  for (const child of children) {
    if (child.op === 'and') for (const inner of child.children) flat.push(inner)
    else if (child.op !== 'always') flat.push(child)
  }
  if (flat.length === 0) return { op: 'always' }
  return flat.length === 1 ? (flat[0] as FilterNode) : { op: 'and', children: flat }
}

function disjunction(children: readonly FilterNode[]): FilterNode {
  return children.length === 1 ? (children[0] as FilterNode) : { op: 'or', children }
}

class Parser {
  constructor(
    private readonly context: QueryContext,
    private readonly role: FilterRole,
    private readonly depth: number,
  ) {
    if (depth > expressionDepthMax) throw fail('BadValue', 'exceeded maximum query tree depth')
  }

  /** A filter: a conjunction of its conditions. */
  object(object: Value): FilterNode {
    const children: FilterNode[] = []
    const elements = new Elements(object.bytes, object.start)
    while (elements.next()) {
      work.spend(conditionUnits)
      const name = elements.name()
      const operand = elements.value()
      if (name.startsWith('$') && !isReferenceName(name)) children.push(this.top(name, operand))
      else children.push(this.field(parsePath(name), operand))
    }
    return conjunction(children)
  }

  field(path: FieldPath, operand: Value): FilterNode {
    if (operand.type === bsonType.regex) return regexNode(compileRegexValue(operand), path)
    if (isOperatorObject(operand)) return this.operators(path, operand)
    return comparisonNode('eq', operand, path, this.context.collation)
  }

  /** The filters of $and, $or or $nor. */
  list(name: string, operand: Value): FilterNode[] {
    if (operand.type !== bsonType.array) throw fail('BadValue', `${name} must be an array`)
    const given = elementsOf(operand)
    if (given.length === 0) throw fail('BadValue', '$and/$or/$nor must be a nonempty array')
    const inner = this.deeper(this.role)
    return given.map((value) => {
      if (value.type !== bsonType.object) {
        throw fail('BadValue', '$or/$and/$nor entries need to be full objects')
      }
      return inner.object(value)
    })
  }

  schema(operand: Value): FilterNode {
    this.requireDocument('$jsonSchema')
    return { op: 'jsonSchema', value: operand, test: compileSchema(operand) }
  }

  expression(operand: Value): FilterNode {
    this.requireDocument('$expr')
    const expression = compileExpression(operand, scopeOf(this.context))
    const environment = envOf(emptyObject, this.context)
    const test = (root: Value): boolean => {
      environment.root = root
      return isTruthy(expression.evaluate(environment))
    }
    return { op: 'expr', value: operand, test, collation: this.context.collation }
  }

  private requireDocument(name: string): void {
    if (this.role === 'element') {
      throw fail('BadValue', `${name} can only be applied to the top-level document`)
    }
    if (this.role === 'arrayFilter') {
      throw fail('QueryFeatureNotAllowed', `${name} is not allowed in this context`)
    }
  }

  private top(name: string, operand: Value): FilterNode {
    const row = topOperators.get(name)
    if (row !== undefined) return row.compile(operand, this)
    throw fail(
      'BadValue',
      `unknown top level operator: ${name}. If you have a field name that starts with a '$' ` +
        'symbol, consider using $getField or $setField.',
    )
  }

  private operators(path: FieldPath, object: Value): FilterNode {
    const children: FilterNode[] = []
    const place: FieldPlace = {
      path,
      collation: this.context.collation,
      siblings: object,
      operators: (value) => this.deeper(this.role).operators(path, value),
      nested: (value) => this.deeper('element').object(value),
    }
    const elements = new Elements(object.bytes, object.start)
    while (elements.next()) {
      const name = elements.name()
      const row = operators.get(name)
      if (row === undefined) throw fail('BadValue', `unknown operator: ${name}`)
      const node = row.compile(elements.value(), place)
      if (node !== undefined) children.push(node)
    }
    return conjunction(children)
  }

  private deeper(role: FilterRole): Parser {
    return new Parser(this.context, role, this.depth + 1)
  }
}
