#!/usr/bin/env node
// The command line. Everything that may fail before Sigil serves fails here with one line and a
// non-zero exit code; nothing else in the project ends the process.

import { readFileSync, writeFileSync } from 'node:fs'
import { systemClock, systemRandom } from './base/clock.js'
import { toGatewayError } from './base/errors.js'
import { openLog } from './base/log.js'
import { printSettings, readSettings, readSettingsFile, type Settings } from './base/settings.js'
import { runCheck } from './cli/check.js'
import { runHealth } from './cli/health.js'
import { runImport } from './cli/import.js'
import { runOperatorKey } from './cli/operator-key.js'
import { openGateway } from './gateway.js'

const help = `Usage: sigil <command>

  start          serve documents (the default)
  config         print the settings in force, with their documentation
  import         load a file of documents into a running Sigil
  check          verify a data folder; Sigil must be stopped
  operator-key   make a new operator key; Sigil must be stopped
  health         ask the running Sigil whether it is well
  --version      print the version
`

const { version } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string }

type Program = (args: readonly string[]) => Promise<number>

const programs: Readonly<Record<string, Program>> = {
  start: () => start(settings()),
  config: async () => print(printSettings(settings())),
  import: runImport,
  check: () => runCheck(settings()),
  'operator-key': () => runOperatorKey(settings()),
  health: () => runHealth(settings()),
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
  const log = openLog(settings.LOG_LEVEL)
  const stop = stopSignal()
  const gateway = await openGateway({
    ...{ settings, log, version },
    clock: systemClock,
    random: systemRandom,
  })
  for (const note of gateway.notes) process.stdout.write(`${note}\n`)
  const { http, wire } = gateway.ports
  const host = settings.HOST.includes(':') ? `[${settings.HOST}]` : settings.HOST
  const scheme = settings.TLS_CERT === undefined ? 'http' : 'https'
  process.stdout.write(`Sigil ${version} serves documents from ${settings.STORE}\n`)
  process.stdout.write(`  document wire  mongodb://${host}:${wire}/${settings.DATABASE}\n`)
  process.stdout.write(`  HTTP           ${scheme}://${host}:${http}/api/v1\n`)
  if (gateway.madeKey !== undefined) introduce(gateway.madeKey, settings, host, gateway.ports)
  await stop
  await gateway.close()
  return 0
}

/** The one time that the operator's key is shown, or written where OPERATOR_KEY_FILE says. */
function introduce(
  key: string,
  settings: Settings,
  host: string,
  { http, wire }: { readonly http: number; readonly wire: number },
): void {
  const file = settings.OPERATOR_KEY_FILE
  if (file !== undefined) {
    writeFileSync(file, `${key}\n`, { mode: 0o600 })
    process.stdout.write(`\nThe operator's key was made and written to ${file}.\n`)
    return
  }
  const [scheme, tls] = settings.TLS_CERT === undefined ? ['http', ''] : ['https', '?tls=true']
  process.stdout.write(`
The operator's key was made. It is shown once and kept nowhere; lines to copy:

  export SIGIL_API_KEY=${key}
  npx mongosh "mongodb://operator:${key}@${host}:${wire}/${settings.DATABASE}${tls}"
  curl -H "x-api-key: ${key}" ${scheme}://${host}:${http}/api/v1/collections

`)
}

/** Resolves at the first SIGTERM or SIGINT. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve())
    process.once('SIGINT', () => resolve())
  })
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
