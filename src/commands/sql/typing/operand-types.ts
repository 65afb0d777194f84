// Types of the operands in statements over declared tables, as in PostgreSQL: a text literal takes
// the type of what stands beside it, a result the type of the others, and what has no meaning
// between its types is refused at once. Documents of other tables may hold values of any type, so
// that their statements stay as they are.

import type { Expression } from '../../../protocol/sql/ast.js'
import { stringOf } from '../../../value/value.js'
import { arithmeticOperators } from '../expression/arithmetic.js'
import { likeOperators } from '../expression/binary.js'
import { isComparison } from '../expression/comparison.js'
import { mapExpression } from '../expression/expression-tree.js'
import { Parts } from '../expression/parts.js'
import { staticType } from '../select/column-type.js'
import { DeclaredTypes, resultsOf, type Tables } from './declared-type.js'
import { functionFacts } from './function-facts.js'
import {
  asText,
  castOf,
  checkedCast,
  elementOf,
  isText,
  literalIn,
  literalInArray,
  parsedAs,
} from './literals.js'
import { withOpenArguments } from './open-arguments.js'
import { isRowType, noRowCast, noRowText, requireComparableRows, rowTest } from './row-type.js'
import { commonType, familyOf, isWholeType, unknown } from './type-family.js'
import {
  noOperator,
  requireAggregate,
  requireArithmetic,
  requireArray,
  requireAssignable,
  requireComparable,
  requireConcat,
  requireCondition,
  requireContaining,
  requireElements,
  requireNumber,
  requireTexts,
  sharedType,
} from './type-refusals.js'

type Node<K extends Expression['kind']> = Extract<Expression, { kind: K }>

/** Of virtual tables, as in `oid = '16384'`; a text that is no number stays a text there. */
const numberTypes = new Set(['int4', 'int8'])
const wholeForm = /^-?\d{1,9}$/

/** `expression` is bound: its columns begin with their table. Throws 42804, 42883, 22P02 … */
export function withOperandTypes(expression: Expression, tables: Tables): Expression {
  return typingOf(tables)?.typed(expression) ?? expression
}

/** Undefined where only rows tell types. */
export function typingOf(tables: Tables): Typing | undefined {
  return isTyped(tables) ? new Typing(tables) : undefined
}

/** As withOperandTypes, for a condition; `clause` is its keyword. */
export function typedCondition(
  expression: Expression,
  tables: Tables,
  clause: 'WHERE' | 'HAVING' | 'JOIN/ON',
): Expression {
  return typingOf(tables)?.condition(expression, clause) ?? expression
}

/** The value of a column in its type. Throws 42804 for a value of another family. */
export function typedAssignment(
  value: Expression,
  { name, type }: { readonly name: string; readonly type: string },
  tables: Tables,
): Expression {
  const base = type.replace(/\(.*\)/, '')
  const isNumber = value.kind === 'literal' && value.value.isNumber && familyOf(base) === 'number'
  if (isNumber || value.kind === 'parameter') return value
  if (isText(value)) return literalIn(base, value)
  const typing = new Typing(tables)
  const made = typing.typed(value)
  requireAssignable(name, base, made, typing.types)
  return made
}

function isTyped({ tables, known }: Tables): boolean {
  return tables.length === 0 || known?.some((table) => table !== undefined) === true
}

const containments = new Set(['@>', '<@'])
const float8 = { name: 'float8', modifiers: [], isArray: false } as const
const regexes = new Set(['~', '~*', '!~', '!~*'])

/** Beside `jsonb`, a text literal of `||` is one. */
function jsonOf(type: string | undefined): string | undefined {
  return type === 'jsonb' ? type : undefined
}

/** Of the expressions of one statement. */
class Typing {
  readonly types: DeclaredTypes
  /** Typed parts of large expressions. */
  readonly parts = new Parts<Expression>()

  constructor(private readonly tables: Tables) {
    this.types = new DeclaredTypes(tables)
  }

