// Aggregates, groups and HAVING over every store: NULL, empty input, exact sums, types of numbers,
// and groups that memory does not hold.

import { Decimal128, Long } from 'bson'
import tap from 'tap'
import { systemClock } from '../../../../src/base/clock.js'
import { work } from '../../../../src/base/work/work-budget.js'
import { turnUnits } from '../../../../src/base/work/work-figures.js'
import { SpillFolder } from '../../../../src/engine/sources/spill.js'
import { nodeFiles } from '../../../../src/store/files.js'
import { type CommandRoom, eachRoom, type Reply } from '../../../support/command-room.js'
import { temporaryFolder } from '../../../support/stores.js'
import { rowsOf, stateOfStatement } from './selecting.js'

async function filled(room: CommandRoom): Promise<(text: string) => Promise<Reply[]>> {
  await room.insert(
    'sales',
    { _id: 1, shop: 'a', n: 1, price: 1.5, ok: true },
    { _id: 2, shop: 'a', n: 2, price: null, ok: false },
    { _id: 3, shop: 'b', n: 2 },
    { _id: 4, shop: null, n: null, price: 2.5, ok: true },
    { _id: 5, n: 5, price: 2.5 },
  )
  return (text) => rowsOf(room, text)
}

eachRoom(tap, 'aggregates leave NULL out', async (t, room) => {
  const rows = await filled(room)
  t.same(await rows('SELECT count(*), count(n), count(DISTINCT n), sum(n), avg(n) FROM sales'), [
    { count: 5, count_2: 4, count_3: 3, sum: 10, avg: 2.5 },
  ])
  t.same(await rows('SELECT min(n), max(n), sum(DISTINCT price), bool_and(ok) FROM sales'), [
    { min: 1, max: 5, sum: 4, bool_and: false },
  ])
  t.same(await rows('SELECT count(*) FILTER (WHERE n > 1) AS x, bool_or(ok) y FROM sales'), [
    { x: 3, y: true },
  ])
  t.same(await rows("SELECT string_agg(shop, ',' ORDER BY _id DESC) AS s FROM sales"), [
    { s: 'b,a,a' },
  ])
  t.same(await rows('SELECT array_agg(n ORDER BY n DESC, _id), array_agg(DISTINCT n) FROM sales'), [
    { array_agg: [5, 2, 2, 1, null], array_agg_2: [null, 1, 2, 5] },
  ])
})

eachRoom(
  tap,
  'of no rows there is one group without GROUP BY, and none with it',
  async (t, room) => {
    const rows = await filled(room)
    const nothing = { count: 0, sum: null, avg: null, min: null, string_agg: null }
    const text =
      "SELECT count(*), sum(n), avg(n), min(n), string_agg(shop, '') FROM sales WHERE n > 9"
    t.same(await rows(text), [nothing])
    t.same(await rows('SELECT count(*) FROM missing'), [{ count: 0 }])
    t.same(await rows('SELECT n, count(*) FROM sales WHERE n > 9 GROUP BY n'), [])
    t.same(await rows('SELECT count(*) FROM sales WHERE false HAVING count(*) > 0'), [])
    t.same(await rows('SELECT 1 AS one FROM sales HAVING true'), [{ one: 1 }])
  },
)

