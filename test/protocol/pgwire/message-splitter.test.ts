// The splitter against every way a stream can be cut, and against lengths and types that lie.

import t from 'tap'
import { pgMessageBytesMax, pgSmallMessageBytesMax } from '../../../src/base/limits/sql.js'
import {
  type Frame,
  MessageSplitter,
  type Phase,
} from '../../../src/protocol/pgwire/message-splitter.js'
import { int32, message, startup, text } from './frontend.js'
import { refuses } from './refusal.js'

const start = startup(196608, { user: 'a' })
const login = message('p', Buffer.from('proof'))
const session = [
  message('Q', text('SELECT 1')),
  message('S'),
  message('H'),
  message('E', text('p'), int32(0)),
]
const stream = Buffer.concat([start, login, ...session])

function take(splitter: MessageSplitter, frames: Frame[]): void {
  for (let frame = splitter.next(); frame !== undefined; frame = splitter.next()) {
    frames.push({ type: frame.type, body: new Uint8Array(frame.body) })
    splitter.phase = splitter.phase === 'start' ? 'login' : 'session'
  }
}

function cut(chunks: readonly Uint8Array[]): Frame[] {
  const splitter = new MessageSplitter()
  const frames: Frame[] = []
  for (const chunk of chunks) {
    splitter.push(new Uint8Array(chunk))
    take(splitter, frames)
  }
  return frames
}

function opened(phase: Phase): MessageSplitter {
  const splitter = new MessageSplitter()
  splitter.phase = phase
  return splitter
}

t.test('messages come out whole wherever two cuts fall', async (t) => {
  const whole = cut([stream])
  t.same(
    whole.map((frame) => frame.type),
    [0, 0x70, 0x51, 0x53, 0x48, 0x45],
  )
  t.same(whole[0]?.body, new Uint8Array(start.subarray(4)))
  t.same(whole[2]?.body, new Uint8Array(text('SELECT 1')))
  for (let first = 0; first <= stream.length; first++) {
    for (let second = first; second <= stream.length; second++) {
      const pieces = [
        [0, first],
        [first, second],
        [second, stream.length],
      ] as const
      const found = cut(pieces.map(([from, to]) => stream.subarray(from, to)))
      if (JSON.stringify(found) !== JSON.stringify(whole)) {
        t.fail(`cut at ${first} and ${second}`)
        return
      }
    }
  }
  t.same(cut(Array.from(stream, (byte) => Uint8Array.of(byte))), whole)
})

t.test('chunks pushed before anything is taken are kept in order', async (t) => {
  const splitter = new MessageSplitter()
  for (const byte of stream) splitter.push(Uint8Array.of(byte))
  const frames: Frame[] = []
  take(splitter, frames)
  t.same(frames, cut([stream]))
})

t.test('bytes behind a request for encryption are seen', async (t) => {
  const splitter = new MessageSplitter()
  const request = Buffer.from('0000000804d2162f', 'hex')
  splitter.push(request)
  t.same(splitter.next()?.body, request.subarray(4))
  t.equal(splitter.hasRest, false)
  splitter.push(Buffer.concat([request, Buffer.of(0)]))
  splitter.next()
  t.equal(splitter.hasRest, true)
  const begun = new MessageSplitter()
  begun.push(request.subarray(0, 4))
  t.equal(begun.next(), undefined)
  t.equal(begun.hasRest, true)
})

t.test('a length outside its bounds is refused before memory is taken for it', async (t) => {
  const fatal = { sqlState: '08P01', severity: 'FATAL' } as const
  for (const length of [0, 7, -1, pgSmallMessageBytesMax + 1, 0x7fffffff, 0x47455420]) {
    const splitter = opened('start')
    splitter.push(int32(length))
    refuses(t, () => splitter.next(), { message: 'invalid length of startup packet', ...fatal })
    t.equal(splitter.gathering, 0)
  }
  const heads = [
    ['p', pgSmallMessageBytesMax + 1, 'login'],
    ['Q', pgMessageBytesMax + 1, 'session'],
    ['S', pgSmallMessageBytesMax + 1, 'session'],
    ['Q', 3, 'session'],
    ['Q', -1, 'session'],
  ] as const
  for (const [type, length, phase] of heads) {
    const splitter = opened(phase)
    splitter.push(Buffer.concat([Buffer.from(type), int32(length)]))
    refuses(t, () => splitter.next(), { message: 'invalid message length', ...fatal })
    t.equal(splitter.gathering, 0)
  }
  const large = opened('session')
  large.push(Buffer.concat([Buffer.from('Q'), int32(pgMessageBytesMax)]))
  t.equal(large.next(), undefined)
  t.equal(large.gathering, pgMessageBytesMax - 4)
})

t.test('a type that cannot come now is refused by its first byte', async (t) => {
  for (let type = 0; type < 256; type++) {
    for (const phase of ['login', 'session'] as const) {
      const splitter = opened(phase)
      splitter.push(Uint8Array.of(type))
      const taken = phase === 'login' ? 'p' : 'QPBFdCDEHSXcf'
      if (taken.includes(String.fromCharCode(type))) t.equal(splitter.next(), undefined)
      else refuses(t, () => splitter.next(), { sqlState: '08P01', severity: 'FATAL' })
    }
  }
})