  typed(expression: Expression): Expression {
    return mapExpression(expression, (node) => this.parts.of(node) ?? this.replaced(node))
  }

  condition(expression: Expression, clause: string): Expression {
    const made = this.typed(expression)
    if (isText(made)) return parsedAs(made, 'bool')
    requireCondition(made, clause, this.types)
    return made
  }

  /** Undefined if only its operands may change. */
  private replaced(node: Expression): Expression | undefined {
    switch (node.kind) {
      case 'not':
        return { ...node, operand: this.condition(node.operand, 'NOT') }
      case 'and':
      case 'or': {
        const clause = node.kind.toUpperCase()
        return { ...node, operands: node.operands.map((each) => this.condition(each, clause)) }
      }
      case 'is': {
        if (node.test === 'null') return rowTest(node, this.tables)
        const clause = `IS ${node.isNegated ? 'NOT ' : ''}${node.test.toUpperCase()}`
        return { ...node, operand: this.condition(node.operand, clause) }
      }
      case 'unary': {
        const operand = this.typed(node.operand)
        const type = this.types.of(operand)
        if (node.operator === '+' && type === unknown) return castOf(operand, 'float8', false)
        requireNumber(node.operator, type, node.at)
        return { ...node, operand }
      }
      case 'binary':
        return this.binary(node)
      case 'distinct': {
        const [left, right] = this.pair('=', node.left, node.right, node.operatorAt)
        return { ...node, left, right }
      }
      case 'in':
        return this.membership(node)
      case 'between':
        return this.between(node)
      case 'like':
        return this.like(node)
      case 'quantified':
        return this.quantified(node)
      case 'case':
        return this.choice(node)
      case 'call':
        return this.call(node)
      case 'cast': {
        return this.converted(node)
      }
      case 'array': {
        return this.array(node)
      }
      default:
        return undefined
    }
  }

  private binary(node: Node<'binary'>): Expression {
    const { operator, operatorAt: at } = node
    if (isComparison(operator) || containments.has(operator)) {
      const [left, right] = this.pair(operator, node.left, node.right, at)
      return { ...node, left, right }
    }
    const [left, right] = [this.typed(node.left), this.typed(node.right)]
    const [one, other] = [this.types.of(left), this.types.of(right)]
    if (likeOperators.has(operator) || regexes.has(operator)) requireTexts(operator, one, other, at)
    if (operator === '||') return this.concat(node, left, right)
    if (!arithmeticOperators.has(operator) && (isRowType(one) || isRowType(other))) {
      throw noOperator(operator, one ?? unknown, other ?? unknown, at)
    }
    if (operator === '^' && one === unknown && other === unknown) {
      return { ...node, left: this.double(left), right: this.double(right) }
    }
    const type = this.types.of({ ...node, left, right })
    requireArithmetic(operator, [one, other], type, at)
    const made = isWholeType(type) ? { ...node, type } : node
    const isNumber = familyOf(one) === 'number' || familyOf(other) === 'number'
    if (!isNumber) return { ...made, left, right }
    if (type === 'float8') return { ...made, left: this.double(left), right: this.double(right) }
    return { ...made, left: literalIn(other, left), right: literalIn(one, right) }
  }

  /** Two operands that are compared. */
  private pair(
    operator: string,
    left: Expression,
    right: Expression,
    at: number | undefined,
  ): readonly [Expression, Expression] {
    return this.compared(operator, this.typed(left), this.typed(right), at)
  }

  /** As `pair`, of typed operands: typing one twice would double the work of each level. */
  private compared(
    operator: string,
    left: Expression,
    right: Expression,
    at: number | undefined,
  ): readonly [Expression, Expression] {
    const [one, other] = [this.types.of(left), this.types.of(right)]
    requireComparableRows(one, other, [left, right].find(isText), at ?? left.at)
    if (containments.has(operator)) requireContaining(operator, one, other, at)
    else requireComparable(operator, one, other, at)
    return [this.literal(right, left), this.literal(left, right)]
  }

