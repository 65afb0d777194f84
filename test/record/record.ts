// `npm run record -- <script>`: runs a real client against a fixed gateway through the tee proxy and
// writes what was said to protocol-fixtures/wire/<script>.json; or one of the key-value protocol
// against its real server, into protocol-fixtures/resp. `resp` records all of those, `sql` the starts
// of clients of the PostgreSQL protocol; without a script they are listed.

import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fixedStart, openFixedGateway, testKey } from '../support/gateway.js'
import { mongoshScript } from '../support/tools.js'
import { fixturePath, saveFixture } from './fixture.js'
import { clients, recordClient, recordTranscripts } from './record-resp.js'
import { recordSqlStarts } from './record-sql.js'
import { TeeProxy } from './tee-proxy.js'

interface Script {
  /** npm package whose version stands in the fixture. */
  readonly client: string
  /** Arguments of node. */
  readonly program: (uri: string) => readonly string[]
  /** What is typed into it, where it is a shell. */
  readonly input?: string
}

const root = new URL('../../../', import.meta.url)
const fromRoot = (path: string) => fileURLToPath(new URL(path, root))
const built = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const mongosh = await mongoshScript()

const scripts: Readonly<Record<string, Script>> = {
  'driver-6': { client: 'mongodb6', program: (uri) => [built('scripts/driver-6.js'), uri] },
  'driver-7': { client: 'mongodb', program: (uri) => [built('scripts/driver-7.js'), uri] },
  'mongosh-start': {
    client: 'mongosh',
    program: (uri) => [mongosh, uri, '--quiet', '--eval', 'db.runCommand({ ping: 1 })'],
  },
  'mongosh-session': {
    client: 'mongosh',
    program: (uri) => [mongosh, uri],
    input: 'test/record/scripts/mongosh-session.txt',
  },
}

async function record(name: string, script: Script): Promise<number> {
  const gateway = await openFixedGateway(fixedStart)
  const proxy = new TeeProxy(gateway.ports.wire)
  try {
    const host = `operator:${testKey}@127.0.0.1:${await proxy.listen()}`
    // Without streams: the reply to an awaited hello depends on the time.
    const uri = `mongodb://${host}/?directConnection=true&serverMonitoringMode=poll`
    await run(script, uri)
  } finally {
    await proxy.close()
    await gateway.close()
  }
  const { name: client, version } = packageOf(script.client)
  const { seed, nowMs } = fixedStart
  saveFixture({ name, client: `${client} ${version}`, seed, nowMs, frames: proxy.frames })
  return proxy.frames.length
}

/** Runs the client on a machine like any other and in a home of its own. */
async function run({ program, input }: Script, uri: string): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'sigil-record-'))
  const argv = ['--import', built('neutral-machine.js'), ...program(uri)]
  const child = spawn(process.execPath, argv, {
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { ...process.env, HOME: home },
  })
  child.stdin.end(input === undefined ? '' : readFileSync(fromRoot(input)))
  try {
    await new Promise<void>((resolve, reject) => {
      child.on('error', reject)
      child.on('exit', (code) => {
        if (code === 0) resolve()
        else reject(new Error(`${argv[2]} ended with ${code}`))
      })
    })
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

function packageOf(name: string): { name: string; version: string } {
  const require = createRequire(import.meta.url)
  const folder = name === 'mongosh' ? 'build/tools/mongosh/node_modules' : 'node_modules'
  return require(fromRoot(`${folder}/${name}/package.json`))
}

const [name = ''] = process.argv.slice(2)
const script = scripts[name]
const client = clients[name]
const say = (text: string) => process.stdout.write(`${text}\n`)
if (script !== undefined) say(`${fixturePath(name)}: ${await record(name, script)} frames`)
else if (client !== undefined) say(await recordClient(name, client))
else if (name === 'sql') {
  for (const path of await recordSqlStarts()) say(path)
} else if (name === 'resp') {
  for (const [each, other] of Object.entries(clients)) say(await recordClient(each, other))
  for (const path of await recordTranscripts()) say(path)
} else {
  const names = [...Object.keys(scripts), 'sql', 'resp', ...Object.keys(clients)]
  process.stderr.write(`usage: npm run record -- ${names.join(' | ')}\n`)
  process.exitCode = 1
}
