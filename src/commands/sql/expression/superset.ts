// Translates a condition to a document filter, by which an index can be chosen. Every row that
// meets the condition meets the filter. Parts that a filter cannot express are omitted; the
// evaluator checks each row that is found. (docs/sql.md, "Where rows are looked for")

import type { Expression, PathPart } from '../../../protocol/sql/ast.js'
import { elementsOf, fieldsOf } from '../../../value/elements.js'
import { documentFrom } from '../../../value/literal.js'
import { integerOf, numberOf } from '../../../value/numbers.js'
import { bsonType, type Document, stringOf, type Value } from '../../../value/value.js'
import { defaultEscape } from './binary.js'
import { jsonOfText } from './cast.js'
import { formsOf, isComparison } from './comparison.js'
import { compile } from './compile.js'
import { columnOf, isIdColumn, type Scope, writtenValue } from './scope.js'
import { literalStart, parseLike } from './texts/like.js'
import type { SqlValue } from './truth.js'

type Clause = 'always' | 'never' | Readonly<Record<string, unknown>>

/** Maximum levels of AND, OR and NOT to translate: filters allow less nesting than SQL. */
const levelsMax = 20

/**
 * The filter for one table, by its index in a row. Conditions on other tables are omitted. Throws
 * errors of compiling.
 */
export function supersetFilter(
  expression: Expression | undefined,
  scope: Scope,
  table = 0,
): Document {
  if (expression === undefined) return documentFrom({})
  const clause = new Superset(scope, table).holds(expression, true, 0)
  if (clause === 'always') return documentFrom({})
  return documentFrom(clause === 'never' ? { $nor: [{}] } : clause)
}

function all(clauses: readonly Clause[]): Clause {
  if (clauses.includes('never')) return 'never'
  const kept = clauses.filter((clause) => clause !== 'always')
  const [first] = kept
  if (first === undefined) return 'always'
  return kept.length === 1 ? first : { $and: kept }
}

function some(clauses: readonly Clause[]): Clause {
  if (clauses.includes('always')) return 'always'
  const kept = clauses.filter((clause) => clause !== 'never')
  const [first] = kept
  if (first === undefined) return 'never'
  return kept.length === 1 ? first : { $or: kept }
}

const opposites = new Map([
  ['=', '<>'],
  ['<>', '='],
  ['<', '>='],
  ['>=', '<'],
  ['>', '<='],
  ['<=', '>'],
])

const mirrored = new Map([
  ['=', '='],
  ['<>', '<>'],
  ['<', '>'],
  ['>', '<'],
  ['<=', '>='],
  ['>=', '<='],
])

class Superset {
  constructor(
    private readonly scope: Scope,
    private readonly table: number,
  ) {}

  /** A clause that is true for every row where the expression is `truth`. */
  holds(expression: Expression, truth: boolean, level: number): Clause {
    if (level > levelsMax || this.scope.replace?.(expression, this.scope) !== undefined)
      return 'always'
    switch (expression.kind) {
      case 'not':
        return this.holds(expression.operand, !truth, level + 1)
      case 'and':
      case 'or': {
        const parts = expression.operands.map((part) => this.holds(part, truth, level + 1))
        return (expression.kind === 'and') === truth ? all(parts) : some(parts)
      }
      case 'binary':
        return this.binary(expression, truth)
      case 'between':
        return this.between(expression, truth)
      case 'in':
        return this.membership(expression, truth)
      case 'is':
        return this.is(expression, truth, level)
      case 'distinct':
        return this.distinct(expression, truth)
      case 'like':
        return this.like(expression, truth)
      case 'quantified':
        return this.quantified(expression, truth)
      default:
        return this.bare(expression, truth)
    }
  }

  private binary(expression: Extract<Expression, { kind: 'binary' }>, truth: boolean): Clause {
    const { operator, left, right } = expression
    if (isComparison(operator)) {
      return this.comparison(truth ? operator : (opposites.get(operator) ?? ''), left, right)
    }
    if (operator === '@>') return truth ? this.containment(left, right) : this.present(left)
    return operator === '->' ? this.bare(expression, truth) : 'always'
  }

