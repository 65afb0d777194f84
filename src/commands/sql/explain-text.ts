// An explanation as text lines in PostgreSQL's style, for psql, and as a document, for programs.
// Both show the same stages.

import type { SelectStatement } from '../../protocol/sql/ast.js'
import { Elements, elementsOf, field, fieldIn } from '../../value/elements.js'
import { valueToJson } from '../../value/json/json.js'
import { integerOf } from '../../value/numbers.js'
import { bsonType, type Document, documentValue, stringOf, type Value } from '../../value/value.js'
import { writeDocument } from '../../value/writer.js'
import type { ChangeStatement } from './change/change-call.js'
import { hasAggregate } from './select/aggregate.js'

export interface ExplainedTable {
  readonly collection: string
  /** The table's name in the statement. */
  readonly name: string
  readonly verb: 'find' | 'insert' | 'update' | 'delete' | 'drop'
  readonly filter: Document
  readonly sort: Document | undefined
  /** How its rows are joined to the rows before; undefined for the first table. */
  readonly join: string | undefined
  /** The engine's plan; undefined if there is none. */
  readonly plan: Document | undefined
  readonly isView: boolean
}

const arrow = '->  '
const emptyBytes = 5

export function explainedLines(
  statement: SelectStatement | ChangeStatement,
  tables: readonly ExplainedTable[],
): string[] {
  const heads = statement.kind === 'select' ? headsOf(statement, tables) : changeHead(statement)
  const lines: string[] = []
  const add = (depth: number, text: string): void => {
    lines.push(depth === 0 ? text : `${' '.repeat((depth - 1) * 6 + 2)}${arrow}${text}`)
  }
  let depth = 0
  for (const head of heads) add(depth++, head)
  for (const { join } of tables.toReversed()) if (join !== undefined) add(depth++, join)
  if (tables.length === 0) add(depth, 'Result')
  for (const [i, table] of tables.entries()) {
    const at = i === 0 ? depth : depth - i + 1
    tableLines(table).forEach((line, part) => {
      if (part === 0) add(at, line)
      else lines.push(`${' '.repeat(at === 0 ? 2 : at * 6 + 2)}${line}`)
    })
  }
  return lines
}

/** The steps after the rows are read, the last one first. */
function headsOf(
  { limit, offset, isDistinct, orderBy, groupBy, having, results }: SelectStatement,
  tables: readonly ExplainedTable[],
): string[] {
  const isOrdered = tables.some(({ sort }) => sort !== undefined)
  const asked = [...results, ...orderBy].map(({ expression }) => expression)
  const isGrouped = groupBy.length > 0 || having !== undefined || asked.some(hasAggregate)
  const heads: (string | false)[] = [
    (limit !== undefined || offset !== undefined) && 'Limit',
    orderBy.length > 0 && !isOrdered && 'Sort',
    isDistinct && 'Unique',
    isGrouped && (groupBy.length > 0 ? 'HashAggregate' : 'Aggregate'),
  ]
  return heads.filter((head) => head !== false)
}

function changeHead({ kind, table }: ChangeStatement): string[] {
  const names = { insert: 'Insert', update: 'Update', delete: 'Delete', truncate: 'Truncate' }
  return [`${names[kind]} on ${table.name}`]
}

function tableLines({ collection, name, verb, filter, plan, isView }: ExplainedTable): string[] {
  if (verb === 'insert' || verb === 'drop') return ['Result']
  const on = name === collection ? collection : `${collection} ${name}`
  const asked = filter.length > emptyBytes ? [`Filter: ${jsonOf(documentValue(filter))}`] : []
  if (plan === undefined) return [isView ? `View Scan on ${on}` : `Empty Scan on ${on}`, ...asked]
  const scans = scansOf(plan)
  const [scan] = scans
  const isById = scan !== undefined && textIn(scan, 'stage') === 'IDHACK'
  const named = scan === undefined ? undefined : textIn(scan, 'indexName')
  const index = isById ? '_id_' : named
  const kind = scan === undefined ? 'Empty Scan' : index === undefined ? 'Seq Scan' : 'Index Scan'
  const using = index === undefined ? '' : ` using ${index}`
  const bounds = scans.flatMap((each) => {
    const found = fieldIn(each, 'indexBounds')
    return found === undefined ? [] : [`Index Cond: ${jsonOf(found)}`]
  })
  return [`${kind}${using} on ${on}`, ...bounds, ...asked, ...countsOf(plan)]
}

const scanNames = new Set(['COLLSCAN', 'IXSCAN', 'IDHACK', 'CLUSTERED_IXSCAN', 'DISTINCT_SCAN'])

/** The stages of the winning plan that read data. */
function scansOf(plan: Document): Value[] {
  const planner = field(plan, 'queryPlanner')
  const winning = planner === undefined ? undefined : fieldIn(planner, 'winningPlan')
  const found: Value[] = []
  const visit = (stage: Value | undefined): void => {
    if (stage?.type !== bsonType.object) return
    if (scanNames.has(textIn(stage, 'stage') ?? '')) found.push(stage)
    visit(fieldIn(stage, 'inputStage'))
    const inputs = fieldIn(stage, 'inputStages')
    if (inputs?.type === bsonType.array) for (const input of elementsOf(inputs)) visit(input)
  }
  visit(winning)
  return found
}

/** The counts of a plan that was run. */
function countsOf(plan: Document): string[] {
  const stats = field(plan, 'executionStats')
  if (stats === undefined) return []
  const count = (name: string): number => {
    const value = fieldIn(stats, name)
    return (value === undefined ? undefined : integerOf(value)) ?? 0
  }
  const keys = count('totalKeysExamined')
  const documents = count('totalDocsExamined')
  return [
    `Actual: rows=${count('nReturned')} keys examined=${keys} documents examined=${documents}`,
    `Execution Time: ${count('executionTimeMillis')} ms`,
  ]
}

/** Writes the reply with `explain` after its cursor: an operation and a plan for each table. */
export function writeExplained(
  reply: Document,
  { kind }: SelectStatement | ChangeStatement,
  tables: readonly ExplainedTable[],
): Document {
  return writeDocument((out) => {
    const elements = new Elements(reply)
    while (elements.next()) {
      if (elements.name() === 'ok') {
        out.openDocument('explain').string('statement', kind).openArray('tables')
        for (const table of tables) {
          out.pushOpenDocument().document('operation', operationOf(table))
          if (table.join !== undefined) out.string('join', table.join)
          if (table.plan !== undefined) out.document('plan', table.plan)
          out.close()
        }
        out.close().close()
      }
      out.element(reply, elements.start, elements.valueEnd)
    }
  })
}

function operationOf({ verb, collection, filter, sort }: ExplainedTable): Document {
  return writeDocument((out) => {
    out.string(verb, collection)
    if (verb === 'insert' || verb === 'drop') return
    out.document('filter', filter)
    if (sort !== undefined) out.document('sort', sort)
  })
}

function textIn(object: Value, name: string): string | undefined {
  const value = fieldIn(object, name)
  return value?.type === bsonType.string ? stringOf(value) : undefined
}

function jsonOf(value: Value): string {
  return valueToJson(value, 'relaxed')
}
