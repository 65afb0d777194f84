// Runs a process under record-writes.c, which is compiled into a temporary folder first. A machine
// without a C compiler cannot; in CI that is a failure.

import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { Disk } from './disk.js'
import { type Event, readJournal } from './journal.js'

const source = resolve('test/support/power-cut/record-writes.c')
/** What a recorded process was told; the cuts leave it alone. */
export const toldFile = 'told'
/** A process that takes longer hangs: it is killed, and has no exit code. */
const runMsMax = 60_000
const compilers = ['cc', 'gcc', 'clang']

export interface Fault {
  /** Letters of the calls, see record-writes.c. */
  readonly calls: string
  /** Part of the file's path inside the room; '*' is any. */
  readonly part: string
  /** The first call that fails, 1 is the first of all, and how many do. */
  readonly first: number
  readonly count: number
  readonly errno: number
  readonly isShort?: boolean
}

interface RunOptions {
  readonly program: 'ledger-child' | 'lmdb-child' | 'gateway-child'
  readonly arguments: readonly string[]
  /** What every sync takes, microseconds; the disk itself is asked where this is not said. */
  readonly syncUs?: number
  readonly fault?: Fault
}

export interface Recording {
  /** Where the process worked. */
  readonly room: string
  readonly events: readonly Event[]
  /** Lines that the process wrote to the file of that name. */
  readonly told: readonly string[]
  /** Its exit code, or the signal that ended it. */
  readonly ended: number | NodeJS.Signals | null
  readonly errors: string
}

type Ending = [code: number | null, signal: NodeJS.Signals | null]

export class Recorder {
  private readonly folder: string
  private readonly library: string
  private rooms = 0

  private constructor(folder: string, compiler: string) {
    this.folder = folder
    this.library = join(folder, 'record-writes.so')
    const flags = ['-O1', '-Wall', '-shared', '-fPIC']
    execFileSync(compiler, [...flags, '-o', this.library, source, '-ldl', '-lpthread'])
  }

  /** Ends with the test. Undefined where it cannot be made; why is printed. */
  static open(t: Test): Recorder | undefined {
    const compiler = compilers.find((name) => spawnSync(name, ['--version']).status === 0)
    if (process.platform !== 'linux' || compiler === undefined) {
      t.notOk(process.env.CI === 'true', 'Linux and a C compiler are needed for this test')
      t.comment('not run: it needs Linux and a C compiler (cc, gcc or clang)')
      return undefined
    }
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sigil-power-')))
    t.teardown(() => rmSync(folder, { recursive: true, force: true }))
    return new Recorder(folder, compiler)
  }

  /** A new folder to work in. */
  room(): string {
    const room = join(this.folder, `room-${this.rooms++}`)
    mkdirSync(room)
    return room
  }

  /** Runs a program of this folder in a room until its end; `room` comes first in its arguments. */
  async run(room: string, options: RunOptions): Promise<Recording> {
    const { program, syncUs, fault } = options
    const journal = `${room}.journal`
    rmSync(journal, { force: true })
    const path = fileURLToPath(new URL(`./${program}.js`, import.meta.url))
    const recording = {
      LD_PRELOAD: this.library,
      RECORD_FOLDER: room,
      RECORD_JOURNAL: journal,
      ...(syncUs === undefined ? {} : { RECORD_SYNC_US: String(syncUs) }),
      ...(fault === undefined ? {} : { RECORD_FAULT: faultText(fault) }),
    }
    const child = spawn(
      process.execPath,
      ['--enable-source-maps', path, room, ...options.arguments],
      { env: { PATH: process.env.PATH ?? '', ...recording }, stdio: ['ignore', 'ignore', 'pipe'] },
    )
    const timer = setTimeout(() => child.kill('SIGKILL'), runMsMax)
    let errors = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text
    })
    const [code, signal] = (await once(child, 'close')) as Ending
    clearTimeout(timer)
    const lines = join(room, toldFile)
    const told = existsSync(lines) ? readFileSync(lines, 'utf8').split('\n').slice(0, -1) : []
    const events = readJournal(journal)
    rmSync(journal)
    return { room, events, told, ended: code ?? signal, errors }
  }
}

/**
 * Shows that nothing escaped a recording: what the simulated disk has in the end is what lies in
 * the room. LMDB's lock file is written through memory; it means nothing after a restart.
 */
export function differences(recording: Recording, disk = new Disk(toldFile)): string[] {
  for (const event of recording.events) disk.apply(event)
  const found = new Disk(toldFile, recording.room).current()
  const texts: string[] = []
  const simulated = disk.current()
  for (const path of new Set([...found.keys(), ...simulated.keys()])) {
    const real = found.get(path)
    const own = simulated.get(path)
    if (path.endsWith('lock.mdb')) continue
    if (!found.has(path) || !simulated.has(path)) texts.push(`${path} is on one side only`)
    else if (real !== undefined && own !== undefined && !real.equals(own)) texts.push(path)
  }
  return texts
}

function faultText({ calls, part, first, count, errno, isShort = false }: Fault): string {
  return [calls, part, first, count, errno, isShort ? 1 : 0].join(' ')
}
