// Replies to the byte in both versions, as redis-parser and our own decoder read them, and how they
// are gathered: one write for a pipeline, no copy of what is large, nothing held by what is idle.

import RedisParser from 'redis-parser'
import t from 'tap'
import { type Bytes, utf8 } from '../../../src/base/bytes/bytes.js'
import { fail } from '../../../src/base/errors.js'
import {
  ReplyWriter,
  type RespVersion,
  respBlockBytes,
  respReferenceBytesMin,
} from '../../../src/protocol/resp/reply-writer.js'
import { runs } from '../../support/runs.js'
import { seed } from '../../support/seed.js'
import { seededRandom } from '../../support/seeded-random.js'
import { type Decoded, decodeReplies } from './reply-decoder.js'

function written(version: RespVersion, write: (writer: ReplyWriter) => void): Buffer {
  const writer = new ReplyWriter()
  writer.protocol = version
  write(writer)
  const { length } = writer
  const bytes = Buffer.concat(writer.take())
  if (bytes.length !== length) throw new Error(`length ${length}, taken ${bytes.length}`)
  return bytes
}

/** What writes one reply. */
type Write = (writer: ReplyWriter) => void

const encode = (version: RespVersion, write: Write) => written(version, write).toString('latin1')

const texts = (...items: readonly string[]): Write => {
  return (writer) => {
    for (const item of items) writer.bulkText(item)
  }
}

/** Two keys with their values. */
const pairs: Write = (writer) => {
  writer.bulkText('a')
  writer.integer(1)
  writer.bulkText('b')
  writer.double(2.5)
}

/** Each kind of reply: RESP2, and RESP3 where it differs. */
const golden: readonly [name: string, write: Write, resp2: string, resp3?: string][] = [
  ['bulk string', (w) => w.bulk(Uint8Array.of(0, 13, 10, 255)), '$4\r\n\0\r\n\xff\r\n'],
  ['empty bulk string', (w) => w.bulk(new Uint8Array(0)), '$0\r\n\r\n'],
  ['text', (w) => w.bulkText('ok'), '$2\r\nok\r\n'],
  ['UTF-8', (w) => w.bulkText('é'), '$2\r\n\xc3\xa9\r\n'],
  ['longer text', (w) => w.bulkText('x'.repeat(100)), `$100\r\n${'x'.repeat(100)}\r\n`],
  ['status', (w) => w.simple('OK'), '+OK\r\n'],
  ['status of two lines', (w) => w.simple('a\r\nb\n'), '+a  b \r\n'],
  ['status in UTF-8', (w) => w.simple('é'), '+\xc3\xa9\r\n'],
  ['error', (w) => w.error('ERR syntax error'), '-ERR syntax error\r\n'],
  ['long error', (w) => w.error(`ERR ${'é'.repeat(50)}`), `-ERR ${'\xc3\xa9'.repeat(50)}\r\n`],
  ['error of two lines', (w) => w.error('ERR a\r\n+b\r\n\n'), '-ERR a  +b\r\n'],
  ['error that echoes', (w) => w.error(Uint8Array.of(69, 255, 10, 39)), "-E\xff '\r\n"],
  ['zero', (w) => w.integer(0), ':0\r\n'],
  ['minus zero', (w) => w.integer(-0), ':0\r\n'],
  ['two digits', (w) => w.integer(10), ':10\r\n'],
  ['three digits', (w) => w.integer(999), ':999\r\n'],
  ['31 bits', (w) => w.integer(2_147_483_647), ':2147483647\r\n'],
  ['32 bits', (w) => w.integer(2_147_483_648), ':2147483648\r\n'],
  ['53 bits', (w) => w.integer(9_007_199_254_740_991), ':9007199254740991\r\n'],
  ['a negative', (w) => w.integer(-12), ':-12\r\n'],
  ['64 bits', (w) => w.integer(2n ** 63n - 1n), ':9223372036854775807\r\n'],
  ['the lowest', (w) => w.integer(-(2n ** 63n)), ':-9223372036854775808\r\n'],
  ['nil', (w) => w.null(), '$-1\r\n', '_\r\n'],
  ['nil array', (w) => w.nullArray(), '*-1\r\n', '_\r\n'],
  ['double', (w) => w.double(1.5), '$3\r\n1.5\r\n', ',1.5\r\n'],
  ['whole double', (w) => w.double(1), '$1\r\n1\r\n', ',1\r\n'],
  ['infinity', (w) => w.double(Infinity), '$3\r\ninf\r\n', ',inf\r\n'],
  ['minus infinity', (w) => w.double(-Infinity), '$4\r\n-inf\r\n', ',-inf\r\n'],
  ['true', (w) => w.boolean(true), ':1\r\n', '#t\r\n'],
  ['false', (w) => w.boolean(false), ':0\r\n', '#f\r\n'],
  [
    'big number',
    (w) => w.bigNumber(-(10n ** 20n)),
    `$22\r\n-1${'0'.repeat(20)}\r\n`,
    `(-1${'0'.repeat(20)}\r\n`,
  ],
  [
    'verbatim',
    (w) => w.verbatim('txt', 'a\r\né'),
    '$5\r\na\r\n\xc3\xa9\r\n',
    '=9\r\ntxt:a\r\n\xc3\xa9\r\n',
  ],
  [
    'array',
    (w) => {
      w.array(3)
      w.integer(1)
      w.array(2)
      w.bulkText('a')
      w.null()
      w.array(0)
    },
    '*3\r\n:1\r\n*2\r\n$1\r\na\r\n$-1\r\n*0\r\n',
    '*3\r\n:1\r\n*2\r\n$1\r\na\r\n_\r\n*0\r\n',
  ],
  [
    'map',
    (w) => {
      w.map(2)
      pairs(w)
    },
    '*4\r\n$1\r\na\r\n:1\r\n$1\r\nb\r\n$3\r\n2.5\r\n',
    '%2\r\n$1\r\na\r\n:1\r\n$1\r\nb\r\n,2.5\r\n',
  ],
  ['empty map', (w) => w.map(0), '*0\r\n', '%0\r\n'],
  [
    'set',
    (w) => {
      w.set(1)
      texts('a')(w)
    },
    '*1\r\n$1\r\na\r\n',
    '~1\r\n$1\r\na\r\n',
  ],
  [
    'push',
    (w) => {
      w.push(2)
      texts('message', 'c')(w)
    },
    '*2\r\n$7\r\nmessage\r\n$1\r\nc\r\n',
    '>2\r\n$7\r\nmessage\r\n$1\r\nc\r\n',
  ],
]

