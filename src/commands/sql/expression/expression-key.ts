// Equality of expressions apart from their positions, by a key of each. A statement has thousands
// of them: they are found in a map, and not compared in pairs.

import { latin1Of } from '../../../base/bytes/bytes.js'
import { Digest, digestKey } from '../../../base/bytes/digest-key.js'
import { KiB } from '../../../base/units.js'
import type { Expression } from '../../../protocol/sql/ast.js'
import type { Program, ReadTx } from '../../../store/store.js'
import { operandsOf } from './expression-tree.js'
import { isLarge, partUnits } from './parts.js'

/** A longer key is a digest: keys of deep expressions would grow with their depth. */
const keyLengthMax = 256

/**
 * Fields that only describe where and how a node is written, and branches, which are operands: with
 * their count, it is known by the other fields which is which.
 */
const unread: ReadonlySet<string> = new Set(['at', 'written', 'operatorAt', 'branches'])

const keys = new WeakMap<Expression, string>()

/** Two expressions have equal keys exactly if they are equal apart from their positions. */
function expressionKey(expression: Expression): string {
  const known = keys.get(expression)
  if (known !== undefined) return known
  let key = `${ownKey(expression)}(`
  for (const operand of operandsOf(expression)) key += `${expressionKey(operand)},`
  if (key.length > keyLengthMax) key = digestKey(Buffer.from(key))
  keys.set(expression, key)
  return key
}

/** A node without its operands, as text. */
function ownKey(expression: Expression): string {
  if (expression.kind !== 'literal') return fieldsKey(expression)
  const { type, bytes, start, end } = expression.value
  return `${type}:${end - start}:${latin1Of(bytes, start, end)}`
}

function fieldsKey(holder: object): string {
  let key = '{'
  for (const [name, value] of Object.entries(holder)) {
    if (value !== undefined && !unread.has(name)) key += `${name}:${partKey(value)},`
  }
  return `${key}}`
}

function partKey(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(partKey).join()}]`
  return 'kind' in value ? '' : fieldsKey(value)
}

/** Operands from which on a key is longer than keyLengthMax in any case. */
const wideOperands = 128
/** Characters of a key that are digested at once. */
const pieceChars = 16 * KiB

/** Makes the keys of large expressions in turns, before they are looked for. */
export function* keysInParts(tx: ReadTx, expressions: readonly Expression[]): Program<void> {
  for (const expression of expressions) {
    if (isLarge(expression)) yield* keyInParts(tx, expression)
  }
}

/** Makes the key of a large expression as expressionKey does, which finds it. */
function* keyInParts(tx: ReadTx, expression: Expression): Program<void> {
  if (keys.has(expression)) return
  const operands = operandsOf(expression)
  const digest = new Digest()
  let piece = `${ownKey(expression)}(`
  for (const operand of operands) {
    if (isLarge(operand)) yield* keyInParts(tx, operand)
    piece += `${expressionKey(operand)},`
    if (piece.length > pieceChars) {
      digest.add(piece)
      piece = ''
    }
    yield* tx.pause(partUnits(operand))
  }
  if (operands.length < wideOperands) return
  digest.add(piece)
  keys.set(expression, digest.key())
}

/** Whether two expressions are equal apart from their positions. */
export function sameExpression(a: Expression, b: Expression): boolean {
  return a.kind === b.kind && expressionKey(a) === expressionKey(b)
}

/** Finds expressions among others. */
export class ExpressionPlaces {
  private readonly places = new Map<string, number>()
  /** Others need no key. */
  private readonly kinds = new Set<string>()

  constructor(expressions: readonly Expression[] = []) {
    for (const [place, expression] of expressions.entries()) this.add(expression, place)
  }

  /** Whether no equal one was there. */
  add(expression: Expression, place: number): boolean {
    const key = expressionKey(expression)
    if (this.places.has(key)) return false
    this.kinds.add(expression.kind)
    this.places.set(key, place)
    return true
  }

  /** The place of the first equal one. */
  of(expression: Expression): number | undefined {
    if (!this.kinds.has(expression.kind)) return undefined
    return this.places.get(expressionKey(expression))
  }
}
