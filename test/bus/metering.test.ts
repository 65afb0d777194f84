// What the counts of both buses say: names from tables alone, each error once, however often it is
// thrown on, and failures that a reply tells of.

import t from 'tap'
import { fail } from '../../src/base/errors.js'
import { codeNames, Metering } from '../../src/bus/metering.js'
import { writeDocument } from '../../src/value/writer.js'

const errorsOf = ({ errors }: Metering) => Object.fromEntries(errors)

t.test('a code that is in no table counts as other', async (t) => {
  const metering = new Metering(0)
  metering.failed('wire', fail('DuplicateKey', ''))
  metering.failed('wire', fail('Location40324', ''))
  metering.failed('resp', fail('Location51024', ''))
  t.strictSame(errorsOf(metering), { '11000': 1, other: 2 })
  for (const name of metering.errors.keys()) t.ok(codeNames.includes(name))
})

t.test('an error of HTTP that a bus has seen is not counted again', async (t) => {
  const metering = new Metering(0)
  const seen = fail('BadValue', '')
  metering.refused('find', 'http', seen)
  metering.httpFailed(seen, true)
  t.strictSame(errorsOf(metering), { '2': 1 })
  t.equal(metering.protocols.http, 1)
  metering.httpFailed(fail('DuplicateKey', ''), true)
  t.equal(metering.protocols.http, 1, 'its command was counted')
  metering.httpFailed(fail('Unauthorized', ''), false)
  t.equal(metering.protocols.http, 2)
  t.strictSame(errorsOf(metering), { '2': 1, '11000': 1, '13': 1 })
  t.strictSame(Object.fromEntries(metering.byCommand()), { find: 1, other: 1 })
})

t.test('what fails in part is an error of its first code, once', async (t) => {
  const metering = new Metering(0)
  const reply = writeDocument((writer) => {
    writer.int32('n', 1).openArray('writeErrors')
    for (const code of [11000, 121]) {
      writer.pushOpenDocument().int32('index', 1).int32('code', code)
      writer.string('errmsg', 'no').close()
    }
    writer.close().double('ok', 1)
  })
  metering.answered('wire', reply)
  metering.answered('http', reply)
  t.strictSame(errorsOf(metering), { '11000': 1 }, 'HTTP makes an error of it itself')
  metering.answered(
    'wire',
    writeDocument((writer) => {
      writer.int32('n', 1).double('ok', 1)
    }),
  )
  t.strictSame(errorsOf(metering), { '11000': 1 })
})

t.test('a command that waits by intention counts, and tells no latency', async (t) => {
  const metering = new Metering(0)
  metering.ran('resp', 30_000, 30_000, true)
  metering.ran('resp', 2, 30_002, false)
  metering.queuedRan('resp')
  t.equal(metering.protocols.resp, 3)
  t.equal(metering.latency.count, 1)
  t.equal(metering.latency.sumMs, 2)
})
