// The rows of a SELECT between its steps: what documents mean there, how expressions read them, and
// the transforms that filter rows and build results.

import { utf8 } from '../../../base/bytes/bytes.js'
import { work } from '../../../base/work/work-budget.js'
import type { CommandReadTx } from '../../../bus/document/command-tx.js'
import type { Expression } from '../../../protocol/sql/ast.js'
import {
  type Emit,
  MapTransform,
  StreamTransform,
  type Transform,
} from '../../../query/stages/stage.js'
import type { Program } from '../../../store/store.js'
import { Elements, findElement } from '../../../value/elements.js'
import { bsonType, type Document } from '../../../value/value.js'
import { writeDocument } from '../../../value/writer.js'
import { operandsOf } from '../expression/expression-tree.js'
import type { Scope } from '../expression/scope.js'
import { computation, type Evaluator, orNull, type Row } from '../expression/truth.js'
import type { NthElements } from './nth-elements.js'
import type { Results } from './result.js'

/** The meaning of documents and names at one step. */
export interface RowStage {
  readonly rowOf: RowOf
  readonly scope: Scope
}

export type RowOf = (document: Document) => Row

/** With one table, the row is its document. */
export function singleRow(document: Document): Row {
  return [document]
}

export function noRow(): Row {
  return []
}

/** Rows of several tables are arrays; null marks a table where a LEFT JOIN found none. */
export function joinedRow(document: Document): Row {
  const row: (Document | undefined)[] = []
  const elements = new Elements(document)
  while (elements.next()) {
    const { type, valueStart, valueEnd } = elements
    row.push(type === bsonType.object ? document.subarray(valueStart, valueEnd) : undefined)
  }
  return row
}

export function joinedDocument(row: Row): Document {
  return writeDocument((writer) => {
    for (const [i, document] of row.entries()) {
      if (document === undefined) writer.null(String(i))
      else writer.document(String(i), document)
    }
  })
}

/** Reads element `at` of the array under `_id` of a grouped row. */
export function keyEvaluator(table: number, at: number, keys: NthElements): Evaluator {
  return computation(false, (row) => {
    const document = row[table]
    const array = document === undefined ? undefined : findElement(document, 0, idName)
    return array === undefined ? undefined : orNull(keys.value(array.bytes, array.start, at))
  })
}

/** Reads the field at a place of a grouped row. */
export function fieldEvaluator(place: number, fields: NthElements): Evaluator {
  return computation(false, ([document]) =>
    document === undefined ? undefined : orNull(fields.value(document, 0, place)),
  )
}

const idName = utf8('_id')

/** Work units of one phase of compiling an item of a list: 2 µs, and 10 µs cold. */
const phaseUnits = 20
/** Items between two pauses: to compile a shorter list does not pause. */
const phaseItems = 250

/** Ends the turn after a phase of compiling so many items, if it is used up. */
export function* compiledItems(tx: CommandReadTx, items: number): Program<void> {
  if (items >= phaseItems) yield* tx.pause(items * phaseUnits)
}

/** Compiles the items of a list one by one, with pauses. */
export function* compiledEach<T, U>(
  tx: CommandReadTx,
  items: readonly T[],
  compileOne: (item: T) => U,
): Program<U[]> {
  const made: U[] = []
  for (const item of items) {
    made.push(compileOne(item))
    if (made.length % phaseItems === 0) yield* compiledItems(tx, phaseItems)
  }
  return made
}

/** Expressions with more nodes cost more than one unit of work per row. */
const cheapNodes = 50

function weightOf(expressions: readonly Expression[]): number {
  let nodes = 0
  const count = (expression: Expression): void => {
    nodes++
    for (const operand of operandsOf(expression)) count(operand)
  }
  for (const expression of expressions) count(expression)
  return nodes > cheapNodes ? nodes : 0
}

/** Returns a function that notes the cost of a row's expressions, so that expensive rows pause. */
export function rowSpender(expressions: readonly Expression[]): () => void {
  const weight = weightOf(expressions)
  return () => {
    work.spend(weight)
  }
}

class RowFilter extends StreamTransform {
  constructor(
    private readonly rowOf: RowOf,
    private readonly condition: Evaluator,
    private readonly spend: () => void,
  ) {
    super()
  }

  push(document: Document, emit: Emit): void {
    this.spend()
    if (this.condition.truth(this.rowOf(document)) === true) emit(document)
  }
}

/** Passes rows for which the condition is true. */
export function rowFilter(rowOf: RowOf, condition: Evaluator, expression: Expression): Transform {
  return new RowFilter(rowOf, condition, rowSpender([expression]))
}

/** Converts rows to documents of results. */
export function projection(
  rowOf: RowOf,
  results: Results,
  expressions: readonly Expression[],
): Transform {
  const spend = rowSpender(expressions)
  return new MapTransform((document) => {
    spend()
    return results.write(rowOf(document))
  })
}