  /** The operand in the type of the other one, if it is a text literal. */
  private literal(other: Expression, operand: Expression): Expression {
    if (!isText(operand)) return operand
    const type = this.types.of(other)
    if (type !== undefined) return literalIn(type, operand)
    const shown = other.kind === 'column' ? staticType(other, this.tables) : undefined
    if (elementOf(shown) !== undefined) return literalIn(shown, operand)
    const isNumber = numberTypes.has(shown ?? '') && wholeForm.test(stringOf(operand.value))
    return isNumber ? literalIn(shown, operand) : operand
  }

  private membership(node: Node<'in'>): Expression {
    const operand = this.typed(node.operand)
    const items = node.list.map((item) => this.typed(item))
    const own = this.types.of(operand)
    const operator = node.isNegated ? '<>' : '='
    for (const item of items) {
      const type = this.types.of(item)
      requireComparableRows(own, type, [operand, item].find(isText), node.operatorAt ?? node.at)
      requireComparable(operator, own, type, node.operatorAt)
    }
    const shared = sharedType(undefined, [operand, ...items], this.types)
    const list = items.map((item) =>
      shared === undefined ? this.literal(operand, item) : literalIn(shared, item),
    )
    return { ...node, operand: literalIn(shared, operand), list }
  }

  private between(node: Node<'between'>): Expression {
    const { isNegated, operatorAt: at } = node
    const [own, low] = this.pair(isNegated ? '<' : '>=', node.operand, node.low, at)
    const last = this.typed(node.high)
    const [operand, high] = this.compared(isNegated ? '>' : '<=', own, last, at)
    return { ...node, operand, low, high }
  }

  private like(node: Node<'like'>): Expression {
    const [operand, pattern] = [this.typed(node.operand), this.typed(node.pattern)]
    const operator = `${node.isNegated ? '!' : ''}~~${node.ignoresCase ? '*' : ''}`
    requireTexts(operator, this.types.of(operand), this.types.of(pattern), node.operatorAt)
    const { escape: mark } = node
    return { ...node, operand, pattern, ...(mark && { escape: this.typed(mark) }) }
  }

  private quantified(node: Node<'quantified'>): Expression {
    const { operator, operatorAt: at } = node
    const left = this.typed(node.left)
    const array = this.arrayBeside(left, this.typed(node.array))
    requireArray(this.types.of(array), at)
    const element = elementOf(this.types.of(array) ?? staticType(array, this.tables))
    if (isComparison(operator)) requireComparable(operator, this.types.of(left), element, at)
    const isCast = isText(left) && element !== undefined
    return { ...node, left: isCast ? castOf(left, element, false) : left, array }
  }

  /** `= ANY ('{1,2}')`: the text is an array of the other side's type. */
  private arrayBeside(left: Expression, array: Expression): Expression {
    const type = this.types.of(left)
    const isSingle = isText(array) && elementOf(`${type}[]`) !== undefined
    return isSingle && type !== undefined ? checkedCast(array, type, true) : array
  }

  /** Exact numbers and texts beside a double. */
  private double(operand: Expression): Expression {
    const type = this.types.of(operand)
    const isOther = familyOf(type) === 'number' && type !== 'float8'
    return isOther ? castOf(operand, 'float8', false) : literalIn('float8', operand)
  }

  /** A double that becomes whole; exact numbers are rounded away from zero. */
  private rounded(operand: Expression): Expression {
    const type = this.types.of(operand)
    if (type !== 'float8' && type !== 'float4') return operand
    return { kind: 'cast', at: operand.at, operand, type: float8, isRounding: true }
  }

  private choice(node: Node<'case'>): Expression {
    const operand = node.operand && asText(this.typed(node.operand), this.types)
    const conditions = node.branches.map(({ at, when }) => {
      if (operand === undefined) return this.condition(when, 'CASE/WHEN')
      return this.compared('=', operand, this.typed(when), at)[1]
    })
    const given = resultsOf(node).map((result) => this.typed(result))
    const results = this.alike('CASE', given)
    const first = node.otherwise === undefined ? 0 : 1
    const branches = node.branches.map(({ at, when }, i) => {
      return { at, when: conditions[i] ?? when, result: results[i + first] ?? when }
    })
    return {
      ...node,
      branches,
      ...(operand && { operand }),
      ...(node.otherwise && { otherwise: results[0] ?? node.otherwise }),
    }
  }

