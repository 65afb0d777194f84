// One quoting function a language. Each throws NotShown for a text that the language has no form
// for.

import type { Ejson } from '../ejson.js'
import { isObject, wrappers } from '../ejson.js'

/** Why a query has no form in a language, in one line. */
export class NotShown extends Error {}

/** A word of a POSIX shell. */
export function quoteSh(text: string): string {
  if (text.includes('\0')) throw new NotShown('A shell has no form for the character NUL.')
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** A text of SQL. */
export function quoteSql(text: string): string {
  if (text.includes('\0')) throw new NotShown('SQL has no texts with the character NUL.')
  return `'${text.replaceAll("'", "''")}'`
}

/** A name of SQL. */
export function nameSql(name: string): string {
  if (name === '' || /[\0.$[\]]/.test(name)) {
    throw new NotShown(`SQL would read the name ${JSON.stringify(name)} as something else.`)
  }
  return `"${name.replaceAll('"', '""')}"`
}

/** A string of JavaScript. */
export function quoteJs(text: string): string {
  return escaped(text)
}

/** A string of Python. */
export function quotePython(text: string): string {
  return escaped(text)
}

/** An interpreted string of Go. */
export function quoteGo(text: string): string {
  return escaped(text)
}

/** The three languages know JSON's escapes. What cannot be seen is written out. */
function escaped(text: string): string {
  if (/\p{Surrogate}/u.test(text)) throw new NotShown('The text has half of a surrogate pair.')
  return JSON.stringify(text).replace(
    /[\u007f-\u009f\u00ad\u0600-\u0605\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Literals of a language for what JSON and it have in common. */
interface Literals {
  readonly text: (text: string) => string
  readonly yes: string
  readonly no: string
  readonly nothing: string
}

export const js: Literals = { text: quoteJs, yes: 'true', no: 'false', nothing: 'null' }
export const python: Literals = { text: quotePython, yes: 'True', no: 'False', nothing: 'None' }

/** A literal, or undefined where a value needs Extended JSON to keep its type. */
export function literal(value: Ejson, words: Literals): string | undefined {
  if (value === null) return words.nothing
  if (typeof value === 'boolean') return value ? words.yes : words.no
  if (typeof value === 'string') return words.text(value)
  if (typeof value === 'number') return isPlain(value) ? String(value) : undefined
  if (Array.isArray(value)) {
    const parts = value.map((one: Ejson) => literal(one, words))
    return parts.includes(undefined) ? undefined : `[${parts.join(', ')}]`
  }
  if (!isObject(value) || isWrapped(value)) return undefined
  const parts = Object.entries(value).map(([name, inner]) => {
    const text = name === '__proto__' ? undefined : literal(inner, words)
    return text && `${words.text(name)}: ${text}`
  })
  return parts.includes(undefined) ? undefined : `{${parts.join(', ')}}`
}

/** A 32-bit integer, or a double that no driver takes for an integer. */
export function isPlain(value: number): boolean {
  if (Object.is(value, -0)) return false
  if (Number.isInteger(value)) return Math.abs(value) < 2 ** 31
  return !String(value).includes('e')
}

/** A value of Extended JSON, such as `{"$oid": …}`, and not an operator. */
export function isWrapped(value: Ejson): boolean {
  if (!isObject(value)) return false
  const [name = ''] = Object.keys(value)
  return wrappers.has(name)
}

/** The value of a text, if JavaScript's objects keep all of it. */
export function exactJson(text: string, what: string): Ejson {
  let value: Ejson
  try {
    value = JSON.parse(text) as Ejson
  } catch {
    throw new NotShown(`The ${what} is no JSON.`)
  }
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[^\s"]+/g) ?? []
  const packed = tokens.map((one) => (one.startsWith('"') ? JSON.stringify(JSON.parse(one)) : one))
  if (packed.join('') === JSON.stringify(value)) return value
  throw new NotShown(`The ${what} has names twice, names that are numbers, or numbers like 1.0.`)
}
