import { ObjectId, Timestamp } from 'bson'
import fc from 'fast-check'
import t from 'tap'
import { civilOf, daysOf, isoText } from '../../../../src/query/expressions/dates/calendar.js'
import { runs } from '../../../support/runs.js'
import { double, long, refused, table } from '../expression-table.js'

const date = new Date('2024-03-10T12:34:56.789Z')
const document = { date, n: null, s: 'x', zone: 'America/New_York' }
const iso = (text: string): Date => new Date(text)

t.test('parts of a date, in UTC and in a zone', async (t) => {
  const ny = { date: '$date', timezone: '$zone' }
  table(t, document, [
    [{ $year: '$date' }, 2024],
    [{ $month: ['$date'] }, 3],
    [{ $dayOfMonth: '$date' }, 10],
    [{ $hour: '$date' }, 12],
    [{ $minute: '$date' }, 34],
    [{ $second: '$date' }, 56],
    [{ $millisecond: '$date' }, 789],
    [{ $dayOfYear: '$date' }, 70],
    [{ $dayOfWeek: '$date' }, 1],
    [{ $week: '$date' }, 10],
    [{ $isoWeek: '$date' }, 10],
    [{ $isoDayOfWeek: '$date' }, 7],
    [{ $isoWeekYear: iso('2021-01-01') }, long(2020)],
    [{ $isoWeek: iso('2021-01-01') }, 53],
    [{ $week: iso('2024-01-06') }, 0],
    [{ $week: iso('2024-01-07') }, 1],
    [{ $hour: ny }, 8],
    [{ $hour: { date: '$date', timezone: '+05:30' } }, 18],
    [{ $minute: { date: '$date', timezone: '+0530' } }, 4],
    [{ $hour: { date: '$date', timezone: '-03' } }, 9],
    [{ $year: iso('1969-12-31T23:59:59.999Z') }, 1969],
    [{ $millisecond: iso('1969-12-31T23:59:59.999Z') }, 999],
    [{ $year: new Timestamp({ t: 86_400 * 366, i: 1 }) }, 1971],
    [{ $year: new ObjectId('65f0a1b2c3d4e5f601234567') }, 2024],
    [{ $year: '$n' }, null],
    [{ $year: { date: '$date', timezone: '$n' } }, null],
    [{ $year: '$s' }, refused(16006, "can't convert from BSON type string to Date")],
    [{ $year: { date: '$date', timezone: 5 } }, refused(40533)],
    [
      { $year: { date: '$date', timezone: 'Nowhere/Else' } },
      refused(40485, 'unrecognized time zone identifier: "Nowhere/Else"'),
    ],
    [{ $year: { timezone: 'UTC' } }, refused(40539)],
    [{ $year: { date: '$date', z: 1 } }, refused(40535)],
    [{ $year: ['$date', 1] }, refused(40536)],
    [{ $tsSecond: new Timestamp({ t: 5, i: 7 }) }, long(5)],
    [{ $tsIncrement: new Timestamp({ t: 5, i: 7 }) }, long(7)],
    [{ $tsSecond: '$s' }, refused(5687301)],
  ])
})

t.test('$dateToString formats', async (t) => {
  const format = (text: string, extra: object = {}) => ({
    $dateToString: { date: '$date', format: text, ...extra },
  })
  table(t, document, [
    [{ $dateToString: { date: '$date' } }, '2024-03-10T12:34:56.789Z'],
    [{ $dateToString: { date: '$date', timezone: '$zone' } }, '2024-03-10T08:34:56.789'],
    [format('%Y-%m-%d %H:%M:%S.%L'), '2024-03-10 12:34:56.789'],
    [format('%j %w %u %U %V %G %%'), '070 1 7 10 10 2024 %'],
    [format('%z %Z', { timezone: '$zone' }), '-0400 -240'],
    [format('%H%z', { timezone: '+05:30' }), '18+0530'],
    [format('%b %B'), 'Mar March'],
    [{ $dateToString: { date: '$n', onNull: 'none' } }, 'none'],
    [{ $dateToString: { date: '$missing' } }, null],
    [{ $dateToString: { date: '$date', format: '$n' } }, null],
    [format('%'), refused(18535)],
    [format('%Q'), refused(18536)],
    [{ $dateToString: { date: '$date', format: 5 } }, refused(18533)],
    [{ $dateToString: 5 }, refused(18629)],
    [{ $dateToString: { format: '%Y' } }, refused(18628)],
    [{ $dateToString: { date: '$date', z: 1 } }, refused(18534)],
    [{ $dateToString: { date: iso('+012024-01-01') } }, refused(18537)],
  ])
})

