// The channels of LISTEN and PUBLISH are one: psql, node-postgres, postgres.js, psycopg, ioredis and
// redis-cli hear each other, unmodified.

import { execFile, spawn } from 'node:child_process'
import { promisify } from 'node:util'
import { Redis } from 'ioredis'
import pg from 'pg'
import postgres from 'postgres'
import t, { type Test } from 'tap'
import { type LiveGateway, startGateway } from '../support/live-gateway.js'

const run = promisify(execFile)
const python = process.env.SIGIL_PYTHON ?? 'python3'

const installed = (file: string, ...args: readonly string[]) =>
  run(file, args).then(
    () => true,
    () => false,
  )

/** Waits for the next things that are told, in their order. */
class Heard {
  private readonly all: string[] = []
  private tell: (() => void) | undefined

  readonly hear = (text: string): void => {
    this.all.push(text)
    this.tell?.()
  }

  async next(count: number): Promise<string[]> {
    while (this.all.length < count) {
      await new Promise<void>((resolve) => {
        this.tell = resolve
      })
    }
    return this.all.splice(0, count)
  }
}

function redisOf(t: Test, { ports, key }: LiveGateway): Redis {
  const redis = new Redis({ port: ports.redis, username: 'operator', password: key })
  t.teardown(() => redis.disconnect())
  return redis
}

async function pgOf(t: Test, { ports, key }: LiveGateway): Promise<pg.Client> {
  const options = { host: '127.0.0.1', port: ports.sql, user: 'operator', password: key }
  const client = new pg.Client({ ...options, database: 'main' })
  await client.connect()
  t.teardown(() => client.end().catch(() => undefined))
  return client
}

t.test('node-postgres and ioredis hear each other', async (t) => {
  const gateway = await startGateway(t)
  const sql = await pgOf(t, gateway)
  const [subscriber, publisher] = [redisOf(t, gateway), redisOf(t, gateway)]
  const bySql = new Heard()
  const byKeys = new Heard()
  sql.on('notification', ({ channel, payload, processId }) =>
    bySql.hear(`${processId} ${channel} ${payload}`),
  )
  subscriber.on('pmessage', (pattern, channel, text) =>
    byKeys.hear(`${pattern} ${channel} ${text}`),
  )
  await sql.query('LISTEN jobs')
  await subscriber.psubscribe('j*')
  t.equal(await publisher.publish('jobs', 'from a key-value client'), 2)
  t.same(await bySql.next(1), ['0 jobs from a key-value client'])
  await sql.query("NOTIFY jobs, 'from SQL'")
  const pid = (await sql.query('SELECT pg_backend_pid() AS pid')).rows[0]?.pid
  t.same(await bySql.next(1), [`${pid} jobs from SQL`])
  t.same(await byKeys.next(2), ['j* jobs from a key-value client', 'j* jobs from SQL'])
  t.same(await publisher.pubsub('NUMSUB', 'jobs'), ['jobs', 1])
  await sql.query('UNLISTEN jobs')
  t.same(await publisher.pubsub('NUMSUB', 'jobs'), ['jobs', 0])
  await sql.query('LISTEN jobs')
  await sql.end()
  t.equal(await publisher.publish('jobs', 'to no session'), 1, 'a closed session hears nothing')
})

t.test('payloads that are no text of PostgreSQL are shown as far as they can be', async (t) => {
  const gateway = await startGateway(t)
  const sql = await pgOf(t, gateway)
  const heard = new Heard()
  sql.on('notification', ({ payload }) => heard.hear(String(payload)))
  await sql.query('LISTEN c')
  const redis = redisOf(t, gateway)
  await redis.publish('c', Buffer.from([0x61, 0, 0x62, 0xff]))
  await redis.publish('c', 'x'.repeat(100_000))
  const [odd, long] = await heard.next(2)
  t.equal(odd, 'a\ufffdb\ufffd')
  t.equal(long?.length, 100_000, 'the bound is one of NOTIFY')
})

t.test('key events reach a session that listens to their channel', async (t) => {
  const gateway = await startGateway(t)
  const sql = await pgOf(t, gateway)
  const redis = redisOf(t, gateway)
  const heard = new Heard()
  sql.on('notification', ({ channel, payload }) => heard.hear(`${channel} ${payload}`))
  await redis.config('SET', 'notify-keyspace-events', 'KEA')
  await sql.query('LISTEN "__keyevent@0__:set"; LISTEN "__keyspace@0__:a"')
  await redis.set('a', 1)
  t.same(await heard.next(2), ['__keyspace@0__:a set', '__keyevent@0__:set a'])
})

