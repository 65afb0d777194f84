// Rows of the SQL listener: a long row is prepared over several turns, its long fields in a thread,
// and reads as one that is encoded at once.

import t from 'tap'
import { pgFieldsAtOnce } from '../../../src/base/limits/sql.js'
import { Layout, Rows, typeNamed } from '../../../src/listeners/sql/rows.js'
import { binaryForm, textForm } from '../../../src/protocol/pgwire/forms.js'
import { MessageWriter } from '../../../src/protocol/pgwire/message-writer.js'
import { fieldsOf } from '../../../src/value/elements.js'
import { documentFrom, valueFrom } from '../../../src/value/literal.js'
import { documentValue } from '../../../src/value/value.js'
import { turnsDuring } from '../../support/turns.js'

const numbers = Array.from({ length: 30_000 }, (_, i) => i * 1.5)
const texts = numbers.map((n) => `n "${n}"`)
const object = { k: 'é', n: null }

/** Columns whose fields are long, short, copied and absent. */
const fields: readonly (readonly [name: string, type: string, value: unknown])[] = [
  ['doubles', 'jsonb', numbers],
  ['list', 'float8[]', numbers],
  ['texts', 'text[]', texts],
  ['text', 'text', 'é'.repeat(200_000)],
  ['quoted', 'json', '"\n'.repeat(100_000)],
  ['mixed', 'text', Object.fromEntries(texts.map((text) => [text, object]))],
  ['small', 'jsonb', object],
  ['none', 'jsonb', null],
]

function rowsOf(
  document: Readonly<Record<string, unknown>>,
  types: readonly string[],
  format: 'text' | 'binary',
): Rows {
  const columns = Object.keys(document).map((name, i) => ({
    ...{ name, format },
    type: typeNamed(types[i] as string),
  }))
  const reply = documentFrom({ cursor: { firstBatch: [document, document], id: 0, ns: 'a.b' } })
  return new Rows(new Layout([...columns, { name: 'absent', type: 'text', format }]), reply)
}

for (const format of ['text', 'binary'] as const) {
  t.test(`a long row in ${format} is as its fields alone, and waits to be prepared`, async (t) => {
    const document = Object.fromEntries(fields.map(([name, , value]) => [name, value]))
    const types = fields.map(([, type]) => type)
    const rows = rowsOf(document, types, format)
    const whole = new MessageWriter()
    const form = format === 'text' ? textForm : binaryForm
    whole.openRow(fields.length + 1)
    for (const [i, [, value]] of [...fieldsOf(documentValue(documentFrom(document)))].entries()) {
      whole.field(form(value, typeNamed(types[i] as string)))
    }
    whole.field(undefined)
    whole.closeRow()
    const expected = Buffer.from(whole.take())
    const writer = new MessageWriter()
    for (let n = 0; n < 2; n++) {
      t.ok(rows.isNextLong)
      t.equal(rows.write(writer, 10), 0, 'no row is written before')
      await rows.prepareNext()
      t.equal(rows.write(writer, 1), 1)
      t.ok(expected.equals(writer.take()), 'the same bytes')
    }
    t.ok(rows.isDone)
  })
}

t.test('preparing a row leaves other work its turns', async (t) => {
  const document = Object.fromEntries(
    Array.from({ length: 40 }, (_, i) => [`c${i}`, numbers.slice(0, 5_000)]),
  )
  const types = Object.keys(document).map(() => 'jsonb')
  const rows = rowsOf(document, types, 'text')
  const turns = await turnsDuring(() => rows.prepareNext())
  t.ok(turns > 10, `${turns} turns for 40 fields of 64 KiB`)
})

/** Rows of one column over documents with many fields. */
function narrowOver(documents: readonly Readonly<Record<string, unknown>>[]): Rows {
  const reply = documentFrom({ cursor: { firstBatch: documents, id: 0, ns: 'a.b' } })
  return new Rows(new Layout([{ name: 'x', type: 'int4', format: 'text' }]), reply)
}

function fieldsUpTo(count: number): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`c${i}`, i]))
}

t.test('few rows of many columns are written at once', async (t) => {
  const document = fieldsUpTo(1_000)
  const columns = Object.keys(document).map((name) => ({
    ...{ name, format: 'text' as const },
    type: typeNamed('int4'),
  }))
  const firstBatch = Array.from({ length: 20 }, () => document)
  const reply = documentFrom({ cursor: { firstBatch, id: 0, ns: 'a.b' } })
  const rows = new Rows(new Layout(columns), reply)
  t.equal(rows.write(new MessageWriter(), 500), pgFieldsAtOnce / 1_000)
})

t.test('fields without a column take their turns too', async (t) => {
  const short = { x: 1, ...fieldsUpTo(8_000) }
  const rows = narrowOver([short, short, short, short])
  const writer = new MessageWriter()
  t.equal(rows.write(writer, 500), 2, 'rows by the bytes that are read')
  t.equal(rows.write(writer, 500), 2)
  t.ok(rows.isDone)
  t.ok(rows.hasHidden)
  const long = narrowOver([{ ...fieldsUpTo(100_000), x: 7 }])
  t.ok(long.isNextLong)
  const turns = await turnsDuring(() => long.prepareNext())
  t.ok(turns > 10, `${turns} turns for one row`)
  t.equal(long.write(writer, 1), 1)
  t.equal(Buffer.from(writer.take()).toString('latin1').slice(-5), '\0\0\0\x017', 'its last field')
})

t.test('an error of a long field is that of its form', async (t) => {
  const wrong = [...numbers, 'x']
  const rows = rowsOf({ wrong }, ['float8[]'], 'text')
  let expected: unknown
  try {
    textForm(valueFrom(wrong), typeNamed('float8[]'))
  } catch (error) {
    expected = error
  }
  const { message, extra } = expected as { message: string; extra: object }
  await t.rejects(rows.prepareNext(), { message, extra, kind: 'BadValue' })
})
