// A Sigil as its users start it: a process of the command line, on free ports, known by its id.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { testKey } from './gateway.js'

export interface SigilProcess {
  readonly child: ChildProcess
  readonly wirePort: number
  readonly httpPort: number
  readonly redisPort: number
  readonly sqlPort: number
  /** Everything printed to standard output so far. */
  readonly output: () => string
  readonly errors: () => string
}

interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly output: string
  readonly errors: string
}

/** Settings of a throw-away Sigil over `folder`. */
export function settingsFor(folder: string): Record<string, string> {
  return {
    STORE: `lmdb:${folder}`,
    API_KEY: testKey,
    HTTP_PORT: '0',
    WIRE_PORT: '0',
    REDIS_PORT: '0',
    SQL_PORT: '0',
    LOG_LEVEL: 'warn',
  }
}

function launch(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  built = 'build',
  flags: readonly string[] = [],
) {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, [...flags, `${built}/src/main.js`, ...args], {
    env: { PATH, HOME, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let output = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  return { child, output: () => output, errors: () => errors }
}

/**
 * Starts and waits for the addresses; rejects with what was printed if it ends before. `built`: the
 * folder that was compiled to; `flags`: of Node.
 */
export async function startSigil(
  environment: Readonly<Record<string, string>>,
  built?: string,
  flags?: readonly string[],
): Promise<SigilProcess> {
  const launched = launch(['start'], environment, built, flags)
  const { child, output, errors } = launched
  await new Promise<void>((resolve, reject) => {
    const look = () => {
      if (/HTTP +\S+:\d+\/api/.test(output())) resolve()
    }
    child.stdout.on('data', look)
    child.once('exit', (code) => reject(new Error(`ended with ${code}: ${errors()}`)))
  })
  const port = (pattern: RegExp) => Number(pattern.exec(output())?.[1])
  return {
    ...launched,
    wirePort: port(/wire +\S+:(\d+)\//),
    httpPort: port(/HTTP +\S+:(\d+)\//),
    redisPort: port(/redis:\/\/\S+:(\d+)/),
    sqlPort: port(/postgresql:\/\/\S+?:(\d+)\//),
  }
}

/** Runs a program of the command line to its end. */
export async function runSigil(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  input = '',
): Promise<Ended> {
  const { child, output, errors } = launch(args, environment)
  child.stdin.end(input)
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  return { code, signal, output: output(), errors: errors() }
}

/** Sends a signal and waits for the end. */
export async function endSigil(
  { child, output, errors }: SigilProcess,
  signal: NodeJS.Signals,
): Promise<Ended> {
  const gone = once(child, 'close')
  child.kill(signal)
  const [code, ended] = (await gone) as [number | null, NodeJS.Signals | null]
  return { code, signal: ended, output: output(), errors: errors() }
}
