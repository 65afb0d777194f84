// A real server of the protocol, for tests that compare with it: in a folder of its own, on a port
// of its own, ended by its own process. Where it is not installed there is a reason to print.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../support/fixed-ports.js'

let missing: Promise<string | undefined> | undefined

/**
 * Why a comparison cannot be made here; undefined where the server is installed. Looked up once: a
 * file that waited for a process between its tests might be taken for ended.
 */
export function redisServerMissing(): Promise<string | undefined> {
  missing ??= lookForServer()
  return missing
}

async function lookForServer(): Promise<string | undefined> {
  const found = await new Promise<boolean>((resolve) => {
    const child = spawn('redis-server', ['--version'], { stdio: 'ignore' })
    child.once('error', () => resolve(false))
    child.once('exit', (code) => resolve(code === 0))
  })
  return found ? undefined : 'redis-server is not installed: apt-get install redis-server'
}

export class RedisServer {
  private constructor(
    readonly port: number,
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {}

  /** Starts it without persistence; `settings` as on its command line. */
  static async open(...settings: readonly string[]): Promise<RedisServer> {
    const folder = await mkdtemp(join(tmpdir(), 'sigil-redis-'))
    const port = await freePort()
    const fixed = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '']
    const child = spawn('redis-server', [...fixed, ...settings], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let said = ''
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', () => reject(new Error(`redis-server ended: ${said}`)))
      child.stdout?.on('data', (chunk: Buffer) => {
        said += chunk
        if (said.includes('Ready to accept connections')) resolve()
      })
    })
    return new RedisServer(port, child, folder)
  }

  /** All that it answers to a stream, until it or the end of the stream closes the connection. */
  answer(stream: Uint8Array): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const socket = connect(this.port, '127.0.0.1')
      const chunks: Buffer[] = []
      socket.on('data', (chunk: Buffer) => chunks.push(chunk))
      socket.once('error', reject)
      socket.once('close', () => resolve(Buffer.concat(chunks)))
      socket.end(stream)
    })
  }

  async close(): Promise<void> {
    const gone = new Promise((resolve) => this.child.once('exit', resolve))
    this.child.kill()
    await gone
    await rm(this.folder, { recursive: true })
  }
}
