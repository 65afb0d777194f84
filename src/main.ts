#!/usr/bin/env -S MALLOC_MMAP_THRESHOLD_=262144 node --max-semi-space-size=16 --expose-gc --no-allocation-site-pretenuring
// The command line. Everything that may fail before Sigil serves fails here with one line and a
// non-zero exit code; nothing else in the project ends the process.

import { readFileSync } from 'node:fs'
import { systemClock, systemRandom } from './base/clock.js'
import { writeDurably } from './base/durable-file.js'
import { toGatewayError } from './base/errors.js'
import { type Log, openLog } from './base/log.js'
import { printSettings, readSettings, readSettingsFile, type Settings } from './base/settings.js'
import type { Gateway } from './gateway.js'
import { loadGateway } from './load-gateway.js'

const help = `Usage: sigil <command>

  start          serve documents (the default)
  config         print the settings in force, with their documentation
  import         load a file of documents into a running Sigil
  remember       load a file of memories into a graph of a running Sigil
  mcp            serve the graph memory of a running Sigil to an MCP client
  backup         write one state of a running Sigil to a file
  restore        make a data folder out of a backup; Sigil must be stopped
  check          verify a data folder; Sigil must be stopped
  verify         verify memories and graphs of a running Sigil, or exported evidence without it
  spaces         give wallets of an older folder homes of their own; Sigil must be stopped
  deploy         put the contracts on the chain of CHAIN_RPC_URL
  keys           recover the API keys of a wallet that are on the chain
  operator-key   make a new operator key; Sigil must be stopped
  health         ask the running Sigil whether it is well
  --version      print the version
`

const { version } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string }

type Program = (args: readonly string[]) => Promise<number>

/** Each loads what it needs itself: loading all of Sigil takes half a second. */
const programs: Readonly<Record<string, Program>> = {
  start: () => start(settings()),
  config: async () => print(printSettings(settings())),
  import: async (args) => (await import('./cli/import.js')).runImport(args),
  remember: async (args) => (await import('./cli/remember.js')).runRemember(args),
  mcp: async (args) => (await import('./cli/mcp.js')).runMcp(args, version),
  keys: async (args) => (await import('./cli/keys.js')).runKeys(args),
  backup: async (args) => (await import('./cli/backup.js')).runBackup(args),
  restore: async (args) => (await import('./cli/restore.js')).runRestore(settings(), args),
  check: async () => (await import('./cli/check.js')).runCheck(settings()),
  verify: async (args) => (await import('./cli/verify.js')).runVerify(args),
  spaces: async (args) => (await import('./cli/spaces.js')).runSpaces(settings(), args),
  deploy: async () => (await import('./cli/deploy.js')).runDeploy(settings()),
  'operator-key': async () => (await import('./cli/operator-key.js')).runOperatorKey(settings()),
  health: async () => (await import('./cli/health.js')).runHealth(settings()),
  help: async () => print(help),
  '--help': async () => print(help),
  '--version': async () => print(`${version}\n`),
}

async function main(): Promise<number> {
  const [name = 'start', ...args] = process.argv.slice(2)
  const program = programs[name]
  if (program === undefined) {
    process.stderr.write(`sigil: no command '${name}'\n\n${help}`)
    return 2
  }
  return program(args)
}

function settings(): Settings {
  return readSettings(process.env, readSettingsFile('sigil.json'))
}

function print(text: string): number {
  process.stdout.write(text)
  return 0
}

async function start(settings: Settings): Promise<number> {
  // Node would open a debugger at the first and end at the second: a server does neither.
  for (const signal of ['SIGUSR1', 'SIGUSR2'] as const) process.on(signal, () => {})
  const log = openLog(settings.LOG_LEVEL)
  const { stopped, stop } = stopping()
  const { openGateway } = loadGateway()
  const gateway = await openGateway({
    settings,
    log,
    version,
    onShutdown: stop,
    clock: systemClock,
    random: systemRandom,
  })
  print(welcome(gateway, settings))
  const hangUp = () => reloadTls(gateway, log)
  process.on('SIGHUP', hangUp)
  await stopped
  await gateway.close()
  process.off('SIGHUP', hangUp)
  return 0
}

/** Of a protocol that an administrator has switched off. */
const disabled = '(disabled)'

/** At SIGHUP: the certificate may have been renewed. */
function reloadTls(gateway: Gateway, log: Log): void {
  try {
    if (gateway.reloadTls()) log.info({}, 'the certificate was read again')
  } catch (error) {
    log.error({ error: String(error) }, 'the certificate was not read again: the old one goes on')
  }
}

/** Notes, addresses, and the one time that the operator's key is shown. */
function welcome({ notes, ports, madeKey }: Gateway, settings: Settings): string {
  const { HOST, DATABASE, STORE, TLS_CERT, OPERATOR_KEY_FILE } = settings
  const host = HOST.includes(':') ? `[${HOST}]` : HOST
  const [scheme, tls] = TLS_CERT === undefined ? ['http', ''] : ['https', '?tls=true']
  const wire = `${host}:${ports.wire}/${DATABASE}${tls}`
  const sql = `${host}:${ports.sql}/${DATABASE}${TLS_CERT === undefined ? '' : '?sslmode=require'}`
  const api = `${scheme}://${host}:${ports.http}/api/v1`
  const lines = [
    ...notes,
    `Sigil ${version} serves documents from ${STORE}`,
    `  document wire  ${ports.wire === 0 ? disabled : `mongodb://${wire}`}`,
    `  key-value      ${ports.redis === 0 ? disabled : `redis://${host}:${ports.redis}`}`,
    `  SQL            ${ports.sql === 0 ? disabled : `postgresql://${sql}`}`,
    `  HTTP           ${api}`,
  ]
  if (madeKey !== undefined && OPERATOR_KEY_FILE !== undefined) {
    writeDurably(OPERATOR_KEY_FILE, `${madeKey}\n`)
    lines.push('', `The operator's key was made and written to ${OPERATOR_KEY_FILE}.`)
  } else if (madeKey !== undefined) {
    lines.push(
      '',
      "The operator's key was made. It is shown once and kept nowhere; lines to copy:",
      '',
      `  export SIGIL_API_KEY=${madeKey}`,
      `  npx mongosh "mongodb://operator:${madeKey}@${wire}"`,
      `  psql "postgresql://operator:${madeKey}@${sql}"`,
      `  curl -H "x-api-key: ${madeKey}" ${api}/collections`,
      '',
    )
  }
  return `${lines.join('\n')}\n`
}

/** `stopped` resolves at the first SIGTERM or SIGINT, or when `stop` is called. */
function stopping(): { readonly stopped: Promise<void>; readonly stop: () => void } {
  let stop = (): void => {}
  const stopped = new Promise<void>((resolve) => {
    stop = resolve
    process.once('SIGTERM', stop)
    process.once('SIGINT', stop)
  })
  return { stopped, stop }
}

main().then(
  (code) => process.exit(code),
  (thrown) => {
    const error = toGatewayError(thrown)
    const cause = error.kind === 'InternalError' && thrown instanceof Error ? thrown.message : ''
    process.stderr.write(`sigil: ${cause === '' ? error.message : cause}\n`)
    process.exit(1)
  },
)
