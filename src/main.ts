#!/usr/bin/env -S MALLOC_MMAP_THRESHOLD_=262144 node --max-semi-space-size=16 --expose-gc --no-allocation-site-pretenuring
// The command line. Everything that can fail before Sigil serves fails here, with one line and a
// non-zero exit code. No other code of the project ends the process.

import { systemClock, systemRandom } from './base/clock.js'
import { writeDurably } from './base/durable-file.js'
import { toGatewayError } from './base/errors.js'
import { type Log, openLog } from './base/log.js'
import { withoutPassword } from './base/setting-kinds.js'
import { strangeNames } from './base/setting-names.js'
import {
  printSettings,
  readSettings,
  readSettingsFile,
  type Settings,
  settingsAsJson,
} from './base/settings.js'
import { version } from './base/version.js'
import { print, runCommandLine } from './cli/command-line.js'
import type { Gateway } from './gateway/gateway.js'
import { loadGateway } from './gateway/load-gateway.js'
import { isLoopback } from './listeners/network.js'

function settings(folder?: string): Settings {
  const given = folder === undefined ? {} : { STORE: `lmdb:${folder}` }
  return readSettings({ ...process.env, ...given }, readSettingsFile('sigil.json'))
}

function showSettings(settings: Settings, asJson: boolean): number {
  return print(asJson ? settingsAsJson(settings) : printSettings(settings))
}

async function start(settings: Settings): Promise<number> {
  // By default Node opens a debugger at the first and exits at the second; a server must do
  // neither.
  for (const signal of ['SIGUSR1', 'SIGUSR2'] as const) process.on(signal, () => {})
  const log = openLog(settings.LOG_LEVEL, await lineShape(settings))
  for (const text of strangeNames(process.env)) log.warn({}, text)
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
  print(await welcome(gateway, settings))
  const hangUp = () => reloadTls(gateway, log)
  process.on('SIGHUP', hangUp)
  await stopped
  await gateway.close()
  process.off('SIGHUP', hangUp)
  return 0
}

/** Readable lines on a terminal, JSON elsewhere. */
async function lineShape({
  LOG_FORMAT,
}: Settings): Promise<((line: string) => string) | undefined> {
  const { isTTY } = process.stderr
  if (LOG_FORMAT === 'json' || (LOG_FORMAT === 'auto' && !isTTY)) return undefined
  return (await import('./base/readable-log.js')).readableLines(isTTY)
}

/** For a protocol that an administrator has disabled. */
const disabled = '(disabled)'

/** On SIGHUP: the certificate may have been renewed. */
function reloadTls(gateway: Gateway, log: Log): void {
  try {
    if (gateway.reloadTls()) log.info({}, 'the certificate was read again')
  } catch (error) {
    log.error({ error: String(error) }, 'the new certificate cannot be used: the old one stays')
  }
}

/** Notes, addresses, and the operator's key, which is shown only here. */
async function welcome(gateway: Gateway, settings: Settings): Promise<string> {
  const { notes, ports, madeKey, makeCode } = gateway
  const { HOST, DATABASE, STORE, TLS_CERT, OPERATOR_KEY_FILE } = settings
  const host = HOST.includes(':') ? `[${HOST}]` : HOST
  const [scheme, tls] = TLS_CERT === undefined ? ['http', ''] : ['https', '?tls=true']
  const wire = `${host}:${ports.wire}/${DATABASE}${tls}`
  const redis = TLS_CERT === undefined ? 'redis' : 'rediss'
  const sql = `${host}:${ports.sql}/${DATABASE}${TLS_CERT === undefined ? '' : '?sslmode=require'}`
  const api = `${scheme}://${host}:${ports.http}/api/v1`
  const lines = [
    ...notes,
    `Sigil ${version} serves documents from ${withoutPassword(STORE)}`,
    `  document wire  ${ports.wire === 0 ? disabled : `mongodb://${wire}`}`,
    `  key-value      ${ports.redis === 0 ? disabled : `${redis}://${host}:${ports.redis}`}`,
    `  SQL            ${ports.sql === 0 ? disabled : `postgresql://${sql}`}`,
    `  HTTP           ${api}`,
  ]
  if (settings.STUDIO === 'on') {
    const page = settings.PUBLIC_URL ?? `${scheme}://${host}:${ports.http}`
    const { origin } = new URL(page)
    lines.push(`  Studio         ${origin}/`)
    // Only a terminal's user may see the code, on this machine or over TLS.
    if (process.stdout.isTTY && (isLoopback(HOST) || settings.PUBLIC_URL !== undefined)) {
      lines.push(`  sign in once   ${origin}/#code=${await makeCode()}`)
    }
  }
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
      `  redis-cli --no-auth-warning -u "${redis}://operator:${madeKey}@${host}:${ports.redis}"`,
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

runCommandLine(process.argv.slice(2), { version, settings, start, showSettings }).then(
  (code) => process.exit(code),
  (thrown) => {
    const error = toGatewayError(thrown)
    const cause = error.kind === 'InternalError' && thrown instanceof Error ? thrown.message : ''
    process.stderr.write(`sigil: ${cause === '' ? error.message : cause}\n`)
    process.exit(1)
  },
)
