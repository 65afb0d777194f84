// Rows of the SQL listener: a long row is prepared over several turns, its long fields in a thread,
// and reads as one that is encoded at once.

import t from 'tap'
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