  private call(node: Node<'call'>): Expression {
    const made = this.plainCall(node)
    const orderBy = node.orderBy.map((item) => ({
      ...item,
      expression: this.typed(item.expression),
    }))
    const { filter } = node
    return { ...made, orderBy, ...(filter && { filter: this.condition(filter, 'FILTER') }) }
  }

  private plainCall(node: Node<'call'>): Node<'call'> {
    const { name, at } = node
    const [first, second] = node.args
    const { converts } = functionFacts(name)
    if (converts === 'pair' && first !== undefined && second !== undefined) {
      return { ...node, args: this.pair('=', first, second, at) }
    }
    const args = node.args.map((arg) => this.typed(arg))
    const { args: filled } = withOpenArguments({ ...node, args }, this.types)
    if (converts === 'results') {
      return { ...node, args: this.alike(name.toUpperCase(), args) }
    }
    if (converts === 'rounded' && args.length === 1) {
      return { ...node, args: filled.map((arg) => this.rounded(arg)) }
    }
    requireAggregate({ ...node, args }, this.types)
    if (converts !== 'bool') return { ...node, args: filled }
    return { ...node, args: args.map((arg) => literalIn('bool', arg)) }
  }

  private converted(node: Node<'cast'>): Expression {
    const isEmpty = node.operand.kind === 'array' && node.operand.elements.length === 0
    const operand = isEmpty ? node.operand : this.typed(node.operand)
    const type = this.types.of(operand)
    if (isRowType(type)) throw noRowCast(type, node)
    const isWhole = isWholeType(node.type.name) && !node.type.isArray
    return { ...node, operand: isWhole ? this.rounded(operand) : operand }
  }

  private array(node: Node<'array'>): Expression {
    requireElements(node)
    const given = node.elements.map((element) => this.typed(element))
    const elements = this.alike('ARRAY', given)
    // A number with a point is a double inside; beside wider ones all become exact.
    const isWidened = elements.some((element, i) => element !== given[i])
    if (!isWidened || commonType(this.types.ofAll(elements)) !== 'numeric') {
      return { ...node, elements }
    }
    return { ...node, elements: elements.map((element) => castOf(element, 'numeric', false)) }
  }

  /** `||`: a text literal beside an array is an array of its type. */
  private concat(node: Node<'binary'>, left: Expression, right: Expression): Expression {
    const [one, other] = [this.types.of(left), this.types.of(right)]
    const { operatorAt: at } = node
    const type = this.types.of({ ...node, left, right })
    requireConcat(one, other, type, at)
    const row = [left, right].find((operand) => isRowType(this.types.of(operand)))
    if (row !== undefined) throw noRowText(row.at)
    if (elementOf(type) === undefined) {
      return { ...node, left: literalIn(jsonOf(other), left), right: literalIn(jsonOf(one), right) }
    }
    const [before, after] = [literalInArray(other, left), literalInArray(one, right)]
    const asArray = (operand: Expression): Expression => {
      const own = this.types.of(operand)
      const isElement = own !== undefined && own !== unknown && !own.endsWith('[]')
      return isElement ? { kind: 'array', at: operand.at, elements: [operand] } : operand
    }
    return { ...node, left: asArray(before), right: asArray(after), joinsArrays: true }
  }

  /** Results of one type: numbers and text literals in the widest of them. */
  private alike(what: string, results: readonly Expression[]): readonly Expression[] {
    const shared = sharedType(what, results, this.types)
    if (shared === undefined) return results
    return results.map((result) => {
      const own = this.types.of(result)
      const isNarrow = own !== shared && familyOf(own) === 'number'
      return isNarrow ? castOf(result, shared, false) : literalIn(shared, result)
    })
  }
}
