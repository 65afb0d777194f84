// Several memories of one text: a memory a line, as plain text or as JSON. A line of JSON is sent
// as it was typed, so no number in it loses digits.

export type BatchForm = 'lines' | 'ndjson'

/** A line of the text, from 1, and the JSON of its memory. */
interface Line {
  readonly line: number
  readonly json: string
}

export interface Refused {
  readonly line: number
  readonly why: string
}

interface Batch {
  readonly memories: readonly Line[]
  readonly refused: readonly Refused[]
}

/** Of one request: half of what the server takes, and the bytes of its transactions. */
const linesMax = 250
const unitsMax = 256 * 1_024

/** Empty lines are skipped. */
export function batchOf(text: string, form: BatchForm): Batch {
  const memories: Line[] = []
  const refused: Refused[] = []
  for (const [index, whole] of text.split(/\r?\n/).entries()) {
    const one = whole.trim()
    const line = index + 1
    if (one === '') continue
    if (form === 'lines') memories.push({ line, json: JSON.stringify({ text: one }) })
    else if (isObject(one)) memories.push({ line, json: one })
    else refused.push({ line, why: 'the line is no JSON object' })
  }
  return { memories, refused }
}

/** In their order, in parts of which each fits one request. */
export function partsOf(memories: readonly Line[]): readonly (readonly Line[])[] {
  const parts: Line[][] = []
  let units = 0
  for (const memory of memories) {
    const last = parts.at(-1)
    const fits = units + memory.json.length <= unitsMax && last !== undefined
    if (fits && last.length < linesMax) {
      last.push(memory)
      units += memory.json.length
    } else {
      parts.push([memory])
      units = memory.json.length
    }
  }
  return parts
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