t.test('each type has its bytes in RESP2 and in RESP3', async (t) => {
  for (const [name, write, resp2, resp3 = resp2] of golden) {
    t.equal(encode(2, write), resp2, `${name}, RESP2`)
    t.equal(encode(3, write), resp3, `${name}, RESP3`)
  }
})

t.test('an attribute stands before its reply', async (t) => {
  const bytes = encode(3, (writer) => {
    writer.attribute(1)
    writer.bulkText('ttl')
    writer.integer(1)
    writer.bulkText('v')
  })
  t.equal(bytes, '|1\r\n$3\r\nttl\r\n:1\r\n$1\r\nv\r\n')
  t.same(decodeReplies(Buffer.from(bytes)), [{ type: 'attribute', value: ['ttl', 1n] }, 'v'])
})

t.test('the version is the one in force when a reply is written', async (t) => {
  const bytes = written(2, (writer) => {
    writer.array(2)
    writer.null()
    writer.protocol = 3
    writer.null()
  })
  t.equal(bytes.toString(), '*2\r\n$-1\r\n_\r\n')
})

t.test('redis-parser reads RESP2, wherever it is cut', async (t) => {
  const stream = written(2, (writer) => {
    for (const [, write] of golden) write(writer)
  })
  const whole = readWithRedisParser([stream])
  t.equal(whole.length, golden.length)
  t.same(whole, decodeReplies(stream).map(asRedisParser))
  for (let cut = 1; cut < stream.length; cut++) {
    const read = readWithRedisParser([stream.subarray(0, cut), stream.subarray(cut)])
    if (JSON.stringify(read) !== JSON.stringify(whole)) t.same(read, whole, `cut at ${cut}`)
  }
})

function readWithRedisParser(chunks: readonly Buffer[]): unknown[] {
  const read: unknown[] = []
  const parser = new RedisParser({
    returnReply: (reply) => read.push(plain(reply)),
    returnError: (error) => read.push(plain(error)),
    returnFatalError: (error) => {
      throw error
    },
    returnBuffers: true,
    stringNumbers: true,
  })
  for (const chunk of chunks) parser.execute(Buffer.from(chunk))
  return read
}

