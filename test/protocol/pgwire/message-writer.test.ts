// What the server says: golden bytes of the protocol's documentation, and each message through a
// reader that was written from it alone.

import fc from 'fast-check'
import t from 'tap'
import { fail } from '../../../src/base/errors.js'
import { pgColumnsMax } from '../../../src/base/limits/sql.js'
import { sqlStateOf } from '../../../src/base/sql-state.js'
import { errorFields } from '../../../src/protocol/pgwire/error-fields.js'
import { MessageWriter } from '../../../src/protocol/pgwire/message-writer.js'
import { fatalError } from '../../../src/protocol/pgwire/pg-error.js'
import { pgTypes, typeOfOid } from '../../../src/protocol/pgwire/types.js'
import { runs } from '../../support/runs.js'
import { readMessages } from './backend.js'
import { refuses } from './refusal.js'

function written(write: (writer: MessageWriter) => void): Uint8Array {
  const writer = new MessageWriter()
  write(writer)
  return writer.take()
}

function hexOf(write: (writer: MessageWriter) => void): string {
  return Buffer.from(written(write)).toString('hex')
}

t.test('golden bytes: a login', async (t) => {
  const golden: readonly (readonly [(w: MessageWriter) => void, string])[] = [
    [(w) => w.encryption(false), '4e'],
    [(w) => w.encryption(true), '53'],
    [
      (w) => w.authenticationSasl(['SCRAM-SHA-256']),
      '52 00000017 0000000a 534352414d2d5348412d32353600 00',
    ],
    [(w) => w.saslContinue(Buffer.from('r=a')), '52 0000000b 0000000b 723d61'],
    [(w) => w.saslFinal(Buffer.from('v=b')), '52 0000000b 0000000c 763d62'],
    [(w) => w.authenticationOk(), '52 00000008 00000000'],
    [(w) => w.negotiateVersion(['_pq_.x']), '76 00000013 00030000 00000001 5f70715f2e7800'],
    [(w) => w.parameterStatus('TimeZone', 'UTC'), '53 00000011 54696d655a6f6e6500 55544300'],
    [(w) => w.backendKeyData(7, Buffer.of(1, 2, 3, 4)), '4b 0000000c 00000007 01020304'],
    [(w) => w.readyForQuery('I'), '5a 00000005 49'],
  ]
  for (const [write, digits] of golden) t.equal(hexOf(write), digits.replaceAll(' ', ''))
})

t.test('golden bytes: SELECT 1', async (t) => {
  const digits = hexOf((w) => {
    w.rowDescription([{ name: '?column?', type: 'int4', format: 'text' }])
    w.openRow(1)
    w.field('1')
    w.closeRow()
    w.commandComplete('SELECT 1')
    w.readyForQuery('I')
  })
  t.equal(
    digits,
    [
      '54 00000021 0001 3f636f6c756d6e3f00 00000000 0000 00000017 0004 ffffffff 0000',
      '44 0000000b 0001 00000001 31',
      '43 0000000d 53454c454354203100',
      '5a 00000005 49',
    ]
      .join('')
      .replaceAll(' ', ''),
  )
})

t.test('golden bytes: the messages without fields, parameters, an error', async (t) => {
  const empty = hexOf((w) => {
    w.parseComplete()
    w.bindComplete()
    w.closeComplete()
    w.noData()
    w.portalSuspended()
    w.emptyQueryResponse()
  })
  t.equal(empty, [...'123nsI'].map((type) => `${type.charCodeAt(0).toString(16)}00000004`).join(''))
  const parameters = hexOf((w) => w.parameterDescription(['text', 'int8']))
  t.equal(parameters, '740000000e00020000001900000014')
  const error = hexOf((w) =>
    w.errorResponse({ severity: 'ERROR', sqlState: '42601', message: 'no', position: 3 }),
  )
  t.equal(
    error,
    '45 00000021 53 4552524f5200 56 4552524f5200 43 343236303100 4d 6e6f00 50 3300 00'.replaceAll(
      ' ',
      '',
    ),
  )
})

t.test('an error has its fields in the order of the reference server, a notice too', async (t) => {
  const fields = {
    severity: 'WARNING',
    sqlState: '01000',
    message: 'm\0n',
    detail: 'd',
    hint: 'h',
    position: 1,
    internalPosition: 2,
    internalQuery: 'iq',
    where: 'w',
    schema: 's',
    table: 't',
    column: 'c',
    dataType: 'dt',
    constraint: 'n',
    file: 'f',
    line: 3,
    routine: 'r',
  } as const
  const shown = [
    ...['SWARNING', 'VWARNING', 'C01000', 'Mm\ufffdn', 'Dd', 'Hh', 'P1', 'p2', 'qiq', 'Ww'],
    ...['ss', 'tt', 'cc', 'ddt', 'nn', 'Ff', 'L3', 'Rr'],
  ]
  const bytes = written((w) => {
    w.errorResponse(fields)
    w.noticeResponse(fields)
  })
  t.same(readMessages(bytes), [
    ['ErrorResponse', shown],
    ['NoticeResponse', shown],
  ])
})

