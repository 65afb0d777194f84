// Documents of a text to import, each as one line of JSON with the line where it stands: so what
// the server says of the n-th document can be told by line. The text of a document is never read
// and written again, which would change numbers, names twice and their order.

import { csvDocument, csvRows } from './csv.js'

export const formats = ['NDJSON', 'JSON', 'CSV'] as const

export type Format = (typeof formats)[number]

export interface SourceLine {
  /** From 1. */
  readonly line: number
  /** JSON without ends of line. */
  readonly text: string
}

/** Throws, with the line, at what is no document. */
export function* linesOf(format: Format, text: string, typed: boolean): Generator<SourceLine> {
  if (format === 'CSV') yield* ofCsv(text, typed)
  else if (format === 'JSON') yield* ofJson(text)
  else yield* ofNdjson(text)
}

function* ofNdjson(text: string): Generator<SourceLine> {
  let line = 0
  for (const one of text.replace(/^\ufeff/, '').split('\n')) {
    line++
    const trimmed = one.trim()
    if (trimmed !== '') yield { line, text: trimmed }
  }
}

function* ofCsv(text: string, typed: boolean): Generator<SourceLine> {
  let names: readonly string[] | undefined
  for (const { cells, line } of csvRows(text)) {
    if (names === undefined) {
      names = cells
      const twice = cells.find((name, index) => name === '' || cells.indexOf(name) !== index)
      if (twice !== undefined) throw new Error(`The header has the name “${twice}” twice, or none.`)
    } else yield { line, text: documentAt(line, () => csvDocument(names ?? [], cells, typed)) }
  }
}

function documentAt(line: number, read: () => string): string {
  try {
    return read()
  } catch (error) {
    throw new Error(`Line ${line}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** One document, or the documents of an array. */
function* ofJson(text: string): Generator<SourceLine> {
  const token = /"(?:[^"\\]|\\[\s\S])*"|[[\]{},]|\n|[^"[\]{},\n]+/y
  let [depth, line, begun, begunLine] = [0, 1, -1, 0]
  const isArray = /^[\ufeff\s]*\[/.test(text)
  const level = isArray ? 1 : 0
  for (token.lastIndex = 0; token.lastIndex < text.length; ) {
    const at = token.lastIndex
    const [part] = token.exec(text) ?? []
    if (part === undefined) throw new Error(`Line ${line}: a text is not closed.`)
    if (part === '\n') line++
    else if (part === '{' || part === '[') {
      if (depth === level && part === '{') [begun, begunLine] = [at, line]
      else if (depth === level && depth > 0) throw notDocument(line)
      depth++
    } else if (part === '}' || part === ']') {
      depth--
      if (depth < 0) throw notDocument(line)
      if (depth === level && begun >= 0) {
        yield { line: begunLine, text: flat(text.slice(begun, token.lastIndex)) }
        begun = -1
      }
    } else if (depth <= level && !/^[\s,\ufeff]*$/.test(part)) throw notDocument(line)
  }
  if (depth !== 0) throw new Error(`Line ${line}: the text ends inside a document or the array.`)
}

function notDocument(line: number): Error {
  return new Error(`Line ${line}: here is something that is no document.`)
}

/** A text of JSON has no ends of line, so these stand between its parts. */
function flat(text: string): string {
  return text.replaceAll(/[\r\n]+/g, ' ')
}
