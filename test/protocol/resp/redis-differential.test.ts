// The codec beside a real redis-server: the same bytes go to both, and the bytes that come back
// must be the same. Ours is the codec with the few commands that random streams hold.

import t from 'tap'
import type { GatewayError } from '../../../src/base/errors.js'
import { ReplyWriter, type RespVersion } from '../../../src/protocol/resp/reply-writer.js'
import type { RespRequest } from '../../../src/protocol/resp/request.js'
import { RequestParser } from '../../../src/protocol/resp/request-parser.js'
import { RandomRequests } from '../../fuzz/random-requests.js'
import { runs } from '../../support/runs.js'
import { seed } from '../../support/seed.js'
import { seededRandom } from '../../support/seeded-random.js'
import { RedisServer, redisServerMissing } from './redis-server.js'
import { refusals } from './refusals.js'
import { latin1, request } from './requests.js'

const missing = await redisServerMissing()
/**
 * What the reference server reads at once: when it refuses a longer stream, the rest resets the
 * connection.
 */
const readBytesMax = 16_384
/** In continuous integration nothing may be left out. */
const skip = missing !== undefined && process.env.CI !== 'true' ? missing : false

t.test('a refusal has the bytes of the reference server', { skip }, async (t) => {
  const open = await RedisServer.open()
  const locked = await RedisServer.open('--requirepass', 'secret')
  t.teardown(() => Promise.all([open.close(), locked.close()]))
  for (const { name, input, text, authenticated = true } of refusals) {
    const theirs = await (authenticated ? open : locked).answer(latin1(input))
    t.equal(theirs.toString('latin1'), `-ERR Protocol error: ${text}\r\n`, name)
    t.equal(ours(latin1(input), authenticated), theirs.toString('latin1'), name)
  }
})

t.test(`random streams have the replies of the peer (seed ${seed})`, { skip }, async (t) => {
  const server = await RedisServer.open()
  t.teardown(() => server.close())
  const requests = new RandomRequests(seededRandom(seed))
  let bytes = 0
  for (let index = 0; index < runs(500); index++) {
    const stream = requests.stream()
    if (stream.length > readBytesMax) continue
    const theirs = (await server.answer(stream)).toString('latin1')
    const mine = ours(stream, true)
    if (mine !== theirs) {
      t.equal(mine, theirs, `case ${index}: ${JSON.stringify(stream.toString('latin1'))}`)
      return
    }
    bytes += theirs.length
  }
  t.ok(bytes > 10_000, `${bytes} bytes of replies`)
})

/** What the codec answers to a stream, up to its end or the first protocol error. */
function ours(stream: Buffer, authenticated: boolean): string {
  const parser = new RequestParser()
  parser.authenticated = authenticated
  const writer = new ReplyWriter()
  parser.push(stream)
  try {
    for (let next = parser.next(); next !== undefined; next = parser.next()) {
      answer(writer, next)
    }
  } catch (error) {
    writer.protocolError(error as GatewayError)
  }
  return Buffer.concat(writer.take()).toString('latin1')
}

function answer(writer: ReplyWriter, command: RespRequest): void {
  const { count } = command
  if (command.is(0, 'echo') || command.is(0, 'ping')) {
    const isEcho = command.is(0, 'echo')
    if (count === 2) writer.bulk(command.view(1))
    else if (count > 2 || isEcho) {
      writer.error(`ERR wrong number of arguments for '${isEcho ? 'echo' : 'ping'}' command`)
    } else writer.simple('PONG')
    return
  }
  let words = ''
  for (let index = 1; index < count && words.length < 128; index++) {
    words += `'${shown(command, index, 128 - words.length)}' `
  }
  const text = `unknown command '${shown(command, 0, 128)}', with args beginning with: ${words}`
  writer.error(latin1(`ERR ${text}`))
}

/** As C prints a string: up to a zero byte. */
function shown(command: RespRequest, index: number, lengthMax: number): string {
  const text = Buffer.from(command.view(index)).toString('latin1')
  return (text.split('\0')[0] ?? '').slice(0, lengthMax)
}

type Write = (writer: ReplyWriter) => void