t.test('postgres.js listens, and a transaction notifies when it commits', async (t) => {
  const { ports, key } = await startGateway(t)
  const sql = postgres({
    ...{ host: '127.0.0.1', port: ports.sql, user: 'operator', password: key, database: 'main' },
    onnotice: () => {},
  })
  t.teardown(() => sql.end())
  const heard = new Heard()
  const { unlisten } = await sql.listen('orders', heard.hear)
  await sql.notify('orders', 'plain')
  await sql.begin(async (tx) => {
    await tx`SELECT pg_notify('orders', ${'committed'})`
    for (const payload of ['twice', 'twice']) await tx`SELECT pg_notify('orders', ${payload})`
  })
  const undone = sql.begin(async (tx) => {
    await tx`SELECT pg_notify('orders', 'undone')`
    throw new Error('not now')
  })
  await t.rejects(undone, /not now/)
  await sql.notify('orders', 'last')
  t.same(await heard.next(4), ['plain', 'committed', 'twice', 'last'])
  await unlisten()
})

t.test('psql prints what redis-cli publishes', async (t) => {
  const hasBoth = (await installed('psql', '--version')) && (await installed('redis-cli', '-v'))
  if (!hasBoth) {
    t.notOk(process.env.CI, 'CI installs psql and redis-cli')
    t.comment('skipped: psql or redis-cli is not installed')
    return
  }
  const { ports, key } = await startGateway(t)
  const place = ['-h', '127.0.0.1', '-p', String(ports.sql), '-U', 'operator', '-d', 'main']
  const { PATH = '' } = process.env
  const child = spawn('psql', ['-X', '-At', ...place], {
    env: { PATH, PGPASSWORD: key, LC_ALL: 'C' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  t.teardown(() => child.kill())
  let out = ''
  const heard = new Heard()
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk
    const lines = out.split('\n')
    out = lines.pop() ?? ''
    for (const line of lines) heard.hear(line)
  })
  child.stdin.write('LISTEN news;\n')
  t.same(await heard.next(1), ['LISTEN'])
  const login = [
    '-p',
    String(ports.redis),
    '--user',
    'operator',
    '--pass',
    key,
    '--no-auth-warning',
  ]
  const { stdout } = await run('redis-cli', [...login, 'PUBLISH', 'news', 'hello'])
  t.equal(stdout.trim(), '1')
  child.stdin.write('SELECT 1;\n')
  const printed =
    'Asynchronous notification "news" with payload "hello" received from server process'
  t.same(await heard.next(2), ['1', `${printed} with PID 0.`])
  const ended = new Promise((resolve) => child.once('close', resolve))
  child.stdin.end('\\q\n')
  await ended
})

const psycopg = `
import sys, psycopg
port, key = sys.argv[1], sys.argv[2]
line = f'host=127.0.0.1 port={port} user=operator password={key} dbname=main'
with psycopg.connect(line, autocommit=True) as a, psycopg.connect(line) as b:
    a.execute('LISTEN c')
    b.execute("SELECT pg_notify('c', %s)", ('undone',))
    b.rollback()
    b.execute("SELECT pg_notify('c', %s)", ('one',))
    b.execute("NOTIFY c, 'two'")
    b.commit()
    got = [(n.channel, n.payload, n.pid) for n in a.notifies(timeout=20, stop_after=2)]
    pid = b.info.backend_pid
    assert got == [('c', 'one', pid), ('c', 'two', pid)], got
    a.execute('UNLISTEN *')
    assert a.execute('SELECT pg_listening_channels()').fetchall() == []
print('fine')
`

t.test('psycopg hears what was committed', async (t) => {
  if (!(await installed(python, '-c', 'import psycopg'))) {
    t.notOk(process.env.CI, 'CI installs psycopg')
    t.comment(`skipped: no psycopg in ${python}; SIGIL_PYTHON names a Python that has it`)
    return
  }
  const { ports, key } = await startGateway(t)
  const { stdout } = await run(python, ['-c', psycopg, String(ports.sql), key], { timeout: 60_000 })
  t.equal(stdout.trim(), 'fine')
})
