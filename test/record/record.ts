// `npm run record -- <script>`: runs a real client against a fixed gateway through the tee proxy and
// writes what was said to protocol-fixtures/wire/<script>.json. Without a script, lists them.

import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { fixedStart, openFixedGateway, testKey } from '../support/gateway.js'
import { fixturePath, saveFixture } from './fixture.js'
import { TeeProxy } from './tee-proxy.js'

interface Script {
  /** npm package whose version stands in the fixture. */
  readonly client: string
  /** Arguments of node, the address apart, which comes last. */
  readonly program: (uri: string) => readonly string[]
}

const root = new URL('../../../', import.meta.url)
const fromRoot = (path: string) => fileURLToPath(new URL(path, root))
const built = (name: string) => fileURLToPath(new URL(`scripts/${name}.js`, import.meta.url))
const mongosh = fromRoot('node_modules/mongosh/bin/mongosh.js')

const scripts: Readonly<Record<string, Script>> = {
  'driver-6': { client: 'mongodb6', program: (uri) => [built('driver-6'), uri] },
  'driver-7': { client: 'mongodb', program: (uri) => [built('driver-7'), uri] },
  'mongosh-start': {
    client: 'mongosh',
    program: (uri) => [mongosh, uri, '--quiet', '--eval', 'db.runCommand({ ping: 1 })'],
  },
  'mongosh-session': {
    client: 'mongosh',
    program: (uri) => [
      ...[mongosh, uri, '--quiet', '--file'],
      fromRoot('test/record/scripts/mongosh-session.js'),
    ],
  },
}

async function record(name: string, script: Script): Promise<number> {
  const gateway = await openFixedGateway(fixedStart)
  const proxy = new TeeProxy(gateway.ports.wire)
  try {
    const uri = `mongodb://operator:${testKey}@127.0.0.1:${await proxy.listen()}/?directConnection=true`
    await run(script.program(uri))
  } finally {
    await proxy.close()
    await gateway.close()
  }
  const { name: client, version } = packageOf(script.client)
  const { seed, nowMs } = fixedStart
  saveFixture({ name, client: `${client} ${version}`, seed, nowMs, frames: proxy.frames })
  return proxy.frames.length
}

function run(argv: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [...argv], { stdio: 'inherit' })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code) => {
      if (code === 0) resolve()
      else reject(new Error(`${argv[0]} ended with ${code}`))
    })
  })
}

function packageOf(name: string): { name: string; version: string } {
  const require = createRequire(import.meta.url)
  return require(fromRoot(`node_modules/${name}/package.json`))
}

const [name = ''] = process.argv.slice(2)
const script = scripts[name]
if (script === undefined) {
  process.stderr.write(`usage: npm run record -- ${Object.keys(scripts).join(' | ')}\n`)
  process.exitCode = 1
} else {
  const frames = await record(name, script)
  process.stdout.write(`${fixturePath(name)}: ${frames} frames\n`)
}
