// A PostgreSQL server of its own for tests that stand beside it: Debian's programs, a folder that
// goes with the test, a socket in it and no port.

import { execFile, spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import postgres from 'postgres'
import type { Test } from 'tap'

const run = promisify(execFile)
const home = '/usr/lib/postgresql'

/** The newest version's programs; undefined where there are none. */
function programs(): string | undefined {
  if (!existsSync(home)) return undefined
  const versions = readdirSync(home).sort((a, b) => Number(b) - Number(a))
  const folders = versions.map((version) => join(home, version, 'bin'))
  return folders.find((folder) => existsSync(join(folder, 'initdb')))
}

/** Why there is no PostgreSQL; false where there is one, and in CI, which has to have it. */
export const postgresMissing: string | false =
  programs() === undefined && process.env.CI !== 'true' ? 'PostgreSQL is not installed' : false

/** A value of a result as the server wrote it; null is NULL. */
type Cell = string | null

export interface PostgresReference {
  /** A client of one connection. */
  readonly client: postgres.Sql
  /** Rows by position, and the OIDs of their columns. */
  query(text: string): Promise<{ readonly rows: readonly Cell[][]; readonly types: number[] }>
}

/** A server that ends with the test; texts compare by their bytes, times are in UTC. */
export async function openPostgres(t: Test): Promise<PostgresReference> {
  const folder = programs()
  if (folder === undefined) throw new Error('CI installs PostgreSQL')
  // A socket's path has to be short.
  const data = await mkdtemp('/tmp/sigil-pg-')
  t.teardown(() => rm(data, { recursive: true, force: true }))
  const isRoot = process.getuid?.() === 0
  const as = isRoot ? ['setpriv', '--reuid=nobody', '--regid=nogroup', '--clear-groups'] : []
  if (isRoot) {
    const { stdout } = await run('id', ['-u', 'nobody'])
    await chown(data, Number(stdout), Number(stdout))
    await chmod(data, 0o700)
  }
  const pg = join(data, 'data')
  const [program = '', ...args] = [...as, join(folder, 'initdb')]
  const made = [
    '-D',
    pg,
    '-U',
    'test',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--locale=C.UTF-8',
    '--no-sync',
  ]
  await run(program, [...args, ...made], { cwd: '/tmp' })
  await start(t, [...as, join(folder, 'postgres')], pg, data)
  const sql = postgres({
    ...{ host: data, port: 5432, user: 'test', database: 'postgres', max: 1 },
    connection: { TimeZone: 'UTC' },
    onnotice: () => undefined,
  })
  t.teardown(() => sql.end())
  return {
    client: sql,
    query: async (text) => {
      const result = await sql
        .unsafe(text)
        .raw()
        .catch((cause: unknown) => {
          throw new Error(`PostgreSQL refuses ${text}: ${String(cause)}`)
        })
      const rows = [...result].map((row) => {
        return (row as unknown as (Buffer | null)[]).map((cell) => cell?.toString() ?? null)
      })
      return { rows, types: (result.columns ?? []).map(({ type }) => type) }
    },
  }
}

async function start(
  t: Test,
  [program = '', ...args]: readonly string[],
  pg: string,
  folder: string,
): Promise<void> {
  const settings = ['fsync=off', 'listen_addresses=', `unix_socket_directories=${folder}`]
  const options = settings.flatMap((setting) => ['-c', setting])
  const server = spawn(program, [...args, '-D', pg, ...options], { cwd: '/tmp' })
  const closed = new Promise((resolve) => server.once('close', resolve))
  t.teardown(async () => {
    server.kill('SIGINT')
    await closed
  })
  await new Promise<void>((resolve, reject) => {
    let log = ''
    server.stderr.on('data', (piece: Buffer) => {
      log += String(piece)
      if (log.includes('ready to accept connections')) resolve()
    })
    server.once('close', () => reject(new Error(`PostgreSQL did not start: ${log}`)))
  })
}
