// Messages of clients: golden bytes of the protocol's documentation, every message with fields by
// chance, and messages cut short, damaged or made of garbage.

import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import t from 'tap'
import {
  formatAt,
  parseMessage,
  parseSaslInitial,
  requireResultFormats,
} from '../../../src/protocol/pgwire/client-message.js'
import { type Frame, MessageSplitter } from '../../../src/protocol/pgwire/message-splitter.js'
import { parseStartup } from '../../../src/protocol/pgwire/startup.js'
import { runs } from '../../support/runs.js'
import { bind, counted, int16, int32, message, parse, startup, text } from './frontend.js'
import { isAnswered, refuses } from './refusal.js'

const types = 'QPBDECHSXdcfF'

function read(bytes: Uint8Array): unknown {
  const splitter = new MessageSplitter()
  splitter.phase = 'session'
  splitter.push(new Uint8Array(bytes))
  const frame = splitter.next()
  return frame && parseMessage(frame)
}

function hex(digits: string): Buffer {
  return Buffer.from(digits.replaceAll(' ', ''), 'hex')
}

t.test('golden bytes of each message', async (t) => {
  t.same(read(hex('51 0000000d 53454c4543542031 00')), { kind: 'query', text: 'SELECT 1' })
  t.same(read(hex('50 00000017 733100 53454c454354202431 00 0001 00000017')), {
    kind: 'parse',
    statement: 's1',
    text: 'SELECT $1',
    types: [23],
  })
  const bound = hex('42 0000001e 7000 733100 0002 0000 0001 0002 00000001 35 ffffffff 0001 0001')
  t.same(read(bound), {
    kind: 'bind',
    portal: 'p',
    statement: 's1',
    parameters: [Uint8Array.of(0x35), undefined],
    parameterFormats: ['text', 'binary'],
    resultFormats: ['binary'],
  })
  t.same(read(hex('44 00000008 53 733100')), { kind: 'describe', target: 'statement', name: 's1' })
  t.same(read(hex('44 00000006 50 00')), { kind: 'describe', target: 'portal', name: '' })
  t.same(read(hex('45 00000009 00 00000064')), { kind: 'execute', portal: '', rowsMax: 100 })
  t.same(read(hex('45 00000009 00 ffffffff')), { kind: 'execute', portal: '', rowsMax: 0 })
  t.same(read(hex('43 00000007 50 7000')), { kind: 'close', target: 'portal', name: 'p' })
  t.same(read(hex('48 00000004')), { kind: 'flush' })
  t.same(read(hex('53 00000004')), { kind: 'sync' })
  t.same(read(hex('58 00000004')), { kind: 'terminate' })
  t.same(read(hex('64 00000006 0102')), { kind: 'copy' })
  t.same(read(hex('63 00000004')), { kind: 'copy' })
  t.same(read(hex('66 00000005 00')), { kind: 'copy' })
})

t.test('a recorded login and query of psql', async (t) => {
  const recorded = JSON.parse(readFileSync('protocol-fixtures/pgwire/psql-15.json', 'utf8'))
  const splitter = new MessageSplitter()
  for (const frame of recorded.frames) splitter.push(hex(frame.hex))
  const next = () => splitter.next() as Frame
  t.same(parseStartup(next().body), { kind: 'ssl' })
  t.match(parseStartup(next().body), {
    user: '0xabc',
    database: 'main',
    parameters: new Map([['application_name', 'psql']]),
    isNewer: false,
  })
  splitter.phase = 'login'
  const { mechanism, response } = parseSaslInitial(next().body)
  t.equal(mechanism, 'SCRAM-SHA-256')
  // The name is in the start-up packet: here it is empty.
  t.match(Buffer.from(response ?? []).toString(), /^n,,n=,r=\S{24}$/)
  t.match(Buffer.from(next().body).toString(), /^c=biws,r=\S+servernonce123456,p=\S{44}$/)
  splitter.phase = 'session'
  t.same(parseMessage(next()), { kind: 'query', text: 'select 1' })
  t.same(parseMessage(next()), { kind: 'terminate' })
  t.equal(splitter.hasRest, false)
})

