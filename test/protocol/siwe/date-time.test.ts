// Times of a sign-in message as milliseconds: offsets, fractions, and the edges of the calendar.

import t from 'tap'
import { parseDateTime } from '../../../src/protocol/siwe/date-time.js'

t.test('an offset is taken off, a fraction is cut to milliseconds', async (t) => {
  const noon = Date.UTC(2030, 0, 1, 12)
  t.equal(parseDateTime('2030-01-01T12:00:00Z'), noon)
  t.equal(parseDateTime('2030-01-01T14:30:00+02:30'), noon)
  t.equal(parseDateTime('2030-01-01T02:00:00-10:00'), noon)
  t.equal(parseDateTime('2030-01-01T12:00:00.5Z'), noon + 500)
  t.equal(parseDateTime('2030-01-01T12:00:00.0009999Z'), noon)
  t.equal(parseDateTime('2030-01-01T12:00:00.123987Z'), noon + 123)
})

t.test(
  'a leap second is the first of the next minute, and early years are themselves',
  async (t) => {
    t.equal(parseDateTime('2016-12-31T23:59:60Z'), Date.UTC(2017, 0, 1))
    t.equal(parseDateTime('0070-01-01T00:00:00Z'), Date.parse('0070-01-01T00:00:00Z'))
  },
)
