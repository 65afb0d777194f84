// What is recorded of the key-value protocol, always with the real server: conversations of clients
// through the proxy, and the differential suite's runs.

import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { systemClock } from '../../src/base/clock.js'
import { RedisServer } from '../protocol/resp/redis-server.js'
import { families } from '../support/families.js'
import { testKey } from '../support/gateway.js'
import { scriptLines } from '../support/key-scripts.js'
import { answersOf } from '../support/reference-runs.js'
import { RespClient } from '../support/resp-client.js'
import { seededRandom } from '../support/seeded-random.js'
import { cut, saveConversation, saveTranscript } from './resp-fixture.js'
import { RespProxy } from './resp-proxy.js'

interface Client {
  /** npm package whose version stands in the fixture, or what prints the version. */
  readonly version: string | readonly [command: string, ...args: string[]]
  readonly command: string
  readonly args: (port: string) => readonly string[]
  /** What is there when it begins: lines of words without spaces, recorded before it. */
  readonly before?: readonly string[]
  /** Typed or piped into it. */
  readonly input?: string
  /** It may not end by itself: it is ended when so many frames have passed. */
  readonly frames?: number
}

const root = new URL('../../../', import.meta.url)
const built = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const python = process.env.SIGIL_PYTHON ?? 'python3'

function cli(args: readonly string[], more: Partial<Client> = {}): Client {
  const login = ['-a', testKey]
  return {
    version: ['redis-cli', '--version'],
    command: 'redis-cli',
    args: (port) => [
      ...['--no-auth-warning', '-p', port],
      ...(args.includes('--user') ? [] : login),
      ...args,
    ],
    ...more,
  }
}

function library(name: string, version: string): Client {
  const script = built('scripts/redis-libraries.js')
  return { version, command: process.execPath, args: (port) => [script, name, port] }
}

const someKeys = [
  ...[`AUTH ${testKey}`, 'SET a 1', 'SET abc longer', 'LPUSH l x y', 'SADD s m', 'HSET h f v'],
  'ZADD z 1 m',
]

export const clients: Readonly<Record<string, Client>> = {
  'cli-command': cli(['SET', 'a', '1']),
  'cli-resp3': cli(['-3', 'HELLO']),
  'cli-database': cli(['-n', '3', 'DBSIZE']),
  'cli-user': cli(['--user', 'operator', '--pass', testKey, 'PING']),
  'cli-session': cli([], { input: 'SET a 1\nGET a\nMULTI\nINCR a\nEXEC\nLPUSH a x\nFLUSHALL\n' }),
  'cli-stdin': cli(['-x', 'SET', 'a'], { input: 'from the input' }),
  'cli-pipe': cli(['--pipe'], { input: 'SET a 1\r\n*2\r\n$4\r\nINCR\r\n$1\r\na\r\n' }),
  'cli-scan': cli(['--scan', '--pattern', 'a*'], { before: someKeys }),
  'cli-bigkeys': cli(['--bigkeys'], { before: someKeys }),
  'cli-memkeys': cli(['--memkeys'], { before: someKeys }),
  'cli-stat': cli(['--stat', '-i', '0.01'], { frames: 6 }),
  'cli-latency': cli(['--latency', '-i', '0.01'], { frames: 12 }),
  'cli-subscribe': cli(['SUBSCRIBE', 'news'], { frames: 3 }),
  'cli-monitor': cli(['MONITOR'], { frames: 3 }),
  benchmark: {
    version: ['redis-benchmark', '--version'],
    command: 'redis-benchmark',
    args: (port) => ['-p', port, '-a', testKey, ...'-c 1 -n 3 -q -t set,get,lpush'.split(' ')],
  },
  ioredis: library('ioredis', 'ioredis'),
  'ioredis-options': library('ioredis-options', 'ioredis'),
  'ioredis-subscriber': library('ioredis-subscriber', 'ioredis'),
  'ioredis-monitor': library('ioredis-monitor', 'ioredis'),
  'node-redis-2': library('node-redis-2', 'redis'),
  'node-redis-3': library('node-redis-3', 'redis'),
  'node-redis-pool': library('node-redis-pool', 'redis'),
  'connect-redis': library('connect-redis', 'connect-redis'),
  'redis-py': {
    version: [python, '-c', 'import redis; print("redis-py", redis.__version__)'],
    command: python,
    args: (port) => [
      fileURLToPath(new URL('test/record/scripts/redis-py.py', root)),
      ...[port, testKey],
    ],
  },
}