  private comparison(operator: string, left: Expression, right: Expression): Clause {
    const path = this.pathOf(left)
    if (path === undefined) {
      if (this.pathOf(right) === undefined) return 'always'
      return this.comparison(mirrored.get(operator) ?? '', right, left)
    }
    const given = this.constantOf(right)
    if (given === undefined) return all([this.present(left), this.present(right)])
    const alternatives = this.alternatives(given, isIdColumn(left, this.scope), right)
    if (alternatives.length === 0) return 'never'
    if (operator === '<>') return present(path)
    if (operator === '=') return equalsAny(path, alternatives)
    return some(alternatives.map((value) => range(operator, path, value)))
  }

  /** The values that a constant stands for beside a column; empty for NULL. */
  private alternatives(
    given: { readonly value: SqlValue },
    isId: boolean,
    written: Expression,
  ): Value[] {
    if (given.value === undefined) return []
    const isWritten = written.kind === 'literal' || written.kind === 'parameter'
    const forms = isWritten ? formsOf(writtenValue(written, this.scope)) : undefined
    const found = [given.value]
    if (forms?.date !== undefined) found.push(forms.date)
    if (isId && forms?.objectId !== undefined) found.push(forms.objectId)
    return found
  }

  private between(expression: Extract<Expression, { kind: 'between' }>, truth: boolean): Clause {
    const { operand, low, high, isSymmetric, isNegated } = expression
    const within = (from: Expression, to: Expression): Clause =>
      truth === isNegated
        ? some([this.comparison('<', operand, from), this.comparison('>', operand, to)])
        : all([this.comparison('>=', operand, from), this.comparison('<=', operand, to)])
    if (!isSymmetric) return within(low, high)
    const either = [within(low, high), within(high, low)]
    return truth === isNegated ? all(either) : some(either)
  }

  private membership(expression: Extract<Expression, { kind: 'in' }>, truth: boolean): Clause {
    const { operand, list, isNegated } = expression
    const path = this.pathOf(operand)
    if (path === undefined) return 'always'
    const isId = isIdColumn(operand, this.scope)
    const values: Value[] = []
    let hasNull = false
    for (const item of list) {
      const given = this.constantOf(item)
      if (given === undefined) return present(path)
      const alternatives = this.alternatives(given, isId, item)
      if (alternatives.length === 0) hasNull = true
      values.push(...alternatives)
    }
    if (truth === isNegated) return hasNull ? 'never' : present(path)
    return values.length === 0 ? 'never' : equalsAny(path, values)
  }

  private is(
    expression: Extract<Expression, { kind: 'is' }>,
    truth: boolean,
    level: number,
  ): Clause {
    const { operand, test } = expression
    const wanted = truth !== expression.isNegated
    if (test === 'null') return wanted ? this.absent(operand) : this.present(operand)
    if (test === 'unknown' || !wanted) return 'always'
    return this.holds(operand, test === 'true', level + 1)
  }

  private distinct(expression: Extract<Expression, { kind: 'distinct' }>, truth: boolean): Clause {
    const { left, right } = expression
    const path = this.pathOf(left)
    const given = this.constantOf(right)
    if (path === undefined || given === undefined) return 'always'
    const isSame = truth === expression.isNegated
    if (given.value === undefined) return isSame ? this.absent(left) : present(path)
    return isSame ? this.comparison('=', left, right) : 'always'
  }

  private like(expression: Extract<Expression, { kind: 'like' }>, truth: boolean): Clause {
    const path = this.pathOf(expression.operand)
    if (path === undefined) return 'always'
    if (truth === expression.isNegated || expression.ignoresCase) return present(path)
    const pattern = this.constantOf(expression.pattern)
    const mark =
      expression.escape === undefined ? undefined : this.constantOf(expression.escape)?.value
    if (pattern === undefined) return present(path)
    const text = pattern.value
    if (text === undefined) return 'never'
    const isKnown = expression.escape === undefined || mark?.type === bsonType.string
    if (text.type !== bsonType.string || !isKnown) return present(path)
    return startClause(path, stringOf(text), mark === undefined ? defaultEscape : stringOf(mark))
  }

