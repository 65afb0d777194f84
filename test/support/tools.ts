// Heavy packages that few tests need. Each has a package.json and a lock of its own in test/tools/<name>
// and is installed to build/tools/<name> when a test first asks for it, so that `npm ci` stays small.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'

export type Tool =
  | 'applications'
  | 'browser'
  | 'mongosh'
  | 'node-sql-parser'
  | 'ioredis-mock'
  | 'solc'
  | 'node-22'
  | 'node-24'
  | 'postgres'
  | 'redis-6'

const pollMs = 200
/** An install that was killed leaves its lock; none takes so long. */
const waitMsMax = 300_000

/** The folder of an installed tool. Rejects with what npm says where it cannot be installed. */
export async function toolFolder(name: Tool): Promise<string> {
  const given = resolve('test/tools', name)
  const folder = resolve('build/tools', name)
  const wanted = readFileSync(join(given, 'package-lock.json'), 'utf8')
  mkdirSync(folder, { recursive: true })
  const stamp = join(folder, 'node_modules', '.installed')
  const lock = join(folder, '.installing')
  for (let waited = 0; textOf(stamp) !== wanted; waited += pollMs) {
    if (!isTaken(lock)) {
      try {
        for (const file of ['package.json', 'package-lock.json']) {
          copyFileSync(join(given, file), join(folder, file))
        }
        await install(folder)
        writeFileSync(stamp, wanted)
      } finally {
        rmSync(lock, { recursive: true })
      }
    } else if (waited >= waitMsMax) {
      throw new Error(`${lock} is there: an install was killed; remove it`)
    } else {
      await setTimeout(pollMs)
    }
  }
  return folder
}

/** Why a test that needs the tool is skipped; false where it is there. Throws under CI. */
export async function toolMissing(name: Tool): Promise<string | false> {
  try {
    await toolFolder(name)
    return false
  } catch (error) {
    if (process.env.CI === 'true') throw error
    return `${name} cannot be installed: ${error instanceof Error ? error.message : error}`
  }
}

/** What `require` gives of a package in the tool's folder. */
export async function loadTool(name: Tool, specifier: string): Promise<unknown> {
  const load = createRequire(join(await toolFolder(name), 'package.json'))
  return load(specifier)
}

/** The script that a Node runs as mongosh. */
export async function mongoshScript(): Promise<string> {
  return join(await toolFolder('mongosh'), 'node_modules/mongosh/bin/mongosh.js')
}

/** For shells: `npx mongosh` is the installed one, not one that npx loads. */
export async function npxMongosh(): Promise<string> {
  const script = await mongoshScript()
  return `npx() { if [ "$1" = mongosh ]; then shift; node '${script}' "$@"; else command npx "$@"; fi; }`
}

/** Whether another process has it; takes it if not. */
function isTaken(lock: string): boolean {
  try {
    mkdirSync(lock)
    return false
  } catch {
    return true
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

async function install(folder: string): Promise<void> {
  const args = ['ci', '--prefer-offline', '--no-audit', '--no-fund', '--legacy-peer-deps']
  // The scripts of these packages fetch or build what the tests do not use.
  const child = spawn('npm', [...args, '--ignore-scripts'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(errors.slice(-1_000))
}
