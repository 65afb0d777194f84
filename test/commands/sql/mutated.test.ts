// Hostile statements on the bus: valid ones cut, doubled, mixed and damaged. Each is answered, or
// refused with an SQLSTATE that blames the statement; none is an internal error.

import t from 'tap'
import { systemClock } from '../../../src/base/clock.js'
import { GatewayError } from '../../../src/base/errors.js'
import { sqlStateOf } from '../../../src/base/sql-state.js'
import { commandFor } from '../../../src/commands/sql/translate.js'
import { openMemoryStore } from '../../../src/store/memory.js'
import { valueFrom } from '../../../src/value/literal.js'
import { Sql } from '../../protocol/sql/generate.js'
import { CommandRoom } from '../../support/command-room.js'
import { runs } from '../../support/runs.js'
import { seed } from '../../support/seed.js'
import { seededRandom } from '../../support/seeded-random.js'

const corpus = [
  "INSERT INTO c (_id, a, b.x) VALUES (1, 2, 'x'), (DEFAULT, NULL, $1)",
  'INSERT INTO c (k, a) VALUES ($1, 1) ON CONFLICT (k) DO UPDATE SET a = c.a + excluded.a',
  "INSERT INTO c (k) VALUES ('a'), ('b') ON CONFLICT DO NOTHING RETURNING *",
  "INSERT INTO typed VALUES (1, 'x', '2026-01-01', '{1,2}') RETURNING id, name AS n",
  'INSERT INTO c DEFAULT VALUES',
  'UPDATE c SET a = a + 1, b.x[2] = $1, l[0].m = DEFAULT WHERE a > 1 AND k IS NOT NULL LIMIT 2',
  "UPDATE c AS r SET b = '{\"x\": 1}'::jsonb WHERE r.l @> '[1]' RETURNING r.a, upper(r.k)",
  "UPDATE typed SET name = 'y', at = now() WHERE id IN (1, 2, $1)",
  "DELETE FROM c WHERE k LIKE 'a%' OR a BETWEEN $1 AND 7 RETURNING a",
  'DELETE FROM c WHERE NOT (a = 1 AND b.x <> 2) LIMIT 1',
  'TRUNCATE TABLE d',
  'CREATE INDEX IF NOT EXISTS i ON c (a DESC, b.x) WHERE a > 1',
  'CREATE UNIQUE INDEX ON d (k)',
  'DROP INDEX IF EXISTS i ON c',
  'CREATE TABLE IF NOT EXISTS d (a int PRIMARY KEY, b text NOT NULL, UNIQUE (b))',
  'DROP TABLE IF EXISTS d',
  'SHOW TABLES',
  'SHOW INDEXES FROM c',
  'DESCRIBE typed',
  'EXPLAIN ANALYZE SELECT * FROM c WHERE a = 1 ORDER BY a LIMIT 3',
  'EXPLAIN UPDATE c SET a = 1 WHERE k = $1',
  'SELECT a, count(*) AS n, sum(b.x) FROM c GROUP BY a HAVING count(*) > 1 ORDER BY n DESC',
  'SELECT DISTINCT c.a, d.k FROM c LEFT JOIN d ON c.a = d.a WHERE c.k = $1 OFFSET 1',
  "SELECT a::text || 'x', l[1], b->>'x', CASE WHEN a > 1 THEN 1 ELSE 0 END FROM c",
]
const values = [null, 0, -1, 1.5, 'a', '', true, [1, 2], { x: 1 }, { $gt: 1 }, new Date(0)]
const pieces = corpus.flatMap((text) => text.split(/(\s+|[(),;=])/))
const odd = [
  '',
  ';',
  '(',
  ')',
  "'",
  '"',
  '$2',
  '*',
  '-',
  '[',
  'NULL',
  '9223372036854775807',
  '\u{1f600}',
]

class Mutator {
  private readonly sql: Sql

  constructor(private readonly random: () => number) {
    this.sql = new Sql(random)
  }

  of<T>(items: readonly T[]): T {
    return items[Math.floor(this.random() * items.length)] as T
  }

  statement(): string {
    const way = this.random()
    if (way < 0.2) return this.sql.statementText()
    const words = this.of(corpus).split(/(\s+|[(),;=])/)
    for (let changes = Math.floor(this.random() * 4); changes > 0; changes--) this.change(words)
    return words.join('')
  }

  private change(words: string[]): void {
    const way = this.random()
    const at = Math.floor(this.random() * words.length)
    if (way < 0.3) this.swap(words, isName, names)
    else if (way < 0.55) this.swap(words, isLiteral, literals)
    else if (way < 0.7) words[at] = this.of(pieces)
    else if (way < 0.78) words.splice(at, 1)
    else if (way < 0.84) words.splice(at, 0, this.of(pieces))
    else if (way < 0.9) words[at] = this.of(odd)
    else if (way < 0.96) words.splice(at, 0, ...words.slice(at, at + 6))
    else words.length = at
  }

