// Operations on expression trees: the operands of a node, a search, and copies with replaced nodes.
// expression-key.ts tells whether two of them are equal.

import type { Expression } from '../../../protocol/sql/ast.js'

/** The operands of a node, in the order of the text. */
export function operandsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'literal':
    case 'parameter':
    case 'column':
    case 'star':
      return []
    case 'not':
    case 'unary':
    case 'is':
    case 'cast':
    case 'field':
      return [expression.operand]
    case 'and':
    case 'or':
      return expression.operands
    case 'binary':
    case 'distinct':
      return [expression.left, expression.right]
    case 'between':
      return [expression.operand, expression.low, expression.high]
    case 'in':
      return [expression.operand, ...expression.list]
    case 'like':
      return given(expression.operand, expression.pattern, expression.escape)
    case 'quantified':
      return [expression.left, expression.array]
    case 'case':
      return operandsOfCase(expression)
    case 'call':
      return [
        ...expression.args,
        ...expression.orderBy.map((item) => item.expression),
        ...given(expression.filter),
      ]
    case 'array':
      return expression.elements
    case 'subscript':
      return [expression.operand, expression.index]
  }
}

function operandsOfCase({
  operand,
  branches,
  otherwise,
}: Extract<Expression, { kind: 'case' }>): Expression[] {
  const inner = branches.flatMap(({ when, result }) => [when, result])
  return [...given(operand), ...inner, ...given(otherwise)]
}

function given(...operands: readonly (Expression | undefined)[]): Expression[] {
  return operands.filter((operand) => operand !== undefined)
}

/**
 * Whether `holds` is true for the node or one below. Nodes below a node where it is true are
 * skipped.
 */
export function someNode(
  expression: Expression,
  holds: (node: Expression) => boolean | 'stop',
): boolean {
  const found = holds(expression)
  if (found === 'stop') return false
  return found || operandsOf(expression).some((operand) => someNode(operand, holds))
}

/** A copy in which `replace` may replace every node; replacements are not searched further. */
export function mapExpression(
  expression: Expression,
  replace: (node: Expression) => Expression | undefined,
): Expression {
  const other = replace(expression)
  if (other !== undefined) return other
  const mapped = (operand: Expression): Expression => mapExpression(operand, replace)
  switch (expression.kind) {
    case 'literal':
    case 'parameter':
    case 'column':
    case 'star':
      return expression
    case 'not':
    case 'unary':
    case 'is':
    case 'cast':
    case 'field':
      return { ...expression, operand: mapped(expression.operand) }
    case 'and':
    case 'or':
      return { ...expression, operands: expression.operands.map(mapped) }
    case 'binary':
    case 'distinct':
      return { ...expression, left: mapped(expression.left), right: mapped(expression.right) }
    case 'array':
      return { ...expression, elements: expression.elements.map(mapped) }
    default:
      return mapWide(expression, mapped)
  }
}

type Wide = Extract<
  Expression,
  { kind: 'between' | 'in' | 'like' | 'quantified' | 'case' | 'call' | 'subscript' }
>

function mapWide(expression: Wide, mapped: (operand: Expression) => Expression): Expression {
  const optional = <K extends string>(name: K, operand: Expression | undefined) =>
    operand === undefined ? {} : { [name]: mapped(operand) }
  switch (expression.kind) {
    case 'between': {
      const { operand, low, high } = expression
      return { ...expression, operand: mapped(operand), low: mapped(low), high: mapped(high) }
    }
    case 'in':
      return {
        ...expression,
        operand: mapped(expression.operand),
        list: expression.list.map(mapped),
      }
    case 'like':
      return {
        ...expression,
        operand: mapped(expression.operand),
        pattern: mapped(expression.pattern),
        ...optional('escape', expression.escape),
      }
    case 'quantified':
      return { ...expression, left: mapped(expression.left), array: mapped(expression.array) }
    case 'case':
      return {
        ...expression,
        ...optional('operand', expression.operand),
        branches: expression.branches.map(({ at, when, result }) => ({
          at,
          when: mapped(when),
          result: mapped(result),
        })),
        ...optional('otherwise', expression.otherwise),
      }
    case 'call':
      return {
        ...expression,
        args: expression.args.map(mapped),
        orderBy: expression.orderBy.map((item) => ({
          ...item,
          expression: mapped(item.expression),
        })),
        ...optional('filter', expression.filter),
      }
    case 'subscript':
      return {
        ...expression,
        operand: mapped(expression.operand),
        index: mapped(expression.index),
      }
  }
}

/** The parts of a condition that must all be true. */
export function conjunctsOf(condition: Expression | undefined): readonly Expression[] {
  if (condition === undefined) return []
  return condition.kind === 'and' ? condition.operands.flatMap(conjunctsOf) : [condition]
}