t.test('$dateFromString reads the usual spellings and formats', async (t) => {
  const read = (dateString: unknown, extra: object = {}) => ({
    $dateFromString: { dateString, ...extra },
  })
  table(t, document, [
    [read('2020-02-03T04:05:06.789Z'), iso('2020-02-03T04:05:06.789Z')],
    [read('2020-02-03T04:05:06.789+02:00'), iso('2020-02-03T02:05:06.789Z')],
    [read('2020-02-03 04:05'), iso('2020-02-03T04:05:00Z')],
    [read('2020-02-03'), iso('2020-02-03')],
    [read('2020/2/3'), iso('2020-02-03')],
    [read('02/03/2020'), iso('2020-02-03')],
    [read('20200203'), iso('2020-02-03')],
    [read('Feb 3, 2020'), iso('2020-02-03')],
    [read('3 February 2020 04:05:06'), iso('2020-02-03T04:05:06Z')],
    [read('Mon, 03 Feb 2020 04:05:06 GMT'), iso('2020-02-03T04:05:06Z')],
    [read('2020-02-03T04:05:06', { timezone: '$zone' }), iso('2020-02-03T09:05:06Z')],
    [read('2020-02-03T04:05:06 America/New_York'), iso('2020-02-03T09:05:06Z')],
    [read('2020-02-03T04:05:06Z', { timezone: '$zone' }), refused(241)],
    [read('15-06-2018', { format: '%d-%m-%Y' }), iso('2018-06-15')],
    [read('2018 166', { format: '%Y %j' }), iso('2018-06-15')],
    [read('2018-W24-5', { format: '%G-W%V-%u' }), iso('2018-06-15')],
    [
      read('2018-06-15T01:02:03.4+0200', { format: '%Y-%m-%dT%H:%M:%S.%L%z' }),
      iso('2018-06-14T23:02:03.400Z'),
    ],
    [read('15-06', { format: '%d-%m' }), refused(241)],
    [read('15-06-2018 x', { format: '%d-%m-%Y' }), refused(241)],
    [read('2020-02-30'), refused(241)],
    [read('nonsense'), refused(241)],
    [read('nonsense', { onError: 'bad' }), 'bad'],
    [read(5), refused(241)],
    [read(5, { onError: 'bad' }), 'bad'],
    [read('$n', { onNull: 'none' }), 'none'],
    [read('$missing'), null],
    [read('2020-02-03', { format: 5 }), refused(40684)],
    [{ $dateFromString: 'x' }, refused(40540)],
    [{ $dateFromString: { dateString: 'x', z: 1 } }, refused(40541)],
    [{ $dateFromString: {} }, refused(40542)],
  ])
})

