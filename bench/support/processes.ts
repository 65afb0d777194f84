// Servers under measurement run as processes of their own, on free ports and throw-away folders,
// and are ended by their process id.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const benchKey = `svc_op_${'b'.repeat(64)}`

export interface SigilProcess {
  readonly pid: number
  readonly httpPort: number
  readonly wirePort: number
  readonly redisPort: number
  readonly sqlPort: number
  readonly uri: string
  readonly folder: string
  /** From spawn to the line that says it is ready, milliseconds. */
  readonly startMs: number
  stop(): Promise<void>
  /** The event loop since the last call, milliseconds; needs TICK_PROBE=1. */
  longestTick(): Promise<TickReport>
  /** Notes from now on what other owners have while commands of this one are there. */
  watch(owner: string): void
  /** What was noted since the last call, milliseconds a command. */
  othersMs(): Promise<number[]>
}

export interface TickReport {
  /** Longest turn, less the collections. */
  readonly maxMs: number
  /** Longest garbage collection. */
  readonly gcMaxMs: number
}

interface StartOptions {
  readonly folder?: string
  readonly environment?: Readonly<Record<string, string>>
}

/**
 * Of `npm start`, for peers too: short-lived buffers die young, and what lives long while a server
 * starts does not make the engine take all of its kind for long-lived.
 */
const startFlags = ['--max-semi-space-size=16', '--no-allocation-site-pretenuring']

/** Starts build/bench/support/sigil-child.js, which reports its ports and event loop over IPC. */
export async function startSigil(options: StartOptions = {}): Promise<SigilProcess> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'sigil-bench-'))
  const started = performance.now()
  const args = [...startFlags, '--expose-gc', 'build/bench/support/sigil-child.js']
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: {
      MALLOC_MMAP_THRESHOLD_: '262144',
      ...process.env,
      STORE: `lmdb:${folder}`,
      API_KEY: benchKey,
      HTTP_PORT: '0',
      WIRE_PORT: '0',
      REDIS_PORT: '0',
      SQL_PORT: '0',
      LOG_LEVEL: 'error',
      ...options.environment,
    },
  })
  const ports = (await message(child)) as Record<'http' | 'wire' | 'redis' | 'sql', number>
  return {
    pid: child.pid ?? 0,
    httpPort: ports.http,
    wirePort: ports.wire,
    redisPort: ports.redis,
    sqlPort: ports.sql,
    uri: `mongodb://operator:${benchKey}@127.0.0.1:${ports.wire}/main`,
    folder,
    startMs: performance.now() - started,
    async stop() {
      await end(child)
      if (options.folder === undefined) rmSync(folder, { recursive: true, force: true })
    },
    async longestTick() {
      child.send('ticks')
      return (await message(child)) as TickReport
    },
    watch(owner) {
      child.send({ watch: owner })
    },
    async othersMs() {
      child.send('others')
      return (await message(child)) as number[]
    },
  }
}

export interface Peer {
  readonly pid: number
  readonly port: number
  stop(): Promise<void>
}

/** Starts a peer of bench/peers; it sends its port once it listens. */
export async function startPeer(name: string, ...values: readonly string[]): Promise<Peer> {
  const args = [...startFlags, `build/bench/peers/${name}.js`, ...values]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const port = (await message(child)) as number
  return { pid: child.pid ?? 0, port, stop: () => end(child) }
}

function message(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null) =>
      reject(new Error(`a server under measurement ended with ${code}`))
    child.once('exit', ended)
    child.once('message', (received) => {
      child.off('exit', ended)
      resolve(received)
    })
  })
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  await gone
}

/** Processor time of the thread that runs a process' event loop so far, milliseconds. */
export function loopTimeOf(pid: number): number {
  // Behind the name, which may hold anything: fields 14 and 15 are ticks of 10 ms.
  const [, fields = ''] = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8').split(') ')
  const [user = 0, system = 0] = fields.split(' ').slice(11, 13).map(Number)
  return (user + system) * 10
}

/** As loopTimeOf, to the last time that the thread was scheduled: within some milliseconds. */
export function preciseLoopTimeOf(pid: number): number {
  const [ran] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')
  return Number(ran) / 1_000_000
}

/** RssAnon and RssFile of a process and those below it, megabytes. */
export function memoryOf(pid: number): { anon: number; file: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const figure = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0)
  const sum = { anon: figure('RssAnon') / 1024, file: figure('RssFile') / 1024 }
  const below = `/proc/${pid}/task/${pid}/children`
  if (!existsSync(below)) return sum
  for (const child of readFileSync(below, 'utf8').split(' ').filter(Boolean)) {
    const more = memoryOf(Number(child))
    sum.anon += more.anon
    sum.file += more.file
  }
  return sum
}
