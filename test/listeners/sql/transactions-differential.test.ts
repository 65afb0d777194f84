// Chance scripts of two connections with transactions at every isolation level, on PostgreSQL and on
// the SQL port, in the same order on both: rows, tags, notices, errors and the state of the
// transaction are the same. PostgreSQL makes a writer wait for another's lock; a script takes no
// step that would. What differs by design is decided below, by name.

import fc from 'fast-check'
import pg from 'pg'
import t, { type Test } from 'tap'
import { startGateway } from '../../support/live-gateway.js'
import { openPostgres, postgresMissing } from '../../support/postgres-reference.js'
import { runs } from '../../support/runs.js'

/** A client that tells the state of its transaction with each answer. */
class Told {
  private ready = (_status: string): void => undefined
  private notices: string[] = []

  constructor(private readonly client: pg.Client) {
    const { connection } = client as unknown as { connection: NodeJS.EventEmitter }
    connection.on('readyForQuery', ({ status }: { status: string }) => {
      this.ready(status)
    })
    client.on('notice', (notice) => {
      const { code, message } = notice as unknown as { code: string; message: string }
      this.notices.push(`${code} ${message}`)
    })
  }

  async answer(text: string): Promise<Answer> {
    this.notices = []
    const ready = new Promise<string>((resolve) => {
      this.ready = resolve
    })
    const told = await this.client.query({ text, rowMode: 'array' }).then(
      ({ command, rowCount, rows }) => ({ command, rowCount, rows: JSON.stringify(rows) }),
      ({ code, message }: { code: string; message: string }) => ({ code, message }),
    )
    // It comes after an error.
    const state = await ready
    return { ...told, state, notices: this.notices }
  }
}

interface Answer {
  readonly code?: string | undefined
  readonly message?: string
  readonly command?: string
  readonly state: string
  readonly notices: readonly string[]
}

async function openTwo(
  t: Test,
  options: ConstructorParameters<typeof pg.Client>[0],
): Promise<[Told, Told]> {
  const open = async () => {
    const client = new pg.Client(options)
    client.on('error', () => {})
    await client.connect()
    t.teardown(() => client.end())
    return new Told(client)
  }
  return [await open(), await open()]
}

async function openBoth(t: Test) {
  const reference = await openPostgres(t)
  const [host = ''] = reference.client.options.host
  const theirs = await openTwo(t, { host, port: 5432, user: 'test', database: 'postgres' })
  const { ports } = await startGateway(t, { AUTH_MODE: 'off' })
  const place = { host: '127.0.0.1', port: ports.sql, user: 'tester', database: 'main' }
  return { theirs, ours: await openTwo(t, place) }
}

const levels = ['READ UNCOMMITTED', 'READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE'] as const
type Level = (typeof levels)[number]
const ids = [1, 2, 3]
const id = fc.constantFrom(...ids)

