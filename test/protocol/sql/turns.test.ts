// Long statements are read in turns: with a pause behind each part, they give the same tree, or the
// same error at the same place.

import t from 'tap'
import { GatewayError } from '../../../src/base/errors.js'
import { work } from '../../../src/base/work/work-budget.js'
import { turnUnits } from '../../../src/base/work/work-figures.js'
import { parseInTurns, parseStatement } from '../../../src/protocol/sql/parse.js'
import { splitInTurns, splitStatements } from '../../../src/protocol/sql/split.js'
import { runs } from '../../support/runs.js'
import { seed } from '../../support/seed.js'
import { seededRandom } from '../../support/seeded-random.js'
import { Sql } from './generate.js'

t.comment(`SIGIL_SEED=${seed}`)

function shown(outcome: unknown): string {
  const plain = outcome instanceof GatewayError ? [outcome.message, outcome.extra] : outcome
  return JSON.stringify(plain, (_, value) => (typeof value === 'bigint' ? `${value}n` : value))
}

function whole(text: string, folds: boolean): string {
  try {
    return shown(parseStatement(text, folds))
  } catch (error) {
    return shown(error)
  }
}

/** With a pause behind each part. */
async function inPieces(text: string, folds: boolean): Promise<string> {
  const turns = { isDue: true, pause: async () => {} }
  try {
    return shown(await parseInTurns(text, folds, turns))
  } catch (error) {
    return shown(error)
  }
}

t.test('statements by chance, whole and damaged', async (t) => {
  const random = seededRandom(seed)
  const below = (max: number) => Math.floor(random() * max)
  const sql = new Sql(random)
  for (let i = 0; i < runs(2_000); i++) {
    let text = i % 3 === 0 ? `SELECT ${sql.damagedText(4)}, ?` : sql.statementText()
    if (i % 5 === 0) text = text.slice(0, below(text.length))
    const folds = i % 2 === 0
    if (whole(text, folds) !== (await inPieces(text, folds))) t.fail(text)
  }
  t.pass('the same')
})

t.test('placeholders, subqueries and lists inside of lists', async (t) => {
  for (const text of [
    'SELECT ?, ? + ?, f(?, ?), CASE ? WHEN ? THEN ? END FROM t WHERE a IN (?, ?) OR b = ? LIMIT ?',
    'SELECT :a, :b + :a, f(:c, :b) FROM t WHERE x IN (:d, :a)',
    'SELECT $3, $1 + $2 FROM t WHERE a = $7 AND (b = $1 OR c = $9)',
    'SELECT ARRAY[[1, 2], [3, ?]], ? FROM t',
    'SELECT (SELECT a FROM t), (SELECT (SELECT 1), 2 FROM pg_policy), 3 FROM pg_policy',
    'SELECT a, EXISTS (SELECT (1, 2)), b FROM t',
    `SELECT ${Array.from({ length: 150 }, () => 'EXISTS (SELECT 1)').join(', ')} FROM pg_policy`,
    'INSERT INTO t (a, b) VALUES (?, ?), (DEFAULT, ?) ON CONFLICT (a) DO UPDATE SET b = excluded.b, c = ?',
    'INSERT INTO t (a) VALUES (EXCLUDED.b) ON CONFLICT (a) DO UPDATE SET b = Excluded.B RETURNING A',
    'SELECT a + b * c - d / e || f FROM t ORDER BY a, b DESC',
    'SELECT a, b c d FROM t',
  ]) {
    for (const folds of [false, true]) {
      t.equal(await inPieces(text, folds), whole(text, folds), text)
    }
  }
})

t.test('a statement of many words is read and split in several turns', async (t) => {
  const row = `(${Array.from({ length: 900 }, (_, i) => i).join(', ')})`
  const text = `INSERT INTO t VALUES ${Array.from({ length: 50 }, () => row).join(', ')}`
  let [from, longest, pauses] = [work.spent, 0, 0]
  const turns = {
    get isDue() {
      return work.spent - from >= turnUnits
    },
    pause: async () => {
      longest = Math.max(longest, work.spent - from)
      from = work.spent
      pauses++
    },
  }
  await parseInTurns(text, false, turns)
  t.ok(pauses >= 10, `${pauses} pauses`)
  t.ok(longest < 2 * turnUnits, `${longest} units`)
  const several = `${text}; SELECT ';'; ;SELECT 2`
  t.same(await splitInTurns(several), splitStatements(several))
})