t.test('a first answer of SASL has a mechanism and may have a word', async (t) => {
  const first = Buffer.from('n,,n=,r=abc')
  const body = Buffer.concat([text('SCRAM-SHA-256'), counted(first)])
  t.same(parseSaslInitial(body), { mechanism: 'SCRAM-SHA-256', response: new Uint8Array(first) })
  const silent = Buffer.concat([text('SCRAM-SHA-256'), counted(undefined)])
  t.same(parseSaslInitial(silent), { mechanism: 'SCRAM-SHA-256', response: undefined })
  for (let end = 0; end < body.length; end++) {
    refuses(t, () => parseSaslInitial(body.subarray(0, end)), { severity: 'FATAL' })
  }
  refuses(t, () => parseSaslInitial(Buffer.concat([body, Buffer.of(0)])), { severity: 'FATAL' })
})

t.test('start-up packets', async (t) => {
  const of = (digits: string) => parseStartup(hex(digits))
  t.same(of('04d2162f'), { kind: 'ssl' })
  t.same(of('04d21630'), { kind: 'gss' })
  t.same(of('04d2162e 00000007 01020304'), {
    kind: 'cancel',
    processId: 7,
    secret: Uint8Array.of(1, 2, 3, 4),
  })
  t.same(of('00030000 7573657200 616e6e00 00'), {
    kind: 'startup',
    user: 'ann',
    database: 'ann',
    parameters: new Map([['user', 'ann']]),
    isNewer: false,
    unknownOptions: [],
  })
  const newer = startup(196610, { user: 'a', database: 'd', '_pq_.x': '1', application_name: 'é' })
  t.same(parseStartup(newer.subarray(4)), {
    kind: 'startup',
    user: 'a',
    database: 'd',
    parameters: new Map([
      ['user', 'a'],
      ['database', 'd'],
      ['application_name', 'é'],
    ]),
    isNewer: true,
    unknownOptions: ['_pq_.x'],
  })
  for (const version of [196608, 196610, 206607]) {
    const packet = parseStartup(startup(version, { user: 'a' }).subarray(4))
    t.match(packet, { user: 'a', isNewer: version > 196608 })
  }
})

t.test('start-up packets that are none', async (t) => {
  const refused = (bytes: Uint8Array, sqlState: string) =>
    refuses(t, () => parseStartup(bytes), { sqlState, severity: 'FATAL' })
  refused(hex('00020000 00'), '0A000')
  refused(hex('00040000 00'), '0A000')
  refused(hex('00030000 00'), '28000')
  refused(hex('00030000 7573657200 00 00'), '28000')
  refused(hex('04d2162f 00'), '08P01')
  refused(hex('04d2162e 00000007 010203'), '08P01')
  refused(Buffer.concat([hex('04d2162e 00000007'), Buffer.alloc(257)]), '08P01')
  refused(hex('00030000 75736572ff00 616e6e00 00'), '08P01')
  refused(hex('00030000 7573657200 616e6e00 00 01'), '08P01')
  const whole = startup(196608, { user: 'ann', database: 'd' }).subarray(4)
  for (let end = 0; end < whole.length; end++) refused(whole.subarray(0, end), '08P01')
})

t.test('a message that is cut short or goes on is an error of the message alone', async (t) => {
  const fields = { portal: 'p', statement: 's', formats: [0], values: [text('x')], results: [1] }
  const whole = [
    message('Q', text('SELECT 1')),
    parse('s', 'SELECT $1', [23, 0]),
    bind(fields),
    message('D', Buffer.from('S'), text('s')),
    message('E', text('p'), int32(5)),
    message('C', Buffer.from('P'), text('p')),
  ]
  for (const bytes of whole) {
    const type = bytes.readUInt8(0)
    for (let end = 5; end < bytes.length; end++) {
      const cut = { type, body: bytes.subarray(5, end) }
      refuses(t, () => parseMessage(cut), { sqlState: '08P01', severity: 'ERROR' })
    }
    const longer = { type, body: Buffer.concat([bytes.subarray(5), Buffer.of(1)]) }
    refuses(t, () => parseMessage(longer), { message: 'invalid message format' })
  }
})

