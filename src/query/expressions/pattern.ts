// $regexMatch, $regexFind and $regexFindAll over the linear-time engine of ../regex.ts. Positions
// in results are code points.

import { work } from '../../base/work/work-budget.js'
import { charsPerUnit } from '../../base/work/work-figures.js'
import {
  boolValue,
  bsonType,
  falseValue,
  nullValue,
  regexOf,
  type Value,
} from '../../value/value.js'
import { DocumentWriter } from '../../value/writer.js'
import { compileRegex, type Regex, type RegexMatch } from '../regex.js'
import {
  Constant,
  compileNamed,
  type Env,
  type Expression,
  fold,
  isNullish,
  location,
  type OperatorRow,
  type Result,
  requireRoom,
  type Scope,
  textIn,
  typeName,
} from './operator.js'

type Answer = (text: string, regex: Regex) => Value

class PatternExpression implements Expression {
  private readonly fixed: Regex | undefined

  constructor(
    private readonly name: string,
    private readonly operands: readonly [Expression, Expression, Expression],
    private readonly answer: Answer,
    private readonly none: Value,
  ) {
    const [, regex, options] = operands
    if (regex instanceof Constant && options instanceof Constant && !isNullish(regex.value)) {
      this.fixed = this.regexFrom(regex.value, options.value)
    }
  }

  evaluate(env: Env): Result {
    const [input, regex, options] = this.operands
    const value = input.evaluate(env)
    const text = textIn(value)
    if (text === undefined && !isNullish(value)) {
      throw location(51104, `${this.name} needs 'input' to be of type string`)
    }
    let pattern = this.fixed
    if (pattern === undefined) {
      const given = regex.evaluate(env)
      const flags = options.evaluate(env)
      if (isNullish(given)) return this.none
      pattern = this.regexFrom(given, flags)
    }
    return text === undefined ? this.none : this.answer(text, pattern)
  }

  private regexFrom(regex: Value, options: Result): Regex {
    const { name } = this
    const flags = isNullish(options) ? '' : textIn(options)
    if (flags === undefined) throw location(51106, `${name} needs 'options' to be of type string`)
    if (flags.includes('\0')) {
      throw location(
        51110,
        `${name}: regular expression options cannot contain an embedded null byte`,
      )
    }
    const parsed = regex.type === bsonType.regex ? regexOf(regex) : undefined
    if (parsed !== undefined && parsed.options !== '' && flags !== '') {
      throw location(
        51107,
        `${name}: found regex option(s) specified in both 'regex' and 'option' fields`,
      )
    }
    const pattern = parsed?.pattern ?? textIn(regex)
    if (pattern === undefined) {
      throw location(51105, `${name} needs 'regex' to be of type string or regex`)
    }
    if (pattern.includes('\0')) {
      throw location(51109, `${name}: regular expression cannot contain an embedded null byte`)
    }
    return compileRegex(pattern, flags === '' ? (parsed?.options ?? '') : flags, regex)
  }
}

function row(name: string, answer: Answer, none: Value): OperatorRow {
  const compile = (operand: Value, scope: Scope): Expression => {
    const rules = {
      notObject: [
        51103,
        `${name} expects an object of named arguments but found: ${typeName(operand)}`,
      ],
      unknown: (argument: string) =>
        [31024, `${name} found an unknown argument: ${argument}`] as const,
      required: {
        input: [31022, `${name} requires 'input' parameter`],
        regex: [31023, `${name} requires 'regex' parameter`],
      },
      optional: ['options'],
    } as const
    const operands = compileNamed(operand, scope, rules, ['input', 'regex', 'options'])
    const expression = new PatternExpression(
      name,
      operands as [Expression, Expression, Expression],
      answer,
      none,
    )
    return fold(expression, operands)
  }
  return { name, readsRoot: false, compile }
}

/** Code points of `text` between two UTF-16 offsets. */
function pointsBetween(text: string, from: number, to: number): number {
  let count = 0
  work.spend((to - from) / charsPerUnit)
  for (let at = from; at < to; count++) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
  return count
}

function writeMatch(writer: DocumentWriter, match: RegexMatch, index: number): void {
  writer.string('match', match.text).int32('idx', index).openArray('captures')
  for (const [i, group] of match.groups.entries()) {
    if (group === undefined) writer.null(String(i))
    else writer.string(String(i), group)
  }
  writer.close()
}

function findFirst(text: string, regex: Regex): Value {
  const match = regex.matcher(text).find(0)
  if (match === undefined) return nullValue
  const writer = new DocumentWriter()
  writeMatch(writer, match, pointsBetween(text, 0, match.index))
  return writer.finishValue()
}

/** Work units to find a match and build its document: 1.2 µs. */
const matchUnits = 12

/** Matches without overlap; after an empty match the search advances by one code point. */
function findAll(text: string, regex: Regex): Value {
  const writer = new DocumentWriter(true)
  const matcher = regex.matcher(text)
  let counted = 0
  let points = 0
  for (let from = 0; from <= text.length; ) {
    const match = matcher.find(from)
    if (match === undefined) break
    points += pointsBetween(text, counted, match.index)
    counted = match.index
    work.spend(matchUnits)
    writer.pushOpenDocument()
    writeMatch(writer, match, points)
    writer.close()
    requireRoom(writer.length)
    const isEmpty = match.text === ''
    const step = isEmpty && (text.codePointAt(match.index) ?? 0) > 0xffff ? 2 : Number(isEmpty)
    from = match.index + match.text.length + step
  }
  return writer.finishValue()
}

const emptyArray = new DocumentWriter(true).finishValue()

export const patternOperators: readonly OperatorRow[] = [
  row('$regexMatch', (text, regex) => boolValue(regex.test(text)), falseValue),
  row('$regexFind', findFirst, nullValue),
  row('$regexFindAll', findAll, emptyArray),
]
