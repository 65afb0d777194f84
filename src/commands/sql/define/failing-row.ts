// The DETAIL of a row that its table refuses: its values in the order of the columns, long ones
// cut.
// Source: PostgreSQL 15, ExecBuildSlotValueDescription.

import { elementsOf, field } from '../../../value/elements.js'
import { bigintOf, boolOf, bsonType, type Document, type Value } from '../../../value/value.js'
import { textForm } from '../expression/texts/text-form.js'

/** Bytes of a value that are shown. */
const shownBytesMax = 64

interface Column {
  readonly name: string
  readonly type: string
}

export function failingRow(columns: readonly Column[], document: Document): string {
  const values = columns.map(({ name, type }) => {
    const value = field(document, name)
    return value === undefined || value.isNullish ? 'null' : cut(shown(value, type))
  })
  return `Failing row contains (${values.join(', ')}).`
}

function cut(text: string): string {
  if (Buffer.byteLength(text) <= shownBytesMax) return text
  const bytes = Buffer.from(text)
  let end = shownBytesMax
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return `${bytes.toString('utf8', 0, end)}...`
}

function shown(value: Value, type: string): string {
  if (value.type === bsonType.bool) return boolOf(value) ? 't' : 'f'
  if (value.type === bsonType.array && type.endsWith('[]')) {
    const elements = elementsOf(value).map((each) => {
      return each.isNullish ? 'NULL' : shown(each, type.slice(0, -2))
    })
    return `{${elements.join(',')}}`
  }
  const time = value.type === bsonType.date ? new Date(Number(bigintOf(value))) : undefined
  if (time === undefined || Number.isNaN(time.getTime())) return textForm(value)
  const [day = '', clock = ''] = time.toISOString().split('T')
  if (type === 'date') return day
  const second = clock.replace(/\.?0*Z$/, '')
  return `${day} ${second}${type === 'timestamptz' ? '+00' : ''}`
}