  private quantified(
    expression: Extract<Expression, { kind: 'quantified' }>,
    truth: boolean,
  ): Clause {
    const { operator, quantifier, left, array } = expression
    const isEqual = operator === '=' && quantifier === 'any' && truth
    const elements = this.pathOf(array)
    if (elements !== undefined) {
      const given = this.constantOf(left)
      if (!isEqual || given?.value === undefined || endsInPlace(elements)) return present(elements)
      return equalsAny(elements, this.alternatives(given, isIdColumn(array, this.scope), left))
    }
    const path = this.pathOf(left)
    const list = this.constantOf(array)?.value
    if (!isEqual || path === undefined || list?.type !== bsonType.array) return 'always'
    const values = elementsOf(list).filter((value) => !value.isNullish)
    return values.length === 0 ? 'never' : equalsAny(path, values)
  }

  private containment(whole: Expression, part: Expression): Clause {
    const path = this.pathOf(whole)
    const given = this.constantOf(part)
    if (path === undefined || given === undefined) return this.present(whole)
    let { value } = given
    const isWritten = part.kind === 'literal' || part.kind === 'parameter'
    if (isWritten && value?.type === bsonType.string) value = jsonOfText(value)
    if (value === undefined) return 'never'
    return all([present(path), ...contained(path, value)])
  }

  /** A plain value as a condition: only bools are true or false. */
  private bare(expression: Expression, truth: boolean): Clause {
    const path = this.pathOf(expression)
    if (path !== undefined) return { [path.join('.')]: { $eq: truth } }
    const given = this.constantOf(expression)
    if (given === undefined) return 'always'
    const isMet = given.value?.type === bsonType.bool && (given.value.payload()[0] === 1) === truth
    return isMet ? 'always' : 'never'
  }

  private present(expression: Expression): Clause {
    const path = this.pathOf(expression)
    return path === undefined ? 'always' : present(path)
  }

  /** For a deeper path no filter covers all missing cases: `{a: []}` has no `a.b` to test. */
  private absent(expression: Expression): Clause {
    const path = this.pathOf(expression)
    return path?.length === 1 ? { [path.join('.')]: { $eq: null } } : 'always'
  }

  /** Undefined if the expression is no constant, or cannot be computed. */
  private constantOf(expression: Expression): { readonly value: SqlValue } | undefined {
    const { isConstant, value } = compile(expression, this.scope)
    if (!isConstant) return undefined
    try {
      return { value: value([]) }
    } catch {
      // The evaluator throws this error if a row needs the value.
      return undefined
    }
  }

  /** The path of a column of this table, also by `->`, if a filter can name it. */
  private pathOf(expression: Expression): readonly PathPart[] | undefined {
    const path = this.placeOf(expression)
    return path?.length === 0 ? undefined : path
  }

  /** As pathOf; empty for the whole row of the table. */
  private placeOf(expression: Expression): readonly PathPart[] | undefined {
    if (this.scope.replace?.(expression, this.scope) !== undefined) return undefined
    switch (expression.kind) {
      case 'column': {
        const { table, path } = columnOf(expression.path, this.scope)
        return table === this.table && path.every(isNameable) ? path : undefined
      }
      case 'field':
        return this.longer(expression.operand, expression.name)
      case 'subscript':
        return this.longer(expression.operand, this.keyOf(expression.index))
      case 'binary':
        if (expression.operator !== '->') return undefined
        return this.longer(expression.left, this.keyOf(expression.right))
      default:
        return undefined
    }
  }

  private longer(operand: Expression, part: PathPart | undefined): readonly PathPart[] | undefined {
    if (part === undefined || !isNameable(part)) return undefined
    const path = this.placeOf(operand)
    return path === undefined ? undefined : [...path, part]
  }

