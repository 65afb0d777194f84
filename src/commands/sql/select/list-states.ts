// The states of aggregates that build a list: they keep all values of a group, NULL too. A result
// is put together with pauses, since it may be as long as a document.

import type { Bytes } from '../../../base/bytes/bytes.js'
import { fail } from '../../../base/errors.js'
import { documentBytesMax } from '../../../base/limits/documents.js'
import { sqlSortedListBytesMax } from '../../../base/limits/sql.js'
import { work } from '../../../base/work/work-budget.js'
import { freshBytesPerUnit } from '../../../base/work/work-figures.js'
import {
  type Accumulator,
  arrayInTurns,
  arraysInTurns,
  KeptValues,
  listStateBytes,
  type ValuesInTurns,
} from '../../../query/expressions/accumulator.js'
import { compareValues } from '../../../value/compare.js'
import { elementsOf } from '../../../value/elements.js'
import { sortInTurns } from '../../../value/sort-values.js'
import { nullValue, stringIn, type Value } from '../../../value/value.js'
import { evaluationState } from '../expression/evaluation-error.js'
import { requireRoom } from '../expression/functions/function-row.js'
import { utf8Form } from '../expression/texts/text-form.js'

/** Work units to read a row, and to write a part of a text: 0.3 µs. */
const rowUnits = 3
const partUnits = 1

type InTurns<T> = Generator<undefined, T, void>

abstract class ListState implements Accumulator {
  protected readonly rows: Value[] = []
  private readonly kept = new KeptValues()

  constructor(
    protected readonly name: string,
    private readonly isSorted: boolean,
  ) {}

  get bytesHeld(): number {
    return listStateBytes + this.kept.bytesHeld
  }

  add(row: Value | undefined): void {
    if (row === undefined) return
    this.rows.push(this.kept.copy(row))
    const bytesMax = this.isSorted ? sqlSortedListBytesMax : documentBytesMax
    if (this.bytesHeld <= bytesMax) return
    const text = `${this.name} is of more than ${bytesMax} bytes in one group`
    throw fail('ExceededMemoryLimit', text, { sqlState: evaluationState.tooMuchMemory })
  }

  result(): Value {
    const turns = this.resultInTurns()
    let turn = turns.next()
    while (turn.done !== true) turn = turns.next()
    return turn.value
  }

  *resultInTurns(): InTurns<Value> {
    return this.rows.length === 0 ? nullValue : yield* this.listed()
  }

  saved(): ValuesInTurns {
    return arraysInTurns(this.rows)
  }

  absorb(saved: Value): void {
    for (const row of elementsOf(saved)) this.add(row)
  }

  protected abstract listed(): InTurns<Value>
}

/** ARRAY_AGG and JSON_AGG without ORDER BY or DISTINCT; DISTINCT sorts by value. */
export class ValuesState extends ListState {
  constructor(
    name: string,
    private readonly isDistinct: boolean,
  ) {
    super(name, isDistinct)
  }

  protected *listed(): InTurns<Value> {
    const { rows } = this
    return yield* arrayInTurns(this.isDistinct ? yield* sortInTurns(rows, compareValues) : rows)
  }
}

/** STRING_AGG, and lists with ORDER BY: rows of [value, separator, sort key]. */
export class RowsState extends ListState {
  /** Whether the order is that of the values or of separate keys. */
  constructor(
    name: string,
    private readonly order: 'none' | 'value' | 'key',
    /** Whether the result is a text. */
    private readonly isJoined: boolean,
  ) {
    super(name, order !== 'none')
  }

  protected *listed(): InTurns<Value> {
    const rows = yield* this.ordered()
    return yield* this.isJoined ? joinedInTurns(rows) : arrayInTurns(valuesOf(rows))
  }

  private *ordered(): InTurns<Iterable<readonly Value[]>> {
    const { rows, order } = this
    // Read one after the other: all of them would be several objects a row.
    if (order === 'none') return eachRow(rows)
    const read: (readonly Value[])[] = []
    for (const row of rows) {
      read.push(elementsOf(row))
      work.note(rowUnits)
      if (work.isDue) yield
    }
    return yield* sortInTurns(read, order === 'key' ? comparedKeys : comparedValues)
  }
}

function* eachRow(rows: readonly Value[]): Generator<readonly Value[], void, void> {
  for (const row of rows) yield elementsOf(row)
}

function* valuesOf(rows: Iterable<readonly Value[]>): Generator<Value, void, void> {
  for (const [value = nullValue] of rows) yield value
}

/** Each separator stands before its value, except the first. */
function* joinedInTurns(rows: Iterable<readonly Value[]>): InTurns<Value> {
  const parts: Bytes[] = []
  let size = 0
  let isFirst = true
  for (const [value, separator] of rows) {
    if (value === undefined || separator === undefined) continue
    if (!isFirst && !separator.isNullish) parts.push(utf8Form(separator))
    parts.push(utf8Form(value))
    isFirst = false
    work.note(rowUnits)
    if (work.isDue) yield
  }
  for (const { length } of parts) size += length
  requireRoom(size)
  const text = new Uint8Array(size + 5)
  let at = 4
  for (const part of parts) {
    text.set(part, at)
    at += part.length
    work.note(partUnits + part.length / freshBytesPerUnit)
    if (work.isDue) yield
  }
  return stringIn(text)
}

function comparedValues([a]: readonly Value[], [b]: readonly Value[]): number {
  return compareValues(a ?? nullValue, b ?? nullValue)
}

function comparedKeys([, , a]: readonly Value[], [, , b]: readonly Value[]): number {
  if (a === undefined || b === undefined) return 0
  return Buffer.compare(bodyOf(a), bodyOf(b))
}

/** The bytes of a binary value, without its length and subtype. */
function bodyOf(value: Value): Uint8Array {
  return value.bytes.subarray(value.start + 5, value.end)
}
