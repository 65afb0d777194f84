// What is recorded of the PostgreSQL protocol: the starts of psql, node-postgres and `postgres`
// against a fixed gateway, through a proxy that writes down who said what.

import { execFile } from 'node:child_process'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { promisify } from 'node:util'
import pg from 'pg'
import postgres from 'postgres'
import { fixedStart, openFixedGateway, steadyRandom, testKey } from '../support/gateway.js'
import { saveSqlFixture, type sqlStarts, type Turn } from './sql-fixture.js'

const run = promisify(execFile)
const query = "SELECT 1 AS one, 'a' AS a"

interface Start {
  readonly version: () => Promise<string>
  readonly run: (port: number) => Promise<void>
}

const login = { host: '127.0.0.1', user: 'operator', password: testKey, database: 'main' }

const starts: Readonly<Record<(typeof sqlStarts)[number], Start>> = {
  'psql-start': {
    version: async () => (await run('psql', ['--version'])).stdout.trim(),
    run: async (port) => {
      const { PATH = '' } = process.env
      const place = ['-h', login.host, '-p', String(port), '-U', login.user, '-d', login.database]
      await run('psql', ['-X', ...place, '-c', query], {
        env: { PATH, PGPASSWORD: testKey, LC_ALL: 'C', PGGSSENCMODE: 'disable' },
      })
    },
  },
  'node-postgres-start': {
    version: async () => 'pg 8.23.1',
    run: async (port) => {
      const client = new pg.Client({ ...login, port })
      await client.connect()
      await client.query(query)
      await client.query('SELECT $1::int + 1 AS two', [1])
      await client.end()
    },
  },
  'node-postgres-listen': {
    version: async () => 'pg 8.23.1',
    run: async (port) => {
      const client = new pg.Client({ ...login, port })
      await client.connect()
      await client.query('LISTEN jobs')
      await client.query("NOTIFY jobs, 'one'")
      await client.query('SELECT pg_notify($1, $2)', ['jobs', 'two'])
      await client.query('UNLISTEN *')
      await client.end()
    },
  },
  'postgres-js-start': {
    version: async () => 'postgres 3.4.9',
    run: async (port) => {
      const sql = postgres({ ...login, port, max: 1 })
      await sql.unsafe(query)
      await sql`SELECT ${1}::int + 1 AS two`
      await sql.end()
    },
  },
}

/** Answers where they were written. */
export async function recordSqlStarts(): Promise<string[]> {
  const written: string[] = []
  for (const [name, start] of Object.entries(starts)) {
    const gateway = await openFixedGateway({ ...fixedStart, random: steadyRandom })
    const turns: { from: Turn['from']; hex: string }[] = []
    const note = (from: Turn['from'], chunk: Buffer): void => {
      const last = turns.at(-1)
      if (last?.from === from) last.hex += chunk.toString('hex')
      else turns.push({ from, hex: chunk.toString('hex') })
    }
    const sockets: Socket[] = []
    const proxy = createServer((client) => {
      const server = connect(gateway.ports.sql, '127.0.0.1')
      sockets.push(client, server)
      client.on('data', (chunk) => note('client', chunk))
      server.on('data', (chunk) => note('server', chunk))
      client.pipe(server).pipe(client)
      for (const socket of [client, server]) socket.on('error', () => {})
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    await start.run((proxy.address() as AddressInfo).port)
    for (const socket of sockets) socket.destroy()
    proxy.close()
    await gateway.close()
    const client = await start.version()
    written.push(saveSqlFixture({ name, client, nowMs: fixedStart.nowMs, frames: turns }))
  }
  return written
}