  private keyOf(expression: Expression): PathPart | undefined {
    const value = writtenValue(expression, this.scope)
    if (value?.type === bsonType.string) return stringOf(value)
    const place = value?.isNumber === true ? integerOf(value) : undefined
    return place !== undefined && place >= 0 && place < placesMax ? place : undefined
  }
}

/** Bound of array indexes; in a filter, a larger number is a name. */
const placesMax = 1_000_000_000

/**
 * Filter paths are texts, so a part with a dot, with a leading dollar, or empty cannot be named.
 */
function isNameable(part: PathPart): boolean {
  return typeof part === 'number' || !/^$|^\$|[.\0]/.test(part)
}

/** A filter does not search an array that is itself an array element selected by index. */
function endsInPlace(path: readonly PathPart[]): boolean {
  const last = path.at(-1)
  return typeof last === 'number' || /^\d+$/.test(last ?? '')
}

function present(path: readonly PathPart[]): Clause {
  return { [path.join('.')]: { $exists: true } }
}

function equalsAny(path: readonly PathPart[], values: readonly Value[]): Clause {
  const [only] = values
  const text = path.join('.')
  if (values.some(({ type }) => type === bsonType.regex)) return present(path)
  if (values.length === 1 && only !== undefined) return { [text]: { $eq: only } }
  // An object in the list might look like operators.
  if (values.some(({ type }) => type === bsonType.object)) {
    return some(values.map((value) => ({ [text]: { $eq: value } })))
  }
  return { [text]: { $in: values } }
}

const rangeNames = new Map([
  ['<', '$lt'],
  ['<=', '$lte'],
  ['>', '$gt'],
  ['>=', '$gte'],
])

const rangedTypes = new Set<number>([
  bsonType.string,
  bsonType.objectId,
  bsonType.bool,
  bsonType.date,
  bsonType.timestamp,
  bsonType.binary,
])

/** SQL orders NaN with the other numbers, but ranges of filters exclude it. */
function range(operator: string, path: readonly PathPart[], value: Value): Clause {
  const text = path.join('.')
  const name = rangeNames.get(operator) ?? ''
  if (!value.isNumber) {
    return rangedTypes.has(value.type) ? { [text]: { [name]: value } } : present(path)
  }
  const isUpper = operator === '<' || operator === '<='
  if (Number.isNaN(numberOf(value))) {
    if (operator === '<') return 'never'
    return isUpper ? { [text]: { $eq: value } } : present(path)
  }
  const clause = { [text]: { [name]: value } }
  return isUpper ? { $or: [clause, { [text]: { $eq: Number.NaN } }] } : clause
}

/** Texts with the literal beginning of the pattern. */
function startClause(path: readonly PathPart[], pattern: string, mark: string): Clause {
  const start = patternStart(pattern, mark)
  if (start === undefined) return present(path)
  if (start.isWhole) return { [path.join('.')]: { $eq: start.text } }
  if (start.text === '' || start.text.includes('\0')) return present(path)
  const source = start.text.replace(/[\\^$.|?*+()[\]{}/]/g, '\\$&')
  return { [path.join('.')]: { $regex: `^${source}` } }
}

/** Undefined for a malformed pattern; the evaluator reports it. */
function patternStart(
  pattern: string,
  mark: string,
): { text: string; isWhole: boolean } | undefined {
  try {
    return literalStart(parseLike(pattern, mark, false))
  } catch {
    return undefined
  }
}

/** Conditions on a document that contains `part` at the path. */
function contained(path: readonly PathPart[], part: Value): Clause[] {
  if (part.type === bsonType.object) {
    return [...fieldsOf(part)].flatMap(([name, value]) =>
      isNameable(name) ? contained([...path, name], value) : [],
    )
  }
  if (endsInPlace(path)) return []
  const parts = part.type === bsonType.array ? elementsOf(part) : [part]
  const scalars = parts.filter(
    ({ type, isNullish }) =>
      !isNullish && type !== bsonType.object && type !== bsonType.array && type !== bsonType.regex,
  )
  return scalars.map((value) => ({ [path.join('.')]: { $eq: value } }))
}
