// Resume tokens as others read them: Debezium's and the Kafka connector's rules (ResumeTokens: type
// 0x82, then seconds and increment, big-endian), and those of a key string for what follows.

import t from 'tap'
import { compareBytes } from '../../../src/base/bytes/bytes.js'
import { parseToken, type Token, tokenText } from '../../../src/engine/changes/token.js'
import { documentFrom } from '../../../src/value/literal.js'

const kinds = ['mark', 'event', 'invalidate'] as const
const times = [
  { seconds: 0, increment: 1 },
  { seconds: 1_795_465_130, increment: 11 },
  { seconds: 0x7f_ff_ff_ff, increment: 255 },
  { seconds: 0x80_00_00_00, increment: 256 },
  { seconds: 0xff_ff_ff_ff, increment: 0xff_ff_ff_ff },
]
const fragments = [undefined, 0, 1, 63, 99]

const tokens: readonly Token[] = times.flatMap((time) =>
  kinds.flatMap((kind) =>
    (kind === 'event' ? fragments : [undefined]).map((fragment) => ({ time, kind, fragment })),
  ),
)

/** Debezium: the timestamp behind the first byte, which has to be 0x82 (130). */
function readTimestamp(data: string): { seconds: number; increment: number } {
  const bytes = Buffer.from(data, 'hex')
  if (bytes[0] !== 130) throw new Error(`type ${bytes[0]}, not a timestamp`)
  return { seconds: bytes.readUInt32BE(1), increment: bytes.readUInt32BE(5) }
}

/** The parts of a key string, all ascending, up to its end. */
function readParts(data: string): unknown[] {
  const bytes = Buffer.from(data, 'hex')
  const parts: unknown[] = []
  let at = 0
  for (;;) {
    const type = bytes[at++]
    if (type === 0x04) {
      if (at !== bytes.length) throw new Error('bytes behind the end')
      return parts
    }
    if (type === 0x82) {
      parts.push(bytes.readBigUInt64BE(at))
      at += 8
    } else if (type === 0x29) parts.push(0)
    else if (type === 0x2b) parts.push((bytes[at++] as number) >> 1)
    else if (type === 0x2c) {
      parts.push(bytes.readUInt16BE(at) >> 1)
      at += 2
    } else if (type === 0x6e) parts.push(false)
    else if (type === 0x6f) parts.push(true)
    else if (type === 0x14) parts.push(null)
    else throw new Error(`type ${type} at ${at - 1}`)
  }
}

t.test('the time of every token is read by the rules of Debezium', async (t) => {
  for (const token of tokens) t.same(readTimestamp(tokenText(token)), token.time)
})

t.test('every token is a whole key string of the parts of version 2', async (t) => {
  for (const token of tokens) {
    const parts = readParts(tokenText(token))
    const { time, kind, fragment } = token
    t.equal(parts[0], (BigInt(time.seconds) << 32n) | BigInt(time.increment))
    t.equal(parts[1], 2, 'version')
    // 0 is a high-water mark, 128 an event.
    t.equal(parts[2], kind === 'mark' ? 0 : 128)
    t.equal(parts[3], 0, 'place in its transaction')
    t.equal(parts[4], kind === 'invalidate')
    t.equal(parts[5], null, 'no identifier')
    t.equal(parts[6], fragment)
  }
})

t.test('upper-case hexadecimal, in the order of time and kind, and read back', async (t) => {
  const texts = tokens.map(tokenText)
  for (const [i, text] of texts.entries()) {
    t.match(text, /^82[0-9A-F]+$/)
    const { time, kind, fragment } = parse(text)
    t.same({ time, kind, fragment }, tokens[i])
    t.same(parse(text.toLowerCase()), parse(text))
  }
  const bytes = texts.map((text) => Buffer.from(text, 'hex'))
  t.same([...texts].sort(), [...bytes].sort(compareBytes).map(upper))
  // Times are in order, and the kinds of one time too; a fragment comes behind its event.
  const whole = tokens.filter(({ fragment }) => fragment === undefined).map(tokenText)
  t.same([...whole].sort(), whole)
  const parts = fragments.slice(1).map((fragment) => tokenText({ ...someEvent, fragment }))
  t.same([...parts].sort(), parts)
})

t.test('a token that is cut, longer or of another kind is refused', async (t) => {
  const [text = ''] = tokens.map(tokenText)
  for (const bad of [text.slice(0, -2), `${text}04`, `83${text.slice(2)}`, '82', '']) {
    t.throws(() => parse(bad), { code: 260 })
  }
  for (const bad of ['8', 'zz', `${text} `]) t.throws(() => parse(bad), { code: 9 })
})

const someEvent = { time: { seconds: 5, increment: 6 }, kind: 'event' } as const
const upper = (bytes: Buffer) => bytes.toString('hex').toUpperCase()
const parse = (_data: string): Token => parseToken(documentFrom({ _data }))
