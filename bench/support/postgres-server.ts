// The peer of the SQL bench: a real PostgreSQL as Debian has it, with its own settings but for the
// folder and the port, in a process of its own.

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { chown } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import type { Peer } from './processes.js'
import { freePort } from './redis-server.js'

const run = promisify(execFile)
const home = '/usr/lib/postgresql'
const retryMs = 50

function programs(): string | undefined {
  if (!existsSync(home)) return undefined
  const versions = readdirSync(home).sort((a, b) => Number(b) - Number(a))
  return versions
    .map((version) => join(home, version, 'bin'))
    .find((folder) => existsSync(join(folder, 'initdb')))
}

/** Why there is nothing to measure beside; undefined if there is. */
export function missingPostgres(): string | undefined {
  return programs() === undefined ? 'PostgreSQL is not installed' : undefined
}

/** User `bench`, database `postgres`, no password. */
export async function startPostgres(): Promise<Peer> {
  const folder = programs()
  if (folder === undefined) throw new Error('PostgreSQL is not installed')
  const data = mkdtempSync('/tmp/postgres-bench-')
  const isRoot = process.getuid?.() === 0
  // It refuses to run as root.
  const as = isRoot ? ['setpriv', '--reuid=nobody', '--regid=nogroup', '--clear-groups'] : []
  if (isRoot) {
    const { stdout } = await run('id', ['-u', 'nobody'])
    await chown(data, Number(stdout), Number(stdout))
  }
  const [maker = '', ...made] = [...as, join(folder, 'initdb'), '-D', join(data, 'data')]
  await run(maker, [...made, '-U', 'bench', '-A', 'trust', '--locale=C.UTF-8'], { cwd: '/tmp' })
  const port = await freePort()
  const [program = '', ...args] = [...as, join(folder, 'postgres'), '-D', join(data, 'data')]
  const child = spawn(program, [...args, '-p', String(port), '-k', data, '-h', '127.0.0.1'], {
    cwd: '/tmp',
    stdio: 'ignore',
  })
  while (!(await answers(port))) await sleep(retryMs)
  return {
    pid: child.pid ?? 0,
    port,
    async stop() {
      const gone = once(child, 'exit')
      child.kill('SIGINT')
      await gone
      rmSync(data, { recursive: true, force: true })
    },
  }
}

async function answers(port: number): Promise<boolean> {
  const place = { host: '127.0.0.1', port, user: 'bench', database: 'postgres' }
  const client = new pg.Client(place)
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.end()
    return true
  } catch {
    return false
  }
}
