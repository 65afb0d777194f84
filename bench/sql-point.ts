// Question: what does a point SELECT through node-postgres cost on Sigil, beside PostgreSQL with the
// same rows on the same machine? The bar is 0.6 of it.

import pg from 'pg'
import { seededRandom } from '../test/support/seeded-random.js'
import { compare, type Figure } from './support/figure.js'
import { missingPostgres, startPostgres } from './support/postgres-server.js'
import { benchKey, startSigil } from './support/processes.js'

const rows = 20_000
const operations = 6_000
const concurrency = 16
const insertedAtOnce = 500

const text = 'SELECT name, n FROM points WHERE _id = $1'

export async function sqlPoint(): Promise<Figure[]> {
  const missing = missingPostgres()
  if (missing !== undefined) throw new Error(missing)
  const sigil = await startSigil()
  const peer = await startPostgres()
  const ours = poolAt({ port: sigil.sqlPort, user: 'operator', password: benchKey }, 'main')
  const theirs = poolAt({ port: peer.port, user: 'bench' }, 'postgres')
  try {
    await fill(ours)
    await fill(theirs)
    const figures: Figure[] = []
    for (const [kind, name] of [
      ['parameters', undefined],
      ['prepared', 'point'],
    ] as const) {
      const what = `point SELECT, node-postgres, ${kind}, ${concurrency} connections`
      const ask = (pool: pg.Pool) => () => rate(pool, name)
      figures.push(await compare(what, 'ops/s', ask(ours), ask(theirs)))
    }
    return figures
  } finally {
    await ours.end()
    await theirs.end()
    await sigil.stop()
    await peer.stop()
  }
}

function poolAt(login: pg.Options, database: string): pg.Pool {
  return new pg.Pool({ host: '127.0.0.1', max: concurrency, database, ...login })
}

async function fill(pool: pg.Pool): Promise<void> {
  await pool.query('CREATE TABLE points (_id int PRIMARY KEY, n int, name text, filler text)')
  for (let start = 0; start < rows; start += insertedAtOnce) {
    const values = Array.from({ length: insertedAtOnce }, (_, i) => {
      const n = start + i
      return `(${n}, ${n}, 'name ${n}', '${'x'.repeat(120)}')`
    })
    await pool.query(`INSERT INTO points (_id, n, name, filler) VALUES ${values.join(', ')}`)
  }
}

/** Point reads a second. */
async function rate(pool: pg.Pool, name: string | undefined): Promise<number> {
  const random = seededRandom(7)
  let left = operations
  const started = performance.now()
  const worker = async () => {
    while (left-- > 0) {
      const n = Math.floor(random() * rows)
      const query = { text, values: [n], ...(name === undefined ? {} : { name }) }
      const { rows: found } = await pool.query(query)
      if (found[0]?.n !== n) throw new Error(`row ${n} was not found`)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  return (operations / (performance.now() - started)) * 1000
}