/** `writes`: the rows whose locks it takes, or all. */
interface Step {
  readonly text: string
  readonly writes?: number | 'all'
}

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .constantFrom(...levels.map((level) => `BEGIN ISOLATION LEVEL ${level}`))
      .map((text) => ({ text })),
  },
  {
    weight: 6,
    arbitrary: fc
      .constantFrom(
        ...['COMMIT', 'COMMIT', 'COMMIT', 'ROLLBACK', 'COMMIT AND CHAIN', 'ROLLBACK AND CHAIN'],
        ...[
          'BEGIN READ ONLY',
          'START TRANSACTION',
          'SET TRANSACTION READ WRITE',
          'BEGIN',
          'SELECT 1/0',
        ],
        ...['SET TRANSACTION ISOLATION LEVEL SERIALIZABLE', 'SHOW transaction_isolation'],
        ...['SET TRANSACTION READ ONLY', 'SHOW transaction_read_only'],
      )
      .map((text) => ({ text })),
  },
  {
    weight: 5,
    arbitrary: fc
      .constantFrom(
        ...['SAVEPOINT a', 'SAVEPOINT b', 'ROLLBACK TO a', 'ROLLBACK TO b', 'RELEASE a'],
      )
      .map((text) => ({ text })),
  },
  {
    weight: 8,
    arbitrary: fc
      .constantFrom(
        ...[
          'SELECT id, n FROM t ORDER BY id',
          'SELECT count(*) FROM t',
          'SELECT n FROM t WHERE id = 1',
        ],
        ...['SELECT sum(n) FROM t WHERE n > 2', 'SELECT id FROM t WHERE n = 3 ORDER BY id'],
      )
      .map((text) => ({ text })),
  },
  {
    weight: 8,
    arbitrary: id.map((k) => ({ text: `UPDATE t SET n = n + 1 WHERE id = ${k}`, writes: k })),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(id, fc.integer({ min: 0, max: 9 }))
      .map(([k, n]) => ({ text: `INSERT INTO t (id, n) VALUES (${k}, ${n})`, writes: k })),
  },
  {
    weight: 3,
    arbitrary: id.map((k) => ({ text: `DELETE FROM t WHERE id = ${k}`, writes: k })),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      { text: 'UPDATE t SET n = n * 2 WHERE n < 5', writes: 'all' as const },
      { text: 'DELETE FROM t WHERE n > 7', writes: 'all' as const },
    ),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(id, fc.constantFrom('UPDATE', 'SHARE', 'NO KEY UPDATE', 'KEY SHARE'))
      .map(([k, lock]) => ({ text: `SELECT n FROM t WHERE id = ${k} FOR ${lock}`, writes: k })),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      { text: 'UPDATE t SET n = 0 WHERE id = 1; SELECT 1/0', writes: 1 },
      {
        text: 'UPDATE t SET n = 5 WHERE id = 2; UPDATE t SET n = 6 WHERE id = 3',
        writes: 'all' as const,
      },
    ),
  },
)

/** The locks of a session in PostgreSQL, as far as a script has to know them. */
class Locks {
  private readonly held = new Set<number>()
  isInside = false
  level: Level | undefined

  blocks(writes: Step['writes']): boolean {
    if (writes === undefined || !this.isInside) return false
    return writes === 'all' ? this.held.size > 0 : this.held.has(writes)
  }

  note({ writes }: Step, { state }: Answer): void {
    this.isInside = state !== 'I'
    if (!this.isInside) {
      this.held.clear()
      this.level = undefined
    } else if (writes === 'all') for (const each of ids) this.held.add(each)
    else if (writes !== undefined) this.held.add(writes)
  }
}

/** PostgreSQL tells updates and deletions apart. */
function same(answer: Answer): Answer {
  const { message } = answer
  if (answer.code !== '40001' || message === undefined) return answer
  return { ...answer, message: message.replace('concurrent delete', 'concurrent update') }
}

interface Circumstances {
  /** One of the two is in a transaction of that level. */
  readonly isSerializable: boolean
  /** The other one has removed rows, and this one may have begun before. */
  readonly hasRemoved: boolean
  /** This one has locked a row against changes of its key alone. */
  readonly hasKeyShare: boolean
}

/** Why two answers may differ; undefined if they may not. */
function reasonFor(own: Answer, their: Answer, at: Circumstances): string | undefined {
  const { isSerializable, hasRemoved, hasKeyShare } = at
  if (hasKeyShare && own.code === '40001') {
    return 'FOR KEY SHARE is as strict as FOR SHARE: any change of the row is a conflict'
  }
  if (hasRemoved && own.code === '23505' && their.code === undefined) {
    return 'another transaction has removed the key since the state of this one, which still has it'
  }
  if (isSerializable && (own.code === '40001' || their.code === '40001')) {
    return 'PostgreSQL looks for cycles of dependencies, Sigil for what was read and has changed'
  }
  if (own.code === '40001' && their.code === '23505') {
    return 'another transaction has added the key since the state of this one'
  }
  return undefined
}

