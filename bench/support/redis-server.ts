// The peer of the key-value benches: a real redis-server in a process of its own, set up to be as
// durable as our default (its log synced every second, no snapshots), on a throw-away folder.

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Peer } from './processes.js'

const run = promisify(execFile)
const retryMs = 20

/** Why there is nothing to measure beside; undefined if there is. */
export async function missingRedis(): Promise<string | undefined> {
  try {
    await run('redis-benchmark', ['--version'])
    await run('redis-server', ['--version'])
    return undefined
  } catch (error) {
    return `redis is not installed (${error instanceof Error ? error.message : error})`
  }
}

export async function startRedis(): Promise<Peer> {
  const folder = mkdtempSync(join(tmpdir(), 'redis-bench-'))
  const port = await freePort()
  const child = spawn(
    'redis-server',
    [
      ...['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', ''],
      ...['--appendonly', 'yes', '--appendfsync', 'everysec', '--maxclients', '12000'],
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
  while (!(await answers(port))) await sleep(retryMs)
  return {
    pid: child.pid ?? 0,
    port,
    async stop() {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** One that nothing listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}
