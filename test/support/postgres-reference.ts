// A PostgreSQL server of its own for tests that stand beside it: Debian's programs, a folder that
// goes with the test, a socket in it and no port.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import postgres from 'postgres'
import type { Test } from 'tap'

const run = promisify(execFile)
const home = '/usr/lib/postgresql'

/** Folder of the programs of another version than Debian's. */
export const programsVariable = 'SIGIL_POSTGRES_PROGRAMS'

/** The given programs, or Debian's newest; undefined where there are none. */
function programs(): string | undefined {
  const given = process.env[programsVariable]
  if (given !== undefined) return given
  if (!existsSync(home)) return undefined
  const versions = readdirSync(home).sort((a, b) => Number(b) - Number(a))
  const folders = versions.map((version) => join(home, version, 'bin'))
  return folders.find((folder) => existsSync(join(folder, 'initdb')))
}

/** The path of one of its programs. */
export function postgresProgram(name: string): string {
  return join(programs() ?? '', name)
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

/** A test, or another place with an end. */
export interface Ending {
  teardown(end: () => unknown): unknown
}

/** A server that can be killed and started again. */
export interface PostgresServer {
  /** Folder of its socket. */
  readonly folder: string
  /** Process id of the postmaster. */
  readonly pid: number
  /** Ends it at once, as a crash does, and starts it again. */
  restart(): Promise<void>
  /** Ends it; with `immediate` as a crash does. */
  stop(signal?: 'SIGINT' | 'SIGQUIT'): Promise<void>
  start(): Promise<void>
}

/** A server that ends with the test; texts compare by their bytes, times are in UTC. */
export async function openPostgres(t: Test): Promise<PostgresReference> {
  const { folder } = await openPostgresServer(t)
  return openReference(t, folder)
}

/** A server that ends with the test; its user `test` may do everything. */
export async function openPostgresServer(t: Ending): Promise<PostgresServer> {
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
  const server = new Server([...as, join(folder, 'postgres')], pg, data)
  t.teardown(() => server.stop())
  await server.start()
  return server
}

/** A client of the server with its socket in that folder. */
export function openReference(t: Ending, data: string): PostgresReference {
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

class Server implements PostgresServer {
  private running: ChildProcess | undefined

  constructor(
    private readonly program: readonly string[],
    private readonly data: string,
    readonly folder: string,
  ) {}

  get pid(): number {
    return this.running?.pid ?? 0
  }

  async start(): Promise<void> {
    const settings = ['fsync=off', 'listen_addresses=', `unix_socket_directories=${this.folder}`]
    const options = [...settings, 'max_connections=200'].flatMap((setting) => ['-c', setting])
    const [program = '', ...args] = this.program
    const server = spawn(program, [...args, '-D', this.data, ...options], { cwd: '/tmp' })
    this.running = server
    await new Promise<void>((resolve, reject) => {
      let log = ''
      server.stderr.on('data', (piece: Buffer) => {
        log += String(piece)
        if (log.includes('ready to accept connections')) resolve()
      })
      server.once('close', () => reject(new Error(`PostgreSQL did not start: ${log}`)))
    })
  }

  async stop(signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT'): Promise<void> {
    const { running } = this
    if (running === undefined) return
    this.running = undefined
    const closed = new Promise((resolve) => running.once('close', resolve))
    running.kill(signal)
    await closed
  }

  async restart(): Promise<void> {
    await this.stop('SIGQUIT')
    await this.start()
  }
}