/** A row that both change: whatever is drawn, some scripts meet a conflict. */
const lost: [number, Step][] = [
  [1, { text: 'UPDATE t SET n = n + 1 WHERE id = 1', writes: 1 }],
  [0, { text: 'UPDATE t SET n = n + 1 WHERE id = 1', writes: 1 }],
  [0, { text: 'COMMIT' }],
]
/** What AND CHAIN has taken over outlives a failure. */
const chained: [number, Step][] = [
  [1, { text: 'BEGIN READ ONLY' }],
  [1, { text: 'ROLLBACK AND CHAIN' }],
  [1, { text: 'UPDATE t SET n = n + 1 WHERE id = 1', writes: 1 }],
  [1, { text: 'COMMIT AND CHAIN' }],
  [1, { text: 'DELETE FROM t WHERE id = 1', writes: 1 }],
]
const examples: [number, Level, [number, Step][]][] = [
  ...levels.map((level): [number, Level, [number, Step][]] => [0, level, lost]),
  [0, 'READ COMMITTED', chained],
]

t.test('two connections are answered as PostgreSQL does', { skip: postgresMissing }, async (t) => {
  const { ours, theirs } = await openBoth(t)
  for (const [own] of [ours, theirs]) await own.answer('CREATE TABLE t (id int PRIMARY KEY, n int)')
  const counts = { steps: 0, conflicts: 0, differences: 0 }
  const who = fc.constantFrom(0, 1)
  const rest = fc.array(fc.tuple(who, step), { minLength: 10, maxLength: 40 })
  await fc.assert(
    fc.asyncProperty(who, fc.constantFrom(...levels), rest, async (first, level, others) => {
      // A state that the other one changes under it is what most scripts should have.
      const begun = { text: `BEGIN ISOLATION LEVEL ${level}` }
      const read = { text: 'SELECT id, n FROM t ORDER BY id' }
      const steps = [[first, begun], [first, read], ...others] as const
      for (const both of [ours, theirs]) {
        for (const client of both) await client.answer('ROLLBACK')
        await both[0].answer('DELETE FROM t')
        await both[0].answer('INSERT INTO t (id, n) VALUES (1, 1), (2, 3)')
      }
      await compare(t, ours, theirs, steps, counts)
    }),
    { numRuns: runs(40), examples },
  )
  t.comment(`${counts.steps} steps, ${counts.conflicts} conflicts, ${counts.differences} decided`)
  t.ok(counts.conflicts > 0, 'some scripts have met a conflict')
  t.ok(counts.differences < counts.steps / 50, 'few answers differ')
})

async function compare(
  t: Test,
  ours: readonly Told[],
  theirs: readonly Told[],
  steps: readonly (readonly [number, Step])[],
  counts: { steps: number; conflicts: number; differences: number },
): Promise<void> {
  const locks = [new Locks(), new Locks()]
  const done: string[] = []
  for (const [who, given] of steps) {
    const [mine, other] = [locks[who], locks[1 - who]] as [Locks, Locks]
    if (other.blocks(given.writes)) continue
    // It would only fail the transaction.
    if (mine.isInside && given.text.startsWith('BEGIN ISOLATION')) continue
    done.push(`${who}: ${given.text}`)
    const own = same(await (ours[who] as Told).answer(given.text))
    const their = same(await (theirs[who] as Told).answer(given.text))
    counts.steps++
    const begun = /SERIALIZABLE/.test(given.text)
    if (begun) mine.level = 'SERIALIZABLE'
    // Asked before its COMMIT ends the transaction.
    const isSerializable = locks.some(({ level }) => level === 'SERIALIZABLE')
    const hasRemoved = mine.isInside && done.some((line) => line.startsWith(`${1 - who}: DELETE`))
    const hasKeyShare = done.some((line) => line.startsWith(`${who}: `) && /KEY SHARE/.test(line))
    mine.note(given, their)
    if (their.code === '40001') counts.conflicts++
    const isEqual = JSON.stringify(own) === JSON.stringify(their)
    if (
      !isEqual &&
      reasonFor(own, their, { isSerializable, hasRemoved, hasKeyShare }) !== undefined
    ) {
      // From here on the two have different pasts.
      counts.differences++
      return
    }
    t.same(own, their, done.join('\n'))
    if (!isEqual) throw new Error('the answers differ')
    // A conflict ends the transaction of the store: savepoints before it are not reached again.
    if (own.code === '40001' && own.state === 'E') {
      for (const clients of [ours, theirs]) await (clients[who] as Told).answer('ROLLBACK')
      mine.note({ text: 'ROLLBACK' }, { state: 'I', notices: [] })
    }
  }
}