t.test('formats: none is text, one is for all, others are one each', async (t) => {
  t.equal(formatAt([], 3), 'text')
  t.equal(formatAt(['binary'], 3), 'binary')
  t.equal(formatAt(['text', 'binary'], 1), 'binary')
  requireResultFormats([], 3)
  requireResultFormats(['text'], 3)
  refuses(t, () => requireResultFormats(['text', 'text'], 3), { sqlState: '08P01' })
  const odd = { portal: '', statement: '', formats: [0, 0], values: [undefined], results: [] }
  refuses(t, () => read(bind(odd)), {
    message: 'bind message has 2 parameter formats but 1 parameters',
  })
  refuses(t, () => read(bind({ ...odd, formats: [2] })), {
    message: 'unsupported format code: 2',
    sqlState: '22023',
  })
  refuses(t, () => read(message('D', Buffer.from('x'), text(''))), {
    message: 'invalid DESCRIBE message subtype 120',
  })
  refuses(t, () => read(message('Q', Buffer.of(0xff, 0))), { sqlState: '22021' })
  refuses(t, () => read(message('F', int32(1), int16(0))), { sqlState: '0A000' })
})

const name = fc.string({ unit: 'grapheme', maxLength: 20 }).map((s) => s.replaceAll('\0', ''))
const bytes = fc.uint8Array({ maxLength: 40 })

t.test('messages with fields by chance are read as they were written', async () => {
  fc.assert(
    fc.property(name, name, fc.array(fc.nat()), (statement, query, types) => {
      const expected = { kind: 'parse', statement, text: query, types }
      t.strictSame(read(parse(statement, query, types)), expected)
    }),
    { numRuns: runs(100) },
  )
  const bound = fc.record({
    portal: name,
    statement: name,
    values: fc.array(fc.option(bytes, { nil: undefined }), { maxLength: 8 }),
    format: fc.constantFrom(0, 1),
    results: fc.array(fc.constantFrom(0, 1), { maxLength: 8 }),
  })
  const formatNames = ['text', 'binary']
  fc.assert(
    fc.property(bound, ({ portal, statement, values, format, results }) => {
      const formats = values.map(() => format)
      t.strictSame(read(bind({ portal, statement, formats, values, results })), {
        kind: 'bind',
        portal,
        statement,
        parameters: values,
        parameterFormats: formats.map((code) => formatNames[code]),
        resultFormats: results.map((code) => formatNames[code]),
      })
    }),
    { numRuns: runs(100) },
  )
})

t.test('garbage is refused with an SQLSTATE or read, and nothing else', async (t) => {
  const type = fc.constantFrom(...types).map((letter) => letter.charCodeAt(0))
  const body = fc.uint8Array({ maxLength: 60 })
  fc.assert(
    fc.property(type, body, (type, body) => isAnswered(() => parseMessage({ type, body }))),
    { numRuns: runs(2000) },
  )
  const version = fc.constantFrom(196608, 196610, 80877102, 80877103, 5)
  fc.assert(
    fc.property(version, body, (version, body) =>
      isAnswered(() => parseStartup(Buffer.concat([int32(version), body]))),
    ),
    { numRuns: runs(1000) },
  )
  fc.assert(
    fc.property(body, (body) => isAnswered(() => parseSaslInitial(body))),
    { numRuns: runs(500) },
  )
  const phase = fc.constantFrom('start', 'login', 'session')
  fc.assert(
    fc.property(phase, fc.array(body), (phase, chunks) => {
      const splitter = new MessageSplitter()
      splitter.phase = phase as 'start'
      return isAnswered(() => {
        for (const chunk of chunks) {
          splitter.push(chunk)
          while (splitter.next() !== undefined);
        }
      })
    }),
    { numRuns: runs(1000) },
  )
  t.pass('looked')
})
