// Question: what does parsing a statement of 200 bytes cost? At most 30 microseconds.
// Method: batches of parses in this process, in turns with PostgreSQL's own parser (libpg-query,
// in wasm) on the same texts, CPU time of the process; and what refusing nesting and chains costs.

import { loadModule, parseSync } from 'libpg-query'
import { parseStatement } from '../src/protocol/sql/parse.js'
import { compare, type Figure, median, plain } from './support/figure.js'

const select = `SELECT name, price * 1.2 AS gross, tags[0] FROM products p WHERE status = 'active'
  AND (price BETWEEN 10 AND 99.50 OR name ILIKE 'a%') AND stock > 0 ORDER BY price DESC, name
  LIMIT 20 OFFSET 40`
const insert = `INSERT INTO products (_id, name, price, status, address.city) VALUES
  ('p1', 'Lamp', 19.90, 'active', 'Oslo'), ('p2', 'Table', 129.00, 'draft', 'Turku'),
  ($1, $2, $3, 'active', NULL) ON CONFLICT (_id) DO NOTHING`
const update = `UPDATE products SET price = price + 1.50, status = CASE WHEN stock < 5 THEN 'last'
  ELSE 'active' END, changed = now() WHERE category = 'lamps' AND NOT price IS NULL AND _id
  IN ('p1', 'p2', 'p3')`

const texts = [
  ['SELECT', select],
  ['INSERT', insert],
  ['UPDATE', update],
] as const
const batch = 1_000
const rounds = 15

/** Refused after a hundred levels, after a thousand links. */
const refused = [
  ['10,000 parentheses', `SELECT ${'('.repeat(10_000)}1${')'.repeat(10_000)}`],
  ['a chain of 12,000 terms', `SELECT 1${' + 1'.repeat(12_000)}`],
] as const

export async function sqlParse(): Promise<Figure[]> {
  await loadModule()
  const figures: Figure[] = []
  for (const [name, text] of refused) {
    figures.push(
      plain(
        `sql: refuse ${name}, the first time`,
        milliseconds(() => refuse(text)),
        'ms',
      ),
    )
    const again = Array.from({ length: rounds }, () => milliseconds(() => refuse(text)))
    figures.push(plain(`sql: refuse ${name}`, median(again), 'ms'))
  }
  for (const [name, text] of texts) {
    const label = `sql: parse ${name} of ${text.length} bytes, beside libpg-query`
    const ours = async () => each(() => parseStatement(text))
    const peer = async () => each(() => parseSync(text))
    figures.push(await compare(label, 'us', ours, peer, rounds))
  }
  return figures
}

/** Microseconds of one call. */
function each(run: () => unknown): number {
  const started = process.cpuUsage()
  for (let i = 0; i < batch; i++) run()
  const { user, system } = process.cpuUsage(started)
  return (user + system) / batch
}

function milliseconds(run: () => void): number {
  const started = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(started)
  return (user + system) / 1_000
}

function refuse(text: string): void {
  try {
    parseStatement(text)
  } catch {
    return
  }
  throw new Error('the statement was read')
}
