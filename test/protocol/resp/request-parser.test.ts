// The request parser against every way a stream can be cut, against each protocol error of the
// reference server, and against input that wants its memory or its time.

import t from 'tap'
import {
  respArgumentsMax,
  respBulkBytesMax,
  respLineBytesMax,
  respPassedBytesMax,
  respRequestBytesMax,
} from '../../../src/base/limits/key-value.js'
import { isCrossProtocol } from '../../../src/protocol/resp/request.js'
import { RequestParser } from '../../../src/protocol/resp/request-parser.js'
import { refusals } from './refusals.js'
import { bytewise, drain, hear, latin1, request } from './requests.js'

const binary = Uint8Array.from({ length: 30 }, (_, index) => index * 9)

const mixed = Buffer.concat([
  request('GET', 'k'),
  latin1('PING\r\n'),
  request('SET', 'key:1', binary),
  latin1('\r\n\n*0\r\n*-1\r\n*-10\r\n'),
  latin1('SET "a b" \'c\' d\\x\n'),
  latin1('*1\r\n$4\r\nPINGxx*1\r\n$4\r\nECHO\r\n'),
  request('ECHO', ''),
  request(...'abcdefghijkl'),
])

const mixedCommands = [
  ['GET', 'k'],
  ['PING'],
  ['SET', 'key:1', Buffer.from(binary).toString('latin1')],
  ['SET', 'a b', 'c', 'd\\x'],
  ['PING'],
  ['ECHO'],
  ['ECHO', ''],
  [...'abcdefghijkl'],
]

t.test('commands come out whole wherever two cuts fall', async (t) => {
  for (let first = 0; first <= mixed.length; first++) {
    for (let second = first; second <= mixed.length; second++) {
      const chunks = [
        mixed.subarray(0, first),
        mixed.subarray(first, second),
        mixed.subarray(second),
      ]
      const heard = hear(chunks)
      if (JSON.stringify(heard) !== JSON.stringify({ commands: mixedCommands })) {
        t.same(heard, { commands: mixedCommands }, `cut at ${first} and ${second}`)
        return
      }
    }
  }
  t.same(hear(bytewise(mixed)), { commands: mixedCommands })
})

t.test('a refusal has the words of the reference server wherever its input is cut', async (t) => {
  for (const { name, input, text, authenticated = true } of refusals) {
    const stream = latin1(`*1\r\n$4\r\nPING\r\n${input}`)
    const expected = { commands: [['PING']], error: `Protocol error: ${text}` }
    t.same(hear([stream], { authenticated }), expected, name)
    const step = stream.length > 1_000 ? 997 : 1
    for (let cut = 1; cut < stream.length; cut += step) {
      const heard = hear([stream.subarray(0, cut), stream.subarray(cut)], { authenticated })
      if (heard.error !== expected.error) t.same(heard, expected, `${name}, cut at ${cut}`)
    }
    t.same(hear(bytewise(stream), { authenticated }), expected, `${name}, byte by byte`)
  }
})

t.test('a refusal stands: nothing behind it is read', async (t) => {
  const parser = new RequestParser()
  parser.push(latin1('*x\r\n'))
  t.throws(() => parser.next(), { code: 17, message: 'Protocol error: invalid multibulk length' })
  parser.push(request('PING'))
  t.throws(() => parser.next(), { code: 17 })
  t.equal(parser.heldBytes, 0)
})

t.test('lengths up to the bounds are taken, and none above', async (t) => {
  const over = (header: string, options = {}) => hear([latin1(header)], options).error
  t.equal(over(`*${respArgumentsMax}\r\n`), undefined)
  t.match(over(`*${respArgumentsMax + 1}\r\n`), 'invalid multibulk length')
  t.equal(over(`*1\r\n$${respBulkBytesMax}\r\n`), undefined)
  t.equal(over(`*1\r\n$${respPassedBytesMax}\r\n`), undefined)
  t.match(over(`*1\r\n$${respPassedBytesMax + 1}\r\n`), 'invalid bulk length')
  t.equal(over('*10\r\n$16384\r\n', { authenticated: false }), undefined)
  t.match(over('*2147483647\r\n', { authenticated: false }), 'invalid multibulk length')
  t.match(over('*11\r\n', { authenticated: false }), 'unauthenticated multibulk length')
  t.match(over('*1\r\n$16385\r\n', { authenticated: false }), 'unauthenticated bulk length')
})

