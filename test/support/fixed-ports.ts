// A Sigil that comes back on the same ports after it was killed, as a client with a list of servers
// expects it.

import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import type { Test } from 'tap'
import { endSigil, settingsFor, startSigil } from './sigil-process.js'
import { temporaryFolder } from './stores.js'

export interface FixedPorts {
  readonly wire: number
  readonly redis: number
  readonly sql: number
  readonly http: number
}

export interface KilledSigil {
  readonly ports: FixedPorts
  /** Ends it by SIGKILL and starts it again over the same folder. */
  restart(): Promise<void>
  /** Of the process that runs now: SIGSTOP and SIGCONT. */
  signal(signal: NodeJS.Signals): void
  /** As an operator ends it. */
  end(): Promise<void>
  /** Rejects with what was printed if it ends by itself. */
  readonly failed: Promise<never>
}

/** Ends with the test. */
export async function startKilledSigil(
  t: Test,
  environment: Readonly<Record<string, string>>,
): Promise<KilledSigil> {
  const ports = {
    wire: await freePort(),
    redis: await freePort(),
    sql: await freePort(),
    http: await freePort(),
  }
  const settings = {
    ...settingsFor(await temporaryFolder(t)),
    ...environment,
    WIRE_PORT: String(ports.wire),
    REDIS_PORT: String(ports.redis),
    SQL_PORT: String(ports.sql),
    HTTP_PORT: String(ports.http),
  }
  let isWanted = true
  let tell: (error: Error) => void
  const failed = new Promise<never>((_, reject) => {
    tell = reject
  })
  // It need not be listened to.
  failed.catch(() => undefined)
  const start = async () => {
    const started = await startSigil(settings)
    isWanted = true
    started.child.once('exit', (code) => {
      if (isWanted) tell(new Error(`Sigil ended with ${code}: ${started.errors()}`))
    })
    return started
  }
  let sigil = await start()
  let isRunning = true
  const stop = async (name: NodeJS.Signals) => {
    isWanted = false
    isRunning = false
    await endSigil(sigil, name)
  }
  t.teardown(async () => {
    if (isRunning) await stop('SIGKILL')
  })
  const restart = async () => {
    await stop('SIGKILL')
    sigil = await start()
    isRunning = true
  }
  const signal = (name: NodeJS.Signals) => {
    sigil.child.kill(name)
  }
  return { ports, restart, signal, end: () => stop('SIGTERM'), failed }
}

/**
 * One that was free just now, below those that systems give to listeners on port 0 and to outgoing
 * connections: such a connection may not take it while the server is down.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(12_000, 32_000)
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!isFree) continue
    await new Promise((resolve) => server.close(resolve))
    return port
  }
}
