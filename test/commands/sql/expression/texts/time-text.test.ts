// Times as text: what is printed reads back, in every form that a literal may have.

import fc from 'fast-check'
import t from 'tap'
import { parseTime } from '../../../../../src/commands/sql/expression/texts/time-text.js'
import { runs } from '../../../../support/runs.js'

t.test('what a time prints as reads back, with a blank for the T and any zone', async (t) => {
  const range = { min: new Date('0001-01-02T00:00:00Z'), max: new Date('9999-12-30T00:00:00Z') }
  fc.assert(
    fc.property(
      fc.date({ ...range, noInvalidDate: true }),
      fc.integer({ min: -14, max: 14 }),
      (date, hours) => {
        const text = date.toISOString()
        const ms = date.getTime()
        const zone = `${hours < 0 ? '-' : '+'}${String(Math.abs(hours)).padStart(2, '0')}:00`
        const local = new Date(ms + hours * 3_600_000).toISOString().replace('Z', zone)
        const day = text.slice(0, 10)
        return (
          parseTime(text) === ms &&
          parseTime(text.replace('T', ' ').replace('Z', '')) === ms &&
          parseTime(local) === ms &&
          parseTime(day) === Date.parse(day)
        )
      },
    ),
    { numRuns: runs(1_000) },
  )
  t.pass('every time')
})

t.test('what is no time is none', async (t) => {
  for (const text of [
    ...['', 'now', '2026', '2026-1-2', '2026-13-01', '2026-02-29', '2026-01-02T', '2026-01-02Z'],
    ...['2026-01-02T24:00', '2026-01-02T10:60', '2026-01-02T10:00+99', '12026-01-01', '2026-00-10'],
    ...['2026-01-02 10:00:00 Z x', ' 2026-01-02'],
  ]) {
    t.equal(parseTime(text), undefined, text)
  }
  t.equal(parseTime('2024-02-29'), Date.UTC(2024, 1, 29))
})