t.test('login raises the bounds for what follows in the same chunk', async (t) => {
  const parser = new RequestParser()
  parser.push(Buffer.concat([request('AUTH', 'key'), request('MGET', ...'abcdefghijklm')]))
  t.equal(parser.next()?.text(1), 'key')
  parser.authenticated = true
  t.equal(parser.next()?.count, 14)
})

t.test('all arguments of a command have a bound together', async (t) => {
  const parser = new RequestParser()
  parser.authenticated = true
  const part = new Uint8Array(16_000_000)
  parser.push(latin1('*9\r\n'))
  let sent = 0
  const more = () => {
    parser.push(latin1(`$${part.length}\r\n`))
    parser.push(part)
    parser.push(latin1('\r\n'))
    sent += part.length
    return parser.next()
  }
  while (sent + part.length < respRequestBytesMax) t.equal(more(), undefined)
  for (let left = 9 - sent / part.length; left > 1; left--) t.equal(more(), undefined)
  t.ok(parser.heldBytes < 100, 'nothing of it is kept')
  const cut = more()
  t.same([cut?.count, cut?.isCut], [1, true])
  parser.push(request('PING'))
  t.equal(parser.next()?.text(0), 'PING')
})

t.test(
  'a command with an argument that is too long is passed over, however it is cut',
  async (t) => {
    const bulkBytesMax = 10_000
    const long = 'x'.repeat(12_000)
    const streams: readonly (readonly string[])[] = [
      ['SET', 'k', long],
      ['MSET', 'a', long, 'b', '$3\r\n', 'c', long],
      [long, 'k'],
    ]
    for (const words of streams) {
      const stream = Buffer.concat([request('PING'), request(...words), request('GET', 'k')])
      const name = words[0] === long ? '' : words[0]
      const expected = { commands: [['PING'], [name], ['GET', 'k']] }
      t.same(hear([stream], { bulkBytesMax }), expected)
      t.same(hear(bytewise(stream), { bulkBytesMax }), expected, 'byte by byte')
      for (let at = 1; at < stream.length; at += at % 12_000 < 100 ? 1 : 331) {
        const heard = hear([stream.subarray(0, at), stream.subarray(at)], { bulkBytesMax })
        if (JSON.stringify(heard) !== JSON.stringify(expected))
          t.same(heard, expected, `cut at ${at}`)
      }
    }
    const odd = latin1('*3\r\n$3\r\nSET\r\n$12000\r\n')
    const bad = Buffer.concat([odd, Buffer.alloc(12_002), latin1(':1\r\n')])
    t.match(hear([bad], { bulkBytesMax }).error, "expected '$', got ':'")
  },
)

t.test('a line that comes whole at once may be longer than the bound', async (t) => {
  const line = `ECHO ${'a'.repeat(respLineBytesMax)}\r\n`
  t.same(hear([latin1(line)]).commands, [['ECHO', 'a'.repeat(respLineBytesMax)]])
  t.same(
    hear([latin1(`ECHO ${'a'.repeat(respLineBytesMax - 5)}`), latin1('\n')]).commands.length,
    1,
  )
  t.match(hear([latin1(line.slice(0, -2)), latin1('\n')]).error, 'too big inline request')
})

t.test('a length that is only announced takes no memory', async (t) => {
  const parser = new RequestParser()
  parser.authenticated = true
  parser.push(latin1(`*${respArgumentsMax}\r\n$${respBulkBytesMax}\r\nabc`))
  t.equal(parser.next(), undefined)
  t.ok(parser.heldBytes < 1_000, `${parser.heldBytes} bytes held`)
  parser.push(latin1('def'))
  t.equal(parser.next(), undefined)
  t.ok(parser.heldBytes < 2_000, `${parser.heldBytes} bytes held`)
})

t.test('what is held stays in proportion to what came', async (t) => {
  for (const [name, stream] of [
    ['one argument', request('SET', 'k', new Uint8Array(1_000_000))],
    ['small arguments', request(...new Array<string>(100_000).fill('ab'))],
    ['a line', latin1('a'.repeat(respLineBytesMax))],
  ] as const) {
    const parser = new RequestParser()
    parser.authenticated = true
    let worst = 0
    for (let at = 0; at < stream.length - 1; at += 1_000) {
      parser.push(stream.subarray(at, Math.min(at + 1_000, stream.length - 1)))
      parser.next()
      worst = Math.max(worst, parser.heldBytes / (at + 2_000))
    }
    t.ok(worst < 5, `${name}: ${worst} times`)
  }
})

