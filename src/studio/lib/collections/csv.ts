// CSV for spreadsheets: every cell is quoted, and one that a spreadsheet would take for a formula
// gets an apostrophe in front, headers too. The reader takes the apostrophe off again. CSV keeps no
// types; NDJSON is the exact form.

import { type Ejson, isObject } from '../ejson.js'

/** What starts a formula, also in full-width forms, behind apostrophes that are there already. */
const formula = /^'*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/

/** A row without its end of line. */
export function csvRow(cells: readonly string[]): string {
  return cells.map(csvCell).join(',')
}

function csvCell(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text
  return `"${safe.replaceAll('"', '""')}"`
}

const numberText = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/**
 * A value of canonical Extended JSON in a cell: texts and numbers as they are, all others as JSON;
 * nothing where it is missing.
 */
export function cellOf(value: Ejson | undefined): string {
  if (value === undefined) return ''
  if (typeof value === 'string') return value
  if (isObject(value) && Object.keys(value).length === 1) {
    const number = value.$numberInt ?? value.$numberLong ?? value.$numberDouble
    if (typeof number === 'string' && numberText.test(number)) return number
  }
  return JSON.stringify(value)
}

interface CsvRow {
  readonly cells: readonly string[]
  /** Of its first character, from 1. */
  readonly line: number
}

/** Rows of a text in the form of RFC 4180; quotes are optional. Throws if a quote is not closed. */
export function* csvRows(text: string): Generator<CsvRow> {
  const cell = /"((?:[^"]|"")*)"|([^",\r\n]*)/y
  let line = 1
  let at = text.startsWith('\ufeff') ? 1 : 0
  while (at < text.length) {
    const begun = line
    const cells: string[] = []
    for (;;) {
      cell.lastIndex = at
      const [all = '', quoted, plain = ''] = cell.exec(text) ?? []
      cells.push(unsafe(quoted?.replaceAll('""', '"') ?? plain))
      line += all.split('\n').length - 1
      at += all.length
      if (text[at] !== ',') break
      at++
    }
    if (text.startsWith('\r\n', at)) at += 2
    else if (text[at] === '\n' || text[at] === '\r') at++
    else if (at < text.length) throw new Error(`Line ${line}: a quote is not closed or misplaced.`)
    line++
    if (cells.length > 1 || cells[0] !== '') yield { cells, line: begun }
  }
}

/** Without the apostrophe that `csvCell` puts in front. */
function unsafe(text: string): string {
  return text.startsWith("'") && formula.test(text) ? text.slice(1) : text
}

/**
 * The document of a row, as the text of Extended JSON. Empty cells are missing fields. With
 * `typed`, cells that are JSON (numbers, true, false, null, objects, arrays) are what they say.
 */
export function csvDocument(
  names: readonly string[],
  cells: readonly string[],
  typed: boolean,
): string {
  if (cells.length > names.length) {
    throw new Error(`The row has ${cells.length} cells, and the header ${names.length}.`)
  }
  const fields = cells.flatMap((cell, index) => {
    if (cell === '') return []
    return [`${JSON.stringify(names[index])}:${typed ? typedText(cell) : JSON.stringify(cell)}`]
  })
  return `{${fields.join(',')}}`
}

function typedText(cell: string): string {
  if (numberText.test(cell)) return numberIn(cell)
  if (!/^(?:true|false|null|[{[][\s\S]*)$/.test(cell)) return JSON.stringify(cell)
  try {
    JSON.parse(cell)
    return cell.replaceAll(/[\r\n]/g, ' ')
  } catch {
    return JSON.stringify(cell)
  }
}

const longMax = 2n ** 63n

/** Whole numbers that a double does not hold are 64-bit integers, or texts beyond those. */
function numberIn(text: string): string {
  if (!/^-?\d+$/.test(text)) return Number.isFinite(Number(text)) ? text : JSON.stringify(text)
  if (Number.isSafeInteger(Number(text))) return text
  const whole = BigInt(text)
  return whole >= -longMax && whole < longMax ? `{"$numberLong":"${text}"}` : JSON.stringify(text)
}

/** The names of all fields, in the order in which they first come; `_id` first. */
export function columnsOf(documents: Iterable<Ejson>): readonly string[] {
  const names = new Set(['_id'])
  for (const one of documents) {
    if (isObject(one)) for (const name of Object.keys(one)) names.add(name)
  }
  return [...names]
}