t.test('$dateToParts and $dateFromParts', async (t) => {
  const time = { hour: 12, minute: 34, second: 56, millisecond: 789 }
  table(t, document, [
    [{ $dateToParts: { date: '$date' } }, { year: 2024, month: 3, day: 10, ...time }],
    [
      { $dateToParts: { date: '$date', iso8601: true } },
      { isoWeekYear: 2024, isoWeek: 10, isoDayOfWeek: 7, ...time },
    ],
    [{ $dateToParts: { date: '$n' } }, null],
    [{ $dateToParts: 5 }, refused(40524)],
    [{ $dateToParts: {} }, refused(40522)],
    [{ $dateToParts: { date: '$date', z: 1 } }, refused(40520)],
    [{ $dateToParts: { date: '$date', iso8601: 1 } }, refused(40521)],
    [{ $dateFromParts: { year: 2024, month: 2, day: 30 } }, iso('2024-03-01')],
    [{ $dateFromParts: { year: 2024, month: 14, hour: -1 } }, iso('2025-01-31T23:00:00Z')],
    [{ $dateFromParts: { year: 2024, timezone: '$zone' } }, iso('2024-01-01T05:00:00Z')],
    [{ $dateFromParts: { isoWeekYear: 2024, isoWeek: 10, isoDayOfWeek: 7 } }, iso('2024-03-10')],
    [{ $dateFromParts: { year: 2024, month: '$n' } }, null],
    [{ $dateFromParts: {} }, refused(40516)],
    [{ $dateFromParts: 5 }, refused(40519)],
    [{ $dateFromParts: { year: 1, z: 1 } }, refused(40518)],
    [{ $dateFromParts: { year: 2024, isoWeek: 1 } }, refused(40525)],
    [{ $dateFromParts: { isoWeekYear: 2024, month: 1 } }, refused(40489)],
    [{ $dateFromParts: { year: 'x' } }, refused(40515)],
    [{ $dateFromParts: { year: 0 } }, refused(40523)],
    [{ $dateFromParts: { year: 2024, month: 40_000 } }, refused(31034)],
  ])
})

t.test('$dateAdd and $dateSubtract follow the calendar and the clock of the zone', async (t) => {
  const add = (startDate: unknown, unit: unknown, amount: unknown, timezone?: string) => ({
    $dateAdd: { startDate, unit, amount, ...(timezone === undefined ? {} : { timezone }) },
  })
  table(t, document, [
    [add(iso('2024-01-31'), 'month', 1), iso('2024-02-29')],
    [add(iso('2024-02-29'), 'year', 1), iso('2025-02-28')],
    [add(iso('2024-01-15'), 'quarter', -1), iso('2023-10-15')],
    [add('$date', 'week', 1), iso('2024-03-17T12:34:56.789Z')],
    [add('$date', 'millisecond', long(1)), iso('2024-03-10T12:34:56.790Z')],
    // Clocks go forward on 2024-03-10 at 2:00 in New York.
    [add(iso('2024-03-09T12:00:00Z'), 'day', 1, 'America/New_York'), iso('2024-03-10T11:00:00Z')],
    [add(iso('2024-03-09T12:00:00Z'), 'hour', 24, 'America/New_York'), iso('2024-03-10T12:00:00Z')],
    [add(iso('2024-03-09T07:30:00Z'), 'day', 1, 'America/New_York'), iso('2024-03-10T07:30:00Z')],
    [
      { $dateSubtract: { startDate: '$date', unit: 'month', amount: 1 } },
      iso('2024-02-10T12:34:56.789Z'),
    ],
    [add('$n', 'day', 1), null],
    [add('$s', 'day', 1), refused(5166403)],
    [add('$date', 5, 1), refused(5166404)],
    [add('$date', 'fortnight', 1), refused(9, 'unknown time unit value: fortnight')],
    [add('$date', 'day', 1.5), refused(5166405)],
    [add('$date', 'year', 1_000_000), refused(5166406)],
    [{ $dateAdd: 5 }, refused(5166400)],
    [{ $dateAdd: { startDate: 1, unit: 1, amount: 1, z: 1 } }, refused(5166401)],
    [{ $dateAdd: { startDate: 1 } }, refused(5166402)],
  ])
})

