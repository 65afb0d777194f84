// The shape of a command for logs and currentOp: its field names and the types of its values, never
// the values. Arguments that a row marks as secret are skipped.

import { Elements } from '../../value/elements.js'
import { bsonType, type Document } from '../../value/value.js'
import { typeName } from './params.js'

const depthMax = 6
const charactersMax = 1_000
/** The shape shows this many elements of an array; it counts the rest. */
const elementsMax = 3
/** Counting also costs work, so it stops here. */
const countedMax = 1_003

/** `{ find: string, filter: { age: { $gt: int } } }`, cut at a bound. */
export function shapeOf(command: Document, secrets: readonly string[] = []): string {
  const text = objectShape(command, 0, 0, new Set([...secrets, 'lsid', '$db', '$clusterTime']))
  return text.length <= charactersMax ? text : `${text.slice(0, charactersMax)}…`
}

const nothing: ReadonlySet<string> = new Set()

function objectShape(
  bytes: Document,
  start: number,
  depth: number,
  hidden: ReadonlySet<string> = nothing,
): string {
  const parts: string[] = []
  let length = 0
  const elements = new Elements(bytes, start)
  while (elements.next() && length <= charactersMax) {
    const name = elements.name()
    if (hidden.has(name)) continue
    const part = `${name}: ${valueShape(bytes, elements, depth)}`
    length += part.length
    parts.push(part)
  }
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`
}

function arrayShape(bytes: Document, start: number, depth: number): string {
  const parts: string[] = []
  let count = 0
  const elements = new Elements(bytes, start)
  while (count <= countedMax && elements.next()) {
    if (++count <= elementsMax) parts.push(valueShape(bytes, elements, depth))
  }
  if (count > countedMax) parts.push(`more than ${countedMax - elementsMax} more`)
  else if (count > elementsMax) parts.push(`${count - elementsMax} more`)
  return `[${parts.join(', ')}]`
}

function valueShape(bytes: Document, elements: Elements, depth: number): string {
  const { type, valueStart } = elements
  if (depth >= depthMax) return typeName(type)
  if (type === bsonType.object) return objectShape(bytes, valueStart, depth + 1)
  if (type === bsonType.array) return arrayShape(bytes, valueStart, depth + 1)
  return typeName(type)
}