t.test('errors of ours have the SQLSTATE of their kind', async (t) => {
  const states = [
    [fail('DuplicateKey', 'x'), '23505'],
    [fail('DocumentValidationFailure', 'x'), '23514'],
    [fail('NamespaceNotFound', 'x'), '42P01'],
    [fail('IndexNotFound', 'x'), '42704'],
    [fail('NamespaceExists', 'x'), '42P07'],
    [fail('Unauthorized', 'x'), '42501'],
    [fail('AuthenticationFailed', 'x'), '28P01'],
    [fail('MaxTimeMSExpired', 'x'), '57014'],
    [fail('IngressRequestRateLimitExceeded', 'x'), '53400'],
    [fail('ShutdownInProgress', 'x'), '57P01'],
    [fail('ProtocolError', 'x'), '08P01'],
    [fail('InternalError', 'x'), 'XX000'],
    [fail('HostUnreachable', 'x'), 'XX000'],
    [fail('BadValue', 'x'), '22023'],
    [fail('Location16610', 'x'), '22023'],
    [fail('BadValue', 'x', { sqlState: '22012' }), '22012'],
  ] as const
  for (const [error, state] of states) t.equal(sqlStateOf(error), state, error.codeName)
  t.match(errorFields(fail('BadValue', 'x', { sqlState: '42601', position: 4, hint: 'h' })), {
    severity: 'ERROR',
    sqlState: '42601',
    message: 'x',
    position: 4,
    hint: 'h',
  })
  t.equal(errorFields(fatalError('x')).severity, 'FATAL')
  t.equal(errorFields(fail('AuthenticationFailed', 'x'), true).severity, 'FATAL')
})

t.test('a row that an error cuts off leaves no trace', async (t) => {
  const bytes = written((w) => {
    w.bindComplete()
    w.openRow(2)
    w.field('a')
    t.equal(w.length, 5)
    w.errorResponse({ severity: 'ERROR', sqlState: '42804', message: 'no' })
  })
  t.same(
    readMessages(bytes).map(([name]) => name),
    ['BindComplete', 'ErrorResponse'],
  )
})

t.test('more columns than clients count are refused, and nothing is written', async (t) => {
  const columns = Array.from({ length: pgColumnsMax + 1 }, (_, i) => {
    return { name: `c${i}`, type: 'text', format: 'text' } as const
  })
  const writer = new MessageWriter()
  refuses(t, () => writer.rowDescription(columns), { sqlState: '54011' })
  t.equal(writer.length, 0)
  writer.rowDescription(columns.slice(1))
  const [[, described] = []] = readMessages(writer.take())
  t.equal((described as unknown[]).length, pgColumnsMax)
})

t.test('every type is found by its number', async (t) => {
  for (const [name, { oid }] of Object.entries(pgTypes)) t.equal(typeOfOid(oid), name)
  t.equal(typeOfOid(0), 'unknown')
  t.equal(typeOfOid(99999), undefined)
})

t.test('rows and descriptions by chance are read as they were written', async () => {
  const form = fc.option(fc.oneof(fc.string({ unit: 'binary' }), fc.uint8Array()), {
    nil: undefined,
  })
  const shown = (field: string | Uint8Array | undefined) =>
    field === undefined ? null : Buffer.from(field as string).toString('latin1')
  fc.assert(
    fc.property(fc.array(fc.array(form)), (rows) => {
      const bytes = written((w) => {
        for (const row of rows) {
          w.openRow(row.length)
          for (const field of row) w.field(field)
          w.closeRow()
        }
      })
      const expected = rows.map((row) => ['DataRow', row.map(shown)])
      return JSON.stringify(readMessages(bytes)) === JSON.stringify(expected)
    }),
    { numRuns: runs(100) },
  )
  const name = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\0', ''))
  const types = Object.keys(pgTypes) as (keyof typeof pgTypes)[]
  const column = fc.record({
    name,
    type: fc.constantFrom(...types),
    format: fc.constantFrom('text' as const, 'binary' as const),
  })
  fc.assert(
    fc.property(fc.array(column), (columns) => {
      const bytes = written((w) => w.rowDescription(columns))
      const expected = columns.map(({ name, type, format }) => {
        const { oid, size } = pgTypes[type]
        return [name, 0, 0, oid, size, -1, format === 'binary' ? 1 : 0]
      })
      return JSON.stringify(readMessages(bytes)) === JSON.stringify([['RowDescription', expected]])
    }),
    { numRuns: runs(100) },
  )
})

t.test('a long row waits in a buffer of its size', async (t) => {
  const bytes = written((writer) => {
    writer.openRow(1)
    writer.field('x'.repeat(1_000_000))
    writer.closeRow()
    writer.commandComplete('SELECT 1')
    writer.readyForQuery('I')
  })
  t.ok(bytes.buffer.byteLength < bytes.length + 100, `${bytes.buffer.byteLength} bytes`)
})