t.test('$dateDiff counts boundaries', async (t) => {
  const diff = (from: string, to: string, unit: string, extra: object = {}) => ({
    $dateDiff: { startDate: iso(from), endDate: iso(to), unit, ...extra },
  })
  table(t, document, [
    [diff('2023-12-31T23:59:59Z', '2024-01-01', 'year'), long(1)],
    [diff('2024-01-01', '2024-12-31', 'year'), long(0)],
    [diff('2024-03-31', '2024-04-01', 'quarter'), long(1)],
    [diff('2024-05-01', '2024-02-01', 'month'), long(-3)],
    [diff('2024-03-09', '2024-03-10', 'week'), long(1)],
    [diff('2024-03-09', '2024-03-10', 'week', { startOfWeek: 'monday' }), long(0)],
    [diff('2024-03-10T23:00:00Z', '2024-03-11T01:00:00Z', 'day'), long(1)],
    [
      diff('2024-03-10T23:00:00Z', '2024-03-11T01:00:00Z', 'day', { timezone: 'America/New_York' }),
      long(0),
    ],
    [
      diff('2024-03-10T06:30:00Z', '2024-03-10T07:30:00Z', 'hour', {
        timezone: 'America/New_York',
      }),
      long(1),
    ],
    [diff('2024-01-01T00:59:59Z', '2024-01-01T01:00:00Z', 'hour'), long(1)],
    [diff('2024-01-01', '2024-01-02', 'second'), long(86_400)],
    [{ $dateDiff: { startDate: '$n', endDate: '$date', unit: 'day' } }, null],
    [{ $dateDiff: { startDate: '$s', endDate: '$date', unit: 'day' } }, refused(5166307)],
    [{ $dateDiff: { startDate: '$date', endDate: '$date', unit: 'x' } }, refused(5439014)],
    [{ $dateDiff: { startDate: '$date', endDate: '$date', unit: 5 } }, refused(5439013)],
    [{ $dateDiff: 5 }, refused(5166301)],
    [{ $dateDiff: { z: 1 } }, refused(5166302)],
    [{ $dateDiff: { endDate: 1, unit: 1 } }, refused(5166303)],
    [{ $dateDiff: { startDate: 1, unit: 1 } }, refused(5166304)],
    [{ $dateDiff: { startDate: 1, endDate: 1 } }, refused(5166305)],
  ])
})

t.test('$dateTrunc goes back to the start of a bin', async (t) => {
  const cut = (unit: string, extra: object = {}) => ({
    $dateTrunc: { date: '$date', unit, ...extra },
  })
  table(t, document, [
    [cut('year'), iso('2024-01-01')],
    [cut('quarter'), iso('2024-01-01')],
    [cut('month', { binSize: 2 }), iso('2024-03-01')],
    [cut('year', { binSize: 5 }), iso('2020-01-01')],
    [cut('week'), iso('2024-03-10')],
    [cut('week', { startOfWeek: 'mon' }), iso('2024-03-04')],
    [cut('day'), iso('2024-03-10')],
    [cut('day', { timezone: 'America/New_York' }), iso('2024-03-10T05:00:00Z')],
    [cut('hour'), iso('2024-03-10T12:00:00Z')],
    [cut('minute', { binSize: 15 }), iso('2024-03-10T12:30:00Z')],
    [cut('second'), iso('2024-03-10T12:34:56Z')],
    [{ $dateTrunc: { date: '$n', unit: 'day' } }, null],
    [{ $dateTrunc: { date: '$s', unit: 'day' } }, refused(5439012)],
    [cut('x'), refused(5439014)],
    [cut('week', { startOfWeek: 5 }), refused(5439015)],
    [cut('week', { startOfWeek: 'x' }), refused(5439016)],
    [cut('day', { startOfWeek: 5 }), iso('2024-03-10')],
    [cut('day', { binSize: 1.5 }), refused(5439017)],
    [cut('day', { binSize: 0 }), refused(5439018)],
    [cut('day', { binSize: double(2) }), iso('2024-03-09')],
    [{ $dateTrunc: 5 }, refused(5439007)],
    [{ $dateTrunc: { z: 1 } }, refused(5439008)],
    [{ $dateTrunc: { unit: 'day' } }, refused(5439009)],
    [{ $dateTrunc: { date: '$date' } }, refused(5439010)],
  ])
})

t.test('the calendar agrees with the platform over its whole range', async () => {
  fc.assert(
    fc.property(fc.integer({ min: -62_000_000_000_000, max: 250_000_000_000_000 }), (ms) => {
      return isoText(ms) === new Date(ms).toISOString()
    }),
    { numRuns: runs(500) },
  )
  fc.assert(
    fc.property(fc.integer({ min: -2_000_000_000, max: 2_000_000_000 }), (days) => {
      const { year, month, day } = civilOf(days)
      return daysOf(year, month, day) === days
    }),
    { numRuns: runs(500) },
  )
})