eachRoom(tap, 'rows are grouped by expression, alias and ordinal', async (t, room) => {
  const rows = await filled(room)
  const byShop = [
    { shop: null, count: 2 },
    { shop: 'a', count: 2 },
    { shop: 'b', count: 1 },
  ]
  t.same(await rows('SELECT shop, count(*) FROM sales GROUP BY shop ORDER BY shop'), byShop)
  t.same(await rows('SELECT shop, count(*) FROM sales s GROUP BY s.shop ORDER BY 1'), byShop)
  t.same(await rows('SELECT shop, count(*) FROM sales GROUP BY 1 ORDER BY shop'), byShop)
  const odd = 'SELECT n % 2 AS odd, sum(n) s FROM sales WHERE n > 0 GROUP BY odd ORDER BY odd DESC'
  t.same(await rows(odd), [
    { odd: 1, s: 6 },
    { odd: 0, s: 4 },
  ])
  t.same(await rows('SELECT n + 1 AS m FROM sales GROUP BY n + 1 HAVING n + 1 > 2 ORDER BY m'), [
    ...[{ m: 3 }, { m: 6 }],
  ])
  t.same(await rows('SELECT upper(shop) AS shop FROM sales GROUP BY shop ORDER BY shop'), [
    ...[{ shop: null }, { shop: 'A' }, { shop: 'B' }],
  ])
  const having = 'SELECT shop FROM sales GROUP BY shop HAVING count(*) > 1 AND max(n) < 3'
  t.same(await rows(having), [{ shop: 'a' }])
  const top = 'SELECT shop, count(*) AS c FROM sales GROUP BY shop ORDER BY c DESC, shop LIMIT 1'
  t.same(await rows(top), [{ shop: null, c: 2 }])
  const distinct = 'SELECT DISTINCT count(*) AS c FROM sales GROUP BY shop ORDER BY c'
  t.same(await rows(distinct), [{ c: 1 }, { c: 2 }])
  const states = [
    ['SELECT shop, n FROM sales GROUP BY shop', '42803'],
    ['SELECT shop, count(*) FROM sales', '42803'],
    ['SELECT * FROM sales GROUP BY shop', '42803'],
    ['SELECT sum(count(*)) FROM sales', '42803'],
    ['SELECT shop FROM sales GROUP BY count(*)', '42803'],
    ['SELECT shop FROM sales GROUP BY shop ORDER BY n', '42803'],
    ['SELECT sum(shop) FROM sales', '42883'],
    ['SELECT sum(n, n) FROM sales', '42883'],
    ['SELECT 1 FROM sales GROUP BY 2', '42P10'],
  ] as const
  for (const [text, state] of states) t.equal(await stateOfStatement(room, text), state, text)
})

eachRoom(tap, 'sums are exact, and grow into decimals', async (t, room) => {
  const large = Long.fromString('9007199254740993')
  await room.insert('n', { _id: 1, x: large }, { _id: 2, x: large }, { _id: 3, y: Long.MAX_VALUE })
  await room.insert('n', { _id: 4, y: Long.MAX_VALUE }, { _id: 5, z: 1 }, { _id: 6, z: 0.5 })
  await room.insert('n', { _id: 7, d: Decimal128.fromString('0.1') }, { _id: 8, d: 2 })
  const text = 'SELECT sum(x)::text AS x, sum(y)::text AS y, sum(z) AS z, avg(d)::text AS d FROM n'
  t.same(await rowsOf(room, text), [
    { x: '18014398509481986', y: '18446744073709551614', z: 1.5, d: '1.05' },
  ])
  t.equal(
    (await room.run({ sqlSelect: 'SELECT sum(z) FROM n WHERE _id = 5' })).columns[0].type,
    'int8',
  )
})

tap.test('groups, DISTINCT and orders that memory does not hold go by the disk', async (t) => {
  const folder = await temporaryFolder(t)
  const options = { folder, files: nodeFiles, clock: systemClock, memoryBytesMax: 20_000 }
  const spills = new SpillFolder(options)
  await eachRoom(
    t,
    'spilled',
    async (t, room) => {
      const documents = Array.from({ length: 600 }, (_, i) => {
        return { _id: i, key: `key ${i % 300}`, pad: 'x'.repeat(100) }
      })
      await room.insert('many', ...documents)
      const groups = await rowsOf(
        room,
        'SELECT key, count(*) c, sum(_id) s, array_agg(_id ORDER BY _id DESC) l, avg(_id) a ' +
          'FROM many GROUP BY key ORDER BY s',
      )
      t.equal(groups.length, 300)
      t.same(groups[7], { key: 'key 7', c: 2, s: 314, l: [307, 7], a: 157 })
      const distinct = await rowsOf(room, 'SELECT DISTINCT key, pad FROM many ORDER BY key DESC')
      t.equal(distinct.length, 300)
      t.equal(distinct[0]?.key, 'key 99')
      const sorted = await rowsOf(room, 'SELECT * FROM many ORDER BY key, _id DESC')
      t.same(
        sorted.slice(0, 3).map(({ _id }) => _id),
        [300, 0, 301],
      )
      const sums = Array.from({ length: 300 }, (_, i) => `sum(_id + ${i}) AS s${i}`).join(', ')
      const before = work.spent
      const many = await rowsOf(room, `SELECT key, ${sums} FROM many GROUP BY key`)
      t.equal(many.find(({ key }) => key === 'key 7')?.s5, 324)
      // Each state is made, saved, taken up again and written; each input is evaluated.
      const least = (300 + 600 * 3 + 300 * 3 + 600) * 300
      t.ok(work.spent - before > 2.5 * least, `${work.spent - before} units, of ${least}`)
      t.equal(spills.filesOpen, 0)
    },
    { spills, kinds: ['memory', 'late'] },
  )
})

