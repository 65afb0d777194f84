// Documents as text for an editor: canonical Extended JSON, but numbers that lose nothing by it are
// written plainly. What a page does not understand is passed on as the server wrote it.

/** Names of a document's values in the order of its text. */
export type Ejson = string | number | boolean | null | readonly Ejson[] | EjsonObject

export interface EjsonObject {
  readonly [name: string]: Ejson
}

/** What wraps a value of Extended JSON, unlike operators such as `$gte`. */
export const wrappers = new Set(
  `$oid $numberInt $numberLong $numberDouble $numberDecimal $date $binary $uuid $timestamp $code
  $regularExpression $minKey $maxKey $symbol $dbPointer $undefined $ref`.split(/\s+/),
)

/**
 * Indented, for an editor. A text that JavaScript's objects would change (names twice, names that
 * are numbers and would be sorted) stays as it is.
 */
export function editable(text: string): string {
  const value = JSON.parse(text) as Ejson
  if (JSON.stringify(value) !== text) return text
  return JSON.stringify(plainer(value), null, 2)
}

/** A double with a fraction and a 32-bit integer are read back as what they were. */
function plainer(value: Ejson): Ejson {
  if (Array.isArray(value)) return value.map(plainer)
  if (!isObject(value)) return value
  const entries = Object.entries(value)
  const [only] = entries
  if (entries.length === 1 && only !== undefined) {
    const [name, text] = only
    const number = Number(text)
    if (name === '$numberInt') return number
    const isSame = String(number) === text && !Number.isInteger(number) && Number.isFinite(number)
    if (name === '$numberDouble' && isSame) return number
    if (wrappers.has(name)) return value
  }
  // fromEntries makes `__proto__` a field like any other.
  return Object.fromEntries(entries.map(([name, inner]) => [name, plainer(inner)]))
}

export function isObject(value: Ejson | undefined): value is EjsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A value in a cell: short, on one line, and of its type. */
export function cellText(value: Ejson | undefined, charsMax = 64): string {
  if (value === undefined) return ''
  const text = typeof value === 'string' ? value : shortText(value)
  return text.length > charsMax ? `${text.slice(0, charsMax)}…` : text
}

function shortText(value: Ejson): string {
  if (Array.isArray(value)) return `[${value.length}]`
  if (!isObject(value)) return JSON.stringify(value)
  const entries = Object.entries(value)
  const [only] = entries
  if (entries.length === 1 && only !== undefined) {
    const [name, inner] = only
    if (/^\$(?:oid|numberInt|numberLong|numberDouble|numberDecimal)$/.test(name)) {
      return String(inner)
    }
    if (name === '$date') return dateText(inner)
  }
  return `{${entries.map(([name]) => name).join(', ')}}`
}

function dateText(inner: Ejson): string {
  const ms = isObject(inner) ? Number(inner.$numberLong) : Number.NaN
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? JSON.stringify(inner) : date.toISOString()
}
