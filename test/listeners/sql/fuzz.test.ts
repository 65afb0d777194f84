// Sequences of messages with bytes changed, left out, doubled and swapped, on sessions of a whole
// gateway: none may hang, none may be answered with an internal error, and the gateway goes on.

import t from 'tap'
import { message, startup, text } from '../../protocol/pgwire/frontend.js'
import { startGateway } from '../../support/live-gateway.js'
import { failOnListenerLeaks } from '../../support/no-warnings.js'
import { runs } from '../../support/runs.js'
import { seed } from '../../support/seed.js'
import { seededRandom } from '../../support/seeded-random.js'
import {
  bind,
  closing,
  describe,
  execute,
  flush,
  parse,
  SqlClient,
  sync,
  version3,
} from '../../support/sql-client.js'

failOnListenerLeaks(t)

/** Cases of one connection: most of a case alone would be its start. */
const casesEach = 20

const statements = [
  "SELECT 1; SELECT 'a'",
  'SELECT _id, n FROM things WHERE n > 1 ORDER BY n LIMIT 2',
  "INSERT INTO things (n) VALUES (1), (2.5), ('x') RETURNING *",
  'UPDATE things SET n = n + 1 WHERE _id = 2',
  'BEGIN; SELECT * FROM things; ROLLBACK',
  'SET application_name = x; SHOW application_name',
  "SELECT c.oid FROM pg_catalog.pg_class c WHERE c.relname OPERATOR(pg_catalog.~) '^(a)$'",
  'DELETE FROM things WHERE n = 3; -- over',
  'BEGIN; DECLARE c CURSOR FOR SELECT * FROM things; FETCH 2 FROM c; CLOSE c; COMMIT; DISCARD ALL',
  'FETCH FORWARD ALL IN c; DEALLOCATE ALL; RESET ALL; CLOSE ALL; UNLISTEN *',
]

function sequences(): Buffer[][] {
  const simple = statements.map((sql) => [message('Q', text(sql))])
  const extended = statements.map((sql) => [
    ...[parse('s', sql.split(';')[0] ?? ''), describe('S', 's'), bind({ statement: 's' })],
    ...[describe('P'), execute('', 1), flush, execute(), closing('S', 's'), sync],
  ])
  const typed = [
    parse('', 'SELECT $1::int8, $2::text, $3::jsonb, $4::bytea, $5::timestamptz', [20, 25]),
    bind({ values: ['1', 'a', '{"a":1}', '\\x00', '2024-01-01'], results: [1] }),
    ...[describe('P'), execute(), sync],
  ]
  const held = [
    ...[message('Q', text('BEGIN')), parse('', 'DECLARE c CURSOR FOR SELECT * FROM things')],
    ...[bind({}), execute(), parse('f', 'FETCH 1 FROM c'), describe('S', 'f')],
    ...[bind({ statement: 'f', results: [1] }), describe('P'), flush, execute(), execute(), sync],
    message('Q', text('COMMIT')),
  ]
  return [...simple, ...extended, typed, held]
}

interface Mutated {
  readonly bytes: Buffer
  /** What follows may have become part of a message that never ends. */
  readonly isUnbounded: boolean
}

function mutated(messages: readonly Buffer[], random: () => number): Mutated {
  let isUnbounded = false
  const pick = (count: number) => Math.floor(random() * count)
  const parts: Buffer[] = messages.map((each) => Buffer.from(each))
  for (let changes = 1 + pick(3); changes > 0; changes--) {
    const at = pick(parts.length)
    const part = parts[at] ?? Buffer.alloc(0)
    const kind = pick(6)
    if (kind === 0) parts.splice(at, 1)
    else if (kind === 1) parts.splice(at, 0, Buffer.from(part))
    else if (kind === 2) parts.splice(pick(parts.length), 0, ...parts.splice(at, 1))
    // Behind the length, so that most cases reach what reads the message.
    else if (kind === 3 && part.length > 5) part[5 + pick(part.length - 5)] = pick(256)
    else if (kind === 4 && part.length > 0) {
      part[pick(part.length)] = pick(256)
      isUnbounded = true
    }
    if (kind === 5 && part.length > 6) parts[at] = shortened(part, 5 + pick(part.length - 5))
    if (parts.length === 0) parts.push(Buffer.from(sync))
  }
  return { bytes: Buffer.concat(parts), isUnbounded }
}

/** Of a body of that size, with a length that says so. */
function shortened(part: Buffer, size: number): Buffer {
  const short = Buffer.from(part.subarray(0, size))
  short.writeInt32BE(size - 1, 1)
  return short
}

t.test('changed messages crash nothing and hang nothing', { timeout: 300_000 }, async (t) => {
  const { ports } = await startGateway(t, { AUTH_MODE: 'off' })
  t.comment(`SIGIL_SEED=${seed}`)
  const random = seededRandom(seed)
  const cases = sequences()
  const count = runs(2_000)
  let internal = 0
  let client: SqlClient | undefined
  for (let i = 0; i < count; i++) {
    if (client === undefined || client.isClosed || i % casesEach === 0) {
      client?.close()
      client = (await SqlClient.enter(ports.sql)).client
    }
    const changed = mutated(cases[Math.floor(random() * cases.length)] ?? [], random)
    internal += internalErrors(await answersTo(client, changed))
  }
  client?.close()
  t.equal(internal, 0, 'no internal error')
  const last = await SqlClient.enter(ports.sql)
  t.equal((await last.client.query('SELECT 1')).length, 4)
  last.client.close()
})

t.test('changed starts are refused or taken, and never hang', { timeout: 300_000 }, async (t) => {
  const { ports } = await startGateway(t, { AUTH_MODE: 'off' })
  t.comment(`SIGIL_SEED=${seed}`)
  const random = seededRandom(seed)
  const start = startup(version3, { user: 'a', database: 'main', options: '-c x=y' })
  for (let i = 0; i < runs(100); i++) {
    const client = await SqlClient.open(ports.sql)
    client.send(mutated([start], random).bytes)
    client.end()
    await client.rest().catch(() => [])
  }
  const last = await SqlClient.enter(ports.sql)
  t.equal((await last.client.query('SELECT 1')).length, 4)
  last.client.close()
})

/** What comes until the session is ready for more, or is closed. */
async function answersTo(client: SqlClient, { bytes, isUnbounded }: Mutated): Promise<unknown[]> {
  const marker = message('Q', text("SELECT 'the end of the case' AS marker"))
  // In a transaction that has failed nothing else is answered.
  client.send(bytes, sync, message('Q', text('ROLLBACK')), marker)
  if (isUnbounded) {
    client.end()
    return client.rest().catch(() => [])
  }
  const all: unknown[] = []
  for (;;) {
    try {
      const answer = await client.until('ReadyForQuery')
      all.push(...answer)
      if (JSON.stringify(answer).includes('the end of the case')) return all
    } catch {
      return all
    }
  }
}

function internalErrors(messages: readonly unknown[]): number {
  return messages.filter((each) => JSON.stringify(each).includes('"CXX000"')).length
}