  /** Another one of its kind, which leaves the statement one. */
  private swap(words: string[], isKind: (word: string) => boolean, kind: readonly string[]): void {
    const places = words.flatMap((word, at) => (isKind(word) ? [at] : []))
    if (places.length > 0) words[this.of(places)] = this.of(kind)
  }

  /** Mostly as many as the statement asks for. */
  params(text: string): unknown[] {
    const most = Math.max(0, ...[...text.matchAll(/\$(\d)/g)].map(([, digit]) => Number(digit)))
    const count = this.random() < 0.95 ? most : 1
    return Array.from({ length: count }, () => this.of(values))
  }
}

const isName = (word: string): boolean => /^([a-z]|_id|typed|name|at)(\.\w+)?$/.test(word)
const isLiteral = (word: string): boolean => /^('.*'|\d+|NULL|\$1|DEFAULT)$/.test(word)
const names = 'a b k l c d typed _id b.x l[0] c.a excluded.k nope "$x" count name at id'.split(' ')
const literals = [
  ...["'x'", "'{1,2}'", "'2026-01-01'", "'0123456789abcdef01234567'", "'[1]'::jsonb", 'now()'],
  ...['NULL', '0', '-1', '1e400', '1.50', '2147483648', '9223372036854775807', 'DEFAULT', '$1'],
  ...['a + 1', 'a / 0', "k || 'y'", 'ARRAY[1, 2]', 'b', 'l[1]', "'a'::int", 'true', '(1)'],
]

async function openRoom(): Promise<CommandRoom> {
  const room = new CommandRoom(openMemoryStore(systemClock), systemClock)
  await room.insert(
    'c',
    { _id: 1, a: 1, k: 'a', b: { x: 1 }, l: [1, 2, { m: 1 }] },
    { _id: 2, a: 2, k: 'b', b: 'text', l: null },
    { _id: 'x', a: 'text', k: null, l: [] },
  )
  await room.run({ createIndexes: 'c', indexes: [{ key: { k: 1 }, name: 'k_1', unique: true }] })
  const table = 'CREATE TABLE typed (id int, name text, at timestamptz, l int[])'
  await room.run({ sqlDefine: table })
  return room
}

t.test(
  'no mutated statement is answered by an internal error',
  { timeout: 1_800_000 },
  async (t) => {
    t.comment(`SIGIL_SEED=${seed}`)
    const random = seededRandom(seed)
    const mutator = new Mutator(random)
    const states = new Map<string, number>()
    const failures: string[] = []
    let room = await openRoom()
    for (let i = 0; i < runs(2_000); i++) {
      if (i % 200 === 199) {
        await room.engine.close()
        room = await openRoom()
      }
      const text = mutator.statement()
      const params = mutator.params(text).map((value) => valueFrom(value))
      let state = '00000'
      try {
        const { body } = commandFor({ text, params, rowsDefault: 100 })
        if (body !== undefined)
          await room.bus.run({ db: 'test', body, sequences: new Map() }, room.session)
      } catch (error) {
        const isOurs = error instanceof GatewayError
        state = isOurs ? sqlStateOf(error) : 'thrown'
        const isRight = isOurs && /^[0-9A-Z]{5}$/.test(state) && error.httpStatus !== 500
        if (!isRight || state === 'XX000')
          failures.push(`${JSON.stringify(text)}: ${String(error)}`)
      }
      states.set(state, (states.get(state) ?? 0) + 1)
    }
    await room.engine.close()
    t.same(failures, [])
    const told = [...states].sort(([, a], [, b]) => b - a)
    t.comment(told.map(([state, count]) => `${state}: ${count}`).join(', '))
    t.ok((states.get('00000') ?? 0) > 0, 'some still work')
    t.ok(states.size > 10, 'and the others are refused for many reasons')
  },
)

t.test('nesting and chains without end are refused', async (t) => {
  const deep = `${'('.repeat(10_000)}1${')'.repeat(10_000)}`
  const chain = Array.from({ length: 12_000 }, () => '1').join(' + ')
  const path = Array.from({ length: 300 }, () => 'a').join('.')
  const room = await openRoom()
  const refused = async (text: string): Promise<string> => {
    try {
      const { body } = commandFor({ text, params: [] })
      if (body !== undefined)
        await room.bus.run({ db: 'test', body, sequences: new Map() }, room.session)
      return '00000'
    } catch (error) {
      return error instanceof GatewayError ? sqlStateOf(error) : String(error)
    }
  }
  for (const text of [
    `SELECT ${deep}`,
    `SELECT ${chain}`,
    `UPDATE c SET a = ${deep}`,
    `INSERT INTO c (a) VALUES (${chain})`,
    `DELETE FROM c WHERE a = ${deep}`,
    `UPDATE c SET ${path} = 1`,
    `INSERT INTO c (${path}) VALUES (1)`,
  ]) {
    t.equal(await refused(text), '54001', text.slice(0, 30))
  }
  t.equal(await refused('UPDATE c SET l[2000000] = 1 WHERE a = 2'), '54000')
  await room.engine.close()
})