/** Buffers as text of one character a byte, errors as their text. */
function plain(reply: unknown): unknown {
  if (Array.isArray(reply)) return reply.map(plain)
  if (Buffer.isBuffer(reply)) return reply.toString('latin1')
  return reply instanceof Error ? `error ${reply.message}` : reply
}

/** What redis-parser makes of a reply: it knows no statuses, and errors are UTF-8. */
function asRedisParser(reply: Decoded): unknown {
  if (Array.isArray(reply)) return reply.map(asRedisParser)
  if (typeof reply === 'bigint') return String(reply)
  if (typeof reply !== 'object' || reply === null || !('type' in reply)) return reply
  if (reply.type === 'error') {
    return `error ${Buffer.from(String(reply.value), 'latin1').toString('utf8')}`
  }
  return reply.value
}

t.test('random replies are read back as what they were', async (t) => {
  const random = seededRandom(seed)
  for (let round = 0; round < runs(2_000); round++) {
    const samples = Array.from({ length: 1 + Math.floor(random() * 5) }, () => sample(random, 3))
    for (const version of [2, 3] as const) {
      const stream = written(version, (writer) => {
        for (const { write } of samples) write(writer)
      })
      const expected = samples.map(({ seen }) => seen(version))
      const read = decodeReplies(stream)
      if (jsonOf(read) !== jsonOf(expected)) {
        t.same(read, expected, `RESP${version}, seed ${seed}, round ${round}`)
        return
      }
    }
  }
  t.pass(`seed ${seed}`)
})

function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? `${item}n` : item))
}

/** A reply: how it is written, and what a decoder must see. */
interface Sample {
  readonly write: Write
  seen(version: RespVersion): Decoded
}

function sample(random: () => number, depth: number): Sample {
  const below = (bound: number) => Math.floor(random() * bound)
  const many = (each: number) =>
    Array.from({ length: each * below(4) }, () => sample(random, depth - 1))
  switch (below(depth > 0 ? 12 : 8)) {
    case 0: {
      const length = below(random() < 0.02 ? 40_000 : 60)
      const bytes = Uint8Array.from({ length }, () => below(256))
      return { write: (w) => w.bulk(bytes), seen: () => Buffer.from(bytes).toString('latin1') }
    }
    case 1: {
      const text = 'é'.repeat(below(3)) + 'x'.repeat(below(40))
      return { write: (w) => w.bulkText(text), seen: () => Buffer.from(text).toString('latin1') }
    }
    case 2: {
      const value = Math.floor((random() - 0.5) * 10 ** below(16))
      return { write: (w) => w.integer(value), seen: () => BigInt(value) }
    }
    case 3: {
      const product = BigInt(below(2 ** 32)) * BigInt(below(2 ** 32))
      const value = BigInt.asIntN(64, product - BigInt(below(9)))
      return { write: (w) => w.integer(value), seen: () => value }
    }
    case 4:
      return {
        write: (w) => w.null(),
        seen: (version) => (version === 3 ? null : { type: 'null bulk', value: null }),
      }
    case 5: {
      const value = random() < 0.5
      return {
        write: (w) => w.boolean(value),
        seen: (version) => (version === 3 ? value : BigInt(value)),
      }
    }
    case 6: {
      const text = 'OK '.repeat(below(20))
      return { write: (w) => w.simple(text), seen: () => ({ type: 'simple', value: text }) }
    }
    case 7: {
      const text = 'é\r\n'.repeat(below(9))
      const bytes = Buffer.from(text).toString('latin1')
      return {
        write: (w) => w.verbatim('txt', text),
        seen: (version) => (version === 3 ? { type: 'verbatim', value: `txt:${bytes}` } : bytes),
      }
    }
    case 8:
      return aggregate('map', 2, many(2))
    case 9:
      return aggregate('set', 1, many(1))
    case 10:
      return aggregate('push', 1, many(1))
    default:
      return aggregate('array', 1, many(1))
  }
}

function aggregate(
  type: 'map' | 'set' | 'push' | 'array',
  each: number,
  items: readonly Sample[],
): Sample {
  return {
    write: (writer) => {
      writer[type](items.length / each)
      for (const { write } of items) write(writer)
    },
    seen: (version) => {
      const value = items.map(({ seen }) => seen(version))
      return version === 2 || type === 'array' ? value : { type, value }
    },
  }
}