t.test('a connection without a command under way holds nothing', async (t) => {
  const parser = new RequestParser()
  parser.push(request('PING'))
  t.ok(parser.heldBytes > 0)
  parser.next()
  t.equal(parser.next(), undefined)
  t.equal(parser.heldBytes, 0)
})

t.test('time grows with the bytes, not with their square', async (t) => {
  // Each would take hours if a chunk made what came before it be looked at or moved again.
  const value = new Uint8Array(8_000_000)
  const chunked = (stream: Uint8Array, size: number) =>
    Array.from({ length: Math.ceil(stream.length / size) }, (_, index) =>
      stream.subarray(index * size, (index + 1) * size),
    )
  t.equal(hear(chunked(request('SET', 'k', value), 40)).commands[0]?.[2]?.length, value.length)
  const count = 500_000
  const words = latin1(`*${count}\r\n${'$2\r\nab\r\n'.repeat(count)}`)
  t.equal(hear(chunked(words, 40)).commands[0]?.length, count)
  t.equal(hear(chunked(words, 65_536)).commands[0]?.length, count)
  const line = `${'a'.repeat(respLineBytesMax - 10)}\n`
  t.equal(hear(bytewise(latin1(line))).commands[0]?.[0]?.length, line.length - 1)
})

t.test('chunks pushed before anything is taken are kept in order', async (t) => {
  const parser = new RequestParser()
  parser.authenticated = true
  const commands: string[][] = []
  const numbers = Array.from({ length: 40 }, (_, index) => request('ECHO', String(index)))
  for (const [index, chunk] of numbers.entries()) {
    parser.push(chunk.subarray(0, index % chunk.length))
    parser.push(chunk.subarray(index % chunk.length))
    if (index % 3 === 0) commands.push([parser.next()?.text(0) ?? '', String(commands.length)])
  }
  drain(parser, commands)
  t.same(
    commands,
    numbers.map((_, index) => ['ECHO', String(index)]),
  )
})

t.test('a command stays as it was while others are parsed', async (t) => {
  const parsers = [new RequestParser(), new RequestParser()]
  const kept: (() => boolean)[] = []
  for (let round = 0; round < 5_000; round++) {
    for (const [side, parser] of parsers.entries()) {
      const text = `${side}:${round}`
      const stream = request('ECHO', text, 'x'.repeat(round % 7))
      const cut = round % 5 === 0 ? round % stream.length : stream.length
      parser.push(stream.subarray(0, cut))
      parser.push(stream.subarray(cut))
    }
    for (const [side, parser] of parsers.entries()) {
      const command = parser.next()
      const text = `${side}:${round}`
      kept.push(() => command?.text(1) === text && command.size(2) === round % 7)
    }
  }
  t.ok(kept.every((holds) => holds()))
})

t.test('a cut command has memory of its own, near its size', async (t) => {
  const parser = new RequestParser()
  parser.authenticated = true
  const stream = Buffer.concat([
    request('PING'),
    request('SET', 'k', new Uint8Array(1_000_000)),
    request('SET', 'k', new Uint8Array(1_000_000), 'EX', '100'),
    request('PING'),
  ])
  for (let at = 0; at < stream.length; at += 65_536) {
    parser.push(Uint8Array.from(stream.subarray(at, at + 65_536)))
  }
  t.equal(parser.next()?.count, 1)
  for (let round = 0; round < 2; round++) {
    const value = parser.next()?.view(2)
    t.equal(value?.length, 1_000_000)
    t.ok((value?.buffer.byteLength ?? 0) < 1_000_500, `${value?.buffer.byteLength} bytes`)
  }
  t.equal(parser.next()?.text(0), 'PING')
})

t.test('a browser in disguise is known by its first words', async (t) => {
  const parser = new RequestParser()
  parser.push(latin1('POST / HTTP/1.1\r\nHost: localhost\r\nGET / HTTP/1.1\r\n'))
  const found = [parser.next(), parser.next(), parser.next()]
  t.same(
    found.map((one) => one !== undefined && isCrossProtocol(one)),
    [true, true, false],
  )
})
