// How a disagreement between Sigil and mingo is judged: what differs is cut down to the smallest
// part that still differs, and each kind of it must be decided in a table, with the reason.
// Nothing else may differ.

import { BSON, Decimal128 } from 'bson'
import type { Test } from 'tap'
import { documentFrom, valueFrom } from '../../../src/value/literal.js'
import type { Value } from '../../../src/value/value.js'
import { toJs } from '../literal.js'

/** What a case failed with; of mingo, the code is 0. */
interface Failure {
  readonly code: number
  readonly text: string
}

/** A value, undefined being a missing one, or a failure. */
export type Outcome = { readonly value: unknown } | Failure

export interface Disagreement {
  /** The operator or stage that differs, its operands (values where they are known). */
  readonly name: string
  readonly operands: readonly unknown[]
  readonly document: unknown
  readonly sigil: Outcome
  readonly mingo: Outcome
}

export interface Decision {
  /** What differs, in a few words. */
  readonly about: string
  /** Names of operators or stages. */
  readonly names: readonly string[]
  /** Why Sigil's side stands: the reference server's rule, and what shows it. */
  readonly reason: string
  readonly applies: (disagreement: Disagreement) => boolean
}

export function isError(outcome: Outcome): outcome is Failure {
  return 'code' in outcome
}

/** Runs one side; errors of Sigil keep their number, mingo's have none. */
export function outcomeOf(act: () => unknown): Outcome {
  try {
    return { value: act() }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? Number(error.code) : 0
    return { code, text: error instanceof Error ? error.message : String(error) }
  }
}

/** A BSON value as JavaScript, in the form that both sides are compared in: decimals as numbers. */
export function plainOf(value: Value | undefined): unknown {
  const js = value === undefined ? undefined : toJs(value)
  return js instanceof Decimal128 ? Number(js.toString()) : js
}

/** What goes to mingo: a copy as BSON would give it back, so that neither side sees the other's. */
export function copyOf<T>(js: T): T {
  return toJs(valueFrom(js)) as T
}

export function copyDocument(js: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return BSON.deserialize(documentFrom(js))
}

/**
 * Text that is equal where values are. Numbers to 12 digits: the two sum in different orders. The
 * order of fields does not count, as mingo's objects do not keep the reference server's.
 */
export function textOf(value: unknown, depth = 0): string {
  // mingo can make an object that holds itself.
  if (depth > 20) return '…'
  if (value === undefined) return 'missing'
  if (typeof value === 'number') return numberText(value)
  if (typeof value === 'bigint') return numberText(Number(value))
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'missing'
  if (value instanceof Date) return `date ${value.getTime()}`
  if (value instanceof RegExp) return String(value)
  if (Array.isArray(value))
    return `[${Array.from(value, (each) => textOf(each ?? null, depth + 1)).join()}]`
  if ('_bsontype' in value) return bsonText(value)
  const fields = Object.entries(value).filter(([, each]) => each !== undefined)
  fields.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([name, each]) => `${name}:${textOf(each, depth + 1)}`).join()}}`
}

function bsonText(value: object): string {
  const number = Number(String(value))
  const isNumber = '_bsontype' in value && /Long|Double|Int32|Decimal/.test(String(value._bsontype))
  return isNumber ? numberText(number) : `id ${String(value)}`
}

function numberText(n: number): string {
  return n === 0 ? '0' : Number.isInteger(n) ? String(n) : n.toPrecision(12).replace(/\.?0+$/, '')
}

export function agree(sigil: Outcome, mingo: Outcome): boolean {
  if (isError(sigil) || isError(mingo)) return isError(sigil) && isError(mingo)
  return textOf(sigil.value) === textOf(mingo.value)
}

/** Counts what was judged, and keeps what no row decides. */
export class Judge {
  cases = 0
  readonly counts = new Map<string, number>()
  readonly undecided: string[] = []

  constructor(private readonly decisions: readonly Decision[]) {}

  judge(found: Disagreement, seed: number): void {
    const row = this.decisions.find(
      ({ names, applies }) => (names.includes(found.name) || names.length === 0) && applies(found),
    )
    if (row === undefined) this.undecided.push(`${describe(found)} (case ${seed})`)
    else this.counts.set(row.about, (this.counts.get(row.about) ?? 0) + 1)
  }

  /** A line for each kind that occurred; fails where a disagreement is of none. */
  tell(t: Test, seed: number): void {
    const rows = [...this.counts].sort(([, a], [, b]) => b - a)
    for (const [about, count] of rows) t.comment(`${count} × ${about}`)
    const { undecided } = this
    t.same(undecided.slice(0, 10), [], `${undecided.length} of seed ${seed} are undecided`)
  }
}

function describe({ name, operands, document, sigil, mingo }: Disagreement): string {
  const show = (outcome: Outcome) =>
    isError(outcome) ? `error ${outcome.code} ${outcome.text}` : textOf(outcome.value)
  return (
    `${name} ${operands.map((each) => textOf(each)).join(' ; ')} on ${textOf(document)}: ` +
    `Sigil ${show(sigil)}, mingo ${show(mingo)}`
  )
}