t.test('what clients do not have, or what is none, is our mistake', async (t) => {
  const writer = new ReplyWriter()
  t.throws(() => writer.attribute(1), /RESP2 has no attributes/)
  t.throws(() => writer.integer(1.5), /assertion failed/)
  t.throws(() => writer.integer(2 ** 53), /assertion failed/)
  t.throws(() => writer.integer(2n ** 63n), /assertion failed/)
  t.throws(() => writer.integer(Number.NaN), /assertion failed/)
  t.throws(() => writer.map(1.5), /assertion failed/)
  writer.protocol = 3
  t.throws(() => writer.verbatim('text', 'x'), /assertion failed/)
})

t.test('a protocol error echoes the byte that came', async (t) => {
  const error = fail('ProtocolError', "Protocol error: expected '$', got '\xe9'")
  const bytes = written(2, (writer) => writer.protocolError(error))
  t.equal(bytes.toString('latin1'), "-ERR Protocol error: expected '$', got '\xe9'\r\n")
})

t.test('the replies of a pipeline are one piece', async (t) => {
  const writer = new ReplyWriter()
  for (let index = 0; index < 16; index++) {
    writer.ok()
    writer.bulk(new Uint8Array(64))
  }
  t.equal(writer.take().length, 1)
  t.equal(writer.length, 0)
  t.same(writer.take(), [])
})

t.test('small replies fill whole blocks', async (t) => {
  const writer = new ReplyWriter()
  const count = 20_000
  for (let index = 0; index < count; index++) writer.integer(index)
  const pieces = writer.take()
  t.equal(Buffer.concat(pieces).toString().split('\r\n').length, count + 1)
  const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0)
  t.ok(pieces.length <= Math.ceil(bytes / (respBlockBytes - 32)) + 1, `${pieces.length} pieces`)
})

t.test('a large bulk string is sent from where it lies, a small one is copied', async (t) => {
  const writer = new ReplyWriter()
  const large = new Uint8Array(respReferenceBytesMin).fill(7)
  const small = new Uint8Array(respReferenceBytesMin - 1).fill(8)
  writer.ok()
  writer.bulk(large)
  writer.bulk(small)
  writer.ok()
  const pieces = writer.take()
  t.equal(pieces[1], large)
  t.notOk(pieces.some((piece) => piece.buffer === small.buffer))
  const header = `+OK\r\n$${large.length}\r\n`
  t.equal(Buffer.from(pieces[0] ?? []).toString(), header)
  const whole = Buffer.concat(pieces)
  t.equal(
    whole
      .subarray(header.length + large.length)
      .subarray(0, 8)
      .toString(),
    '\r\n$8191\r',
  )
  t.ok(whole.toString('latin1').endsWith('\x08\r\n+OK\r\n'))
})

t.test('a part of bytes is written as if it stood alone', async (t) => {
  for (const length of [0, 5, 100, respReferenceBytesMin + 5]) {
    const bytes = Uint8Array.from({ length: length + 20 }, (_, index) => index)
    const part = written(2, (writer) => writer.bulk(bytes, 10, 10 + length))
    const alone = written(2, (writer) => writer.bulk(bytes.slice(10, 10 + length)))
    t.ok(part.equals(alone), `${length} bytes`)
  }
})

t.test('bytes that are encoded already go to many writers', async (t) => {
  const message = utf8('>2\r\n$1\r\na\r\n$1\r\nb\r\n')
  const writers = [new ReplyWriter(), new ReplyWriter()]
  for (const writer of writers) {
    writer.ok()
    writer.raw(message)
  }
  for (const writer of writers) {
    t.equal(Buffer.concat(writer.take()).toString(), `+OK\r\n${Buffer.from(message)}`)
  }
})

t.test('writers in turns never write where another wrote', async (t) => {
  const writers = Array.from({ length: 5 }, () => new ReplyWriter())
  const taken: Bytes[][] = writers.map(() => [])
  const random = seededRandom(7)
  const expected = writers.map(() => '')
  for (let round = 0; round < 5_000; round++) {
    const index = Math.floor(random() * writers.length)
    const text = `${index}:${round}:${'x'.repeat(Math.floor(random() * (round % 100 === 0 ? 20_000 : 50)))}`
    writers[index]?.bulkText(text)
    expected[index] += `$${text.length}\r\n${text}\r\n`
    if (random() < 0.5) taken[index]?.push(...(writers[index]?.take() ?? []))
  }
  for (const [index, writer] of writers.entries()) {
    const all = Buffer.concat([...(taken[index] ?? []), ...writer.take()]).toString()
    t.ok(all === expected[index], `writer ${index}`)
  }
})