/** Answers where it was written. */
export async function recordClient(name: string, client: Client): Promise<string> {
  const operator = ['--user', 'operator', 'on', `>${testKey}`, '~*', '&*', '+@all']
  const settings = ['--requirepass', testKey, '--appendonly', 'yes', ...operator]
  const server = await RedisServer.open(...settings)
  const proxy = new RespProxy(server.port)
  try {
    const port = String(await proxy.listen())
    if (client.before !== undefined) {
      const first = await RespClient.open(Number(port))
      for (const line of client.before) await first.call(...line.split(' '))
    }
    await run(client, port, proxy)
  } finally {
    await proxy.close()
    await server.close()
  }
  const { frames } = proxy
  return saveConversation({
    name,
    client: await versionOf(client),
    server: await reference(),
    frames,
  })
}

async function run(client: Client, port: string, proxy: RespProxy): Promise<void> {
  const { command, input = '', frames } = client
  const child = spawn(command, client.args(port), { stdio: ['pipe', 'ignore', 'inherit'] })
  child.stdin.end(input)
  const gone = new Promise<void>((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code, signal) => {
      if (code === 0 || signal === 'SIGKILL') resolve()
      else reject(new Error(`${command} ended with ${code}`))
    })
  })
  if (frames !== undefined) {
    await Promise.race([proxy.heard(frames), gone])
    child.kill('SIGKILL')
  }
  await gone
}

async function versionOf({ version }: Client): Promise<string> {
  if (typeof version !== 'string') return await printed(version)
  const require = createRequire(import.meta.url)
  const path = fileURLToPath(new URL(`node_modules/${version}/package.json`, root))
  const found = require(path) as { name: string; version: string }
  return `${found.name} ${found.version}`
}

async function reference(): Promise<string> {
  const [, version = ''] = /v=(\S+)/.exec(await printed(['redis-server', '--version'])) ?? []
  return `redis-server ${version}`
}

function printed([command, ...args]: readonly [string, ...string[]]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let text = ''
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk
    })
    child.on('error', reject)
    child.on('close', () => resolve(text.trim()))
  })
}

/** Runs of each family that are kept, and commands of each. */
const runsEach = 10
const commandsEach = 60

/** Runs of the differential suite with the reference server's replies. */
export async function recordTranscripts(): Promise<string[]> {
  const server = await RedisServer.open()
  const written: string[] = []
  for (const protocol of ['2', '3'] as const) {
    const client = await RespClient.open(server.port)
    await client.call('HELLO', protocol)
    for (const [name, sequence] of Object.entries(families)) {
      const sequences = Array.from({ length: runsEach }, (_, i) =>
        sequence(seededRandom(i + 1), commandsEach),
      )
      written.push(await transcript(client, name.replace(' ', '-'), protocol, sequences))
    }
    written.push(await transcript(client, 'scripts', protocol, scriptLines()))
    client.close()
  }
  await server.close()
  return written
}

async function transcript(
  client: RespClient,
  name: string,
  protocol: '2' | '3',
  sequences: readonly string[][][],
): Promise<string> {
  const runs = []
  const nowMs = systemClock.now()
  for (const lines of sequences) {
    await client.call('FLUSHALL')
    const replies = await answersOf(client, lines)
    runs.push(lines.map((line, i) => [line, cut(replies[i] ?? '')] as const))
  }
  return saveTranscript({ name, server: await reference(), protocol, nowMs, runs })
}