eachRoom(tap, 'as many aggregates as results may be are told apart', async (t, room) => {
  const rows = await filled(room)
  const sums = Array.from({ length: 1_500 }, (_, i) => `sum(n + ${i}) AS s${i}`)
  const [row] = await rows(`SELECT ${sums.join(', ')} FROM sales`)
  t.equal(row?.s0, 10)
  t.equal(row?.s1499, 10 + 4 * 1_499)
  const keys = Array.from({ length: 1_500 }, (_, i) => `n + ${i}`)
  t.equal((await rows(`SELECT n FROM sales GROUP BY ${keys.join(', ')}, n`)).length, 4)
  const chain = Array.from({ length: 400 }, (_, i) => i).join(' + ')
  t.equal((await rows(`SELECT n + ${chain} AS s FROM sales GROUP BY n + ${chain}`)).length, 4)
})

eachRoom(
  tap,
  'compiling of long lists is counted as work, and pauses',
  async (t, room) => {
    const rows = await filled(room)
    const listed = (make: (i: number) => string): string =>
      Array.from({ length: 1_500 }, (_, i) => make(i)).join(', ')
    for (const text of [
      `SELECT n, ${listed((i) => `sum(n + ${i})`)} FROM sales GROUP BY n`,
      `SELECT ${listed((i) => `n + ${i}`)} FROM sales`,
      `SELECT n FROM sales ORDER BY ${listed((i) => `n + ${i}`)}`,
    ]) {
      const before = work.spent
      work.resetLongest()
      await rows(text)
      const units = work.spent - before
      // Counted by its rows alone, 18,000 to 35,000.
      t.ok(units > 1_500 * 100, `${units} units of ${text.slice(0, 40)}`)
      t.ok(work.longest < 2 * turnUnits, `${work.longest} units of a turn`)
    }
  },
  { kinds: ['memory', 'lmdb'] },
)

eachRoom(tap, 'a target list has at most 1,664 entries, as in PostgreSQL', async (t, room) => {
  const rows = await filled(room)
  const listed = (count: number, make: (i: number) => string): string =>
    Array.from({ length: count }, (_, i) => make(i)).join(', ')
  const results = listed(1_664, (i) => `n + ${i} AS s${i}`)
  t.equal((await rows(`SELECT ${results} FROM sales`)).length, 5)
  t.equal((await rows(`SELECT ${results} FROM sales ORDER BY s5, n + 7`)).length, 5, 'no further')
  for (const text of [
    `SELECT ${results}, n FROM sales`,
    `SELECT ${results} FROM sales ORDER BY n`,
    `SELECT ${listed(900, (i) => `n + ${i}`)} FROM sales ORDER BY ${listed(900, (i) => `n - ${i}`)}`,
    `SELECT 1 AS one FROM sales GROUP BY ${listed(1_664, (i) => `n + ${i}`)}`,
  ]) {
    t.equal(await stateOfStatement(room, text), '54011', text.slice(-40))
  }
})

eachRoom(
  tap,
  'the phases of EXPLAIN are counted as work, and pause',
  async (t, room) => {
    await filled(room)
    const branches = Array.from({ length: 5_000 }, (_, i) => `WHEN n = ${i} THEN 'a'`)
    const text = `EXPLAIN SELECT CASE ${branches.join(' ')} END FROM sales`
    const before = work.spent
    await room.drain({ sqlExplain: text })
    // Without them, 300.
    t.ok(work.spent - before > text.length / 2, `${work.spent - before} units`)
  },
  { kinds: ['memory', 'lmdb'] },
)
