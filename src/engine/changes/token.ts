// Resume tokens of change streams: `{_data}`, upper-case hexadecimal text in MongoDB's key-string
// form, so that tools can read the time in it. As text they sort in the order of the events.
// (docs/design/changes.md, "Tokens")

import { fail } from '../../base/errors.js'
import type { ClusterTime } from '../../store/layout.js'
import { field } from '../../value/elements.js'
import { bsonType, type Document, stringOf } from '../../value/value.js'
import { writeDocument } from '../../value/writer.js'

/** A mark stands before the event of its time; an `invalidate` behind the event that caused it. */
type TokenKind = 'mark' | 'event' | 'invalidate'

export interface Token {
  readonly time: ClusterTime
  readonly kind: TokenKind
  /** Of a split event: the number of its part, from 0. */
  readonly fragment?: number | undefined
}

/**
 * Version 2, kind of token, operation in its transaction, invalidate or not, no further parts; then
 * perhaps the number of a fragment.
 */
const tails: Readonly<Record<TokenKind, string>> = {
  mark: '2B0429296E14',
  event: '2B042C0100296E14',
  invalidate: '2B042C0100296F14',
}
const ending = '04'
/** Zero, and the head of the numbers from 1 to 127, doubled. */
const zero = '29'
const small = '2B'

const timestampType = '82'
const digits = 8
const timeEnd = timestampType.length + 2 * digits

export function tokenText({ time, kind, fragment }: Token): string {
  const part = fragment === undefined ? '' : fragmentText(fragment)
  const at = `${timestampType}${hex(time.seconds)}${hex(time.increment)}`
  return `${at}${tails[kind]}${part}${ending}`
}

function fragmentText(fragment: number): string {
  return fragment === 0 ? zero : `${small}${hex(fragment * 2, 2)}`
}

export function tokenDocument(token: Token): Document {
  return writeDocument((out) => out.string('_data', tokenText(token)))
}

/** Throws 40647 without a text, FailedToParse for other text, else InvalidResumeToken. */
export function parseToken(given: Document): Token {
  const data = field(given, '_data')
  if (data === undefined || data.type !== bsonType.string) {
    throw fail('Location40647', 'Bad resume token: _data of missing or of wrong type')
  }
  const text = stringOf(data).toUpperCase()
  if (!/^(?:[0-9A-F]{2})*$/.test(text)) {
    throw fail('FailedToParse', 'resume token string was not a valid hex string')
  }
  const tail = text.slice(timeEnd)
  const kind = (Object.keys(tails) as TokenKind[]).find((each) => tail.startsWith(tails[each]))
  const part = kind && /^(29|2B([0-9A-F]{2}))?04$/.exec(tail.slice(tails[kind].length))
  if (!text.startsWith(timestampType) || kind === undefined || !part) {
    throw fail('InvalidResumeToken', 'the resume token is not one of this server')
  }
  const [, coded, doubled] = part
  const number = doubled === undefined ? 0 : Number.parseInt(doubled, 16) >> 1
  const fragment = coded === undefined ? undefined : number
  const at = timestampType.length
  const seconds = Number.parseInt(text.slice(at, at + digits), 16)
  const increment = Number.parseInt(text.slice(at + digits, timeEnd), 16)
  return { time: { seconds, increment }, kind, fragment }
}

function hex(n: number, length = digits): string {
  return n.toString(16).toUpperCase().padStart(length, '0')
}
