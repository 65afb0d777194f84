// Events above the size of a document: a stream that ends with $changeStreamSplitLargeEvent gets
// them in fragments, each with some of their fields; another one fails. (MongoDB manual,
// $changeStreamSplitLargeEvent; docs/design/changes.md, "Large events")

import { fail, type GatewayError } from '../../base/errors.js'
import { changeEventBytesMax } from '../../base/limits/documents.js'
import { field, fieldsOf } from '../../value/elements.js'
import { type Document, documentOf, documentValue, type Value } from '../../value/value.js'
import { writeDocument } from '../../value/writer.js'
import { fatalError } from './stream-errors.js'
import { parseToken, type Token, tokenDocument } from './token.js'

/** Room for the token, `splitEvent` and the document around them. */
const fragmentHeadBytes = 256
/** Type byte and the zero behind the name. */
const elementHeadBytes = 2

type Field = readonly [name: string, value: Value]

/**
 * What the client gets of an event: itself, or its fragments. Those up to the one of `after` are
 * left out: the client has them. Throws BSONObjectTooLarge, ChangeStreamFatalError.
 */
export function fitted(event: Document, splits: boolean, after: Token | undefined): Document[] {
  const isAfter = after?.fragment !== undefined && isOf(event, after)
  if (event.length <= changeEventBytesMax) {
    if (isAfter) throw notSplit()
    return [event]
  }
  if (!splits) throw tooLarge(event.length)
  const fragments = split(event)
  if (!isAfter) return fragments
  if ((after.fragment ?? 0) >= fragments.length) throw notSplit()
  return fragments.slice((after.fragment ?? 0) + 1)
}

/** Small fields come first, so that most of the event is in its first fragment. */
function split(event: Document): Document[] {
  const { time, kind } = tokenOf(event)
  const groups: Field[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const one of bySize(event)) {
    const size = sizeOf(one)
    if (size + fragmentHeadBytes > changeEventBytesMax) throw tooLarge(size)
    if (bytes + size > changeEventBytesMax) {
      groups.push([])
      bytes = fragmentHeadBytes
    }
    groups.at(-1)?.push(one)
    bytes += size
  }
  return groups.map((fields, fragment) =>
    writeDocument((out) => {
      out.document('_id', tokenDocument({ time, kind, fragment }))
      out
        .openDocument('splitEvent')
        .int32('fragment', fragment + 1)
        .int32('of', groups.length)
      out.close()
      for (const [name, value] of fields) out.value(name, value)
    }),
  )
}

function bySize(event: Document): Field[] {
  const fields = [...fieldsOf(documentValue(event))].filter(([name]) => name !== '_id')
  return fields.sort((one, other) => sizeOf(one) - sizeOf(other))
}

function sizeOf([name, { start, end }]: Field): number {
  return elementHeadBytes + Buffer.byteLength(name) + end - start
}

function tokenOf(event: Document): Token {
  const id = field(event, '_id')
  return parseToken(id === undefined ? event : documentOf(id))
}

function isOf(event: Document, { time }: Token): boolean {
  const own = tokenOf(event).time
  return own.seconds === time.seconds && own.increment === time.increment
}

function tooLarge(bytes: number): GatewayError {
  const text = `BSONObj size: ${bytes} is invalid. Size must be between 0 and`
  return fail('BSONObjectTooLarge', `${text} ${changeEventBytesMax}`)
}

function notSplit(): GatewayError {
  return fatalError('the resume token names a fragment of an event that is no longer split')
}