/** DEBUG PROTOCOL of the reference server answers one reply of each type. */
const types: readonly [name: string, write: Write][] = [
  ['string', (w) => w.bulkText('Hello World')],
  ['integer', (w) => w.integer(12345)],
  ['double', (w) => w.double(3141 / 1000)],
  ['null', (w) => w.null()],
  [
    'array',
    (w) => {
      w.array(3)
      countTo(w, 3)
    },
  ],
  [
    'set',
    (w) => {
      w.set(3)
      countTo(w, 3)
    },
  ],
  [
    'map',
    (w) => {
      w.map(3)
      for (let key = 0; key < 3; key++) {
        w.integer(key)
        w.boolean(key === 1)
      }
    },
  ],
  [
    'attrib',
    (w) => {
      if (w.protocol === 3) {
        w.attribute(1)
        w.bulkText('key-popularity')
        w.array(2)
        w.bulkText('key:123')
        w.integer(90)
      }
      w.bulkText('Some real reply following the attribute')
    },
  ],
  ['verbatim', (w) => w.verbatim('txt', 'This is a verbatim\nstring')],
  ['true', (w) => w.boolean(true)],
  ['false', (w) => w.boolean(false)],
  ['bignum', (w) => w.bigNumber(1234567999999999999999999999999999999n)],
]

function countTo(writer: ReplyWriter, end: number): void {
  for (let value = 0; value < end; value++) writer.integer(value)
}

t.test('each type of reply has the bytes of the reference server', { skip }, async (t) => {
  const server = await RedisServer.open('--enable-debug-command', 'yes')
  t.teardown(() => server.close())
  for (const version of [2, 3] as const) {
    for (const [name, write] of types) {
      const theirs = await server.answer(
        Buffer.concat([hello(version), request('DEBUG', 'PROTOCOL', name)]),
      )
      t.ok(theirs.toString().endsWith(`\r\n${encoded(version, write)}`), `${name}, RESP${version}`)
    }
  }
  const pushed = await server.answer(
    Buffer.concat([hello(3), request('DEBUG', 'PROTOCOL', 'push')]),
  )
  const push = encoded(3, (writer) => {
    writer.push(2)
    writer.bulkText('server-cpu-usage')
    writer.integer(42)
    writer.bulkText('Some real reply following the push reply')
  })
  t.ok(pushed.toString().endsWith(`\r\n${push}`))
})

t.test(`doubles have the digits of the peer (seed ${seed})`, { skip }, async (t) => {
  const server = await RedisServer.open()
  t.teardown(() => server.close())
  const values = [...randomDoubles(runs(2_000)), 0, Infinity, -Infinity, 2 ** -25, 1e17, 1e16]
  for (const version of [2, 3] as const) {
    const read = async (from: number) => {
      const some = values.slice(from, from + 100)
      const theirs = await server.answer(
        Buffer.concat([hello(version), ...[0, ...some].flatMap(scored)]),
      )
      const mine = some.map((value) => `:1\r\n:1\r\n${encoded(version, (w) => w.double(value))}`)
      const text = theirs.toString()
      if (!text.endsWith(mine.join(''))) t.equal(text.slice(-mine.join('').length), mine.join(''))
    }
    for (let from = 0; from < values.length; from += 100) await read(from)
  }
  t.pass(`${values.length} doubles`)
})

/** Sets a score, new each time, and reads it: two ones and the double. */
function scored(value: number): Buffer[] {
  let text = value.toExponential(20)
  if (!Number.isFinite(value)) text = value > 0 ? 'inf' : '-inf'
  return [request('DEL', 'z'), request('ZADD', 'z', text, 'm'), request('ZSCORE', 'z', 'm')]
}

function randomDoubles(count: number): number[] {
  const random = seededRandom(seed)
  const view = new DataView(new ArrayBuffer(8))
  return Array.from({ length: count }, (_, index) => {
    if (index % 3 === 0) return (random() - 0.5) * 10 ** Math.floor(random() * 25 - 6)
    if (index % 3 === 1) return Math.floor(random() * 1_000) / 2 ** Math.floor(random() * 60)
    view.setUint32(0, random() * 2 ** 32)
    view.setUint32(4, random() * 2 ** 32)
    const value = view.getFloat64(0)
    return Number.isFinite(value) ? value : index
  })
}

function hello(version: RespVersion): Buffer {
  return request('HELLO', String(version))
}

function encoded(version: RespVersion, write: Write): string {
  const writer = new ReplyWriter()
  writer.protocol = version
  write(writer)
  return Buffer.concat(writer.take()).toString()
}
