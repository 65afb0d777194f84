// Has folders examined by a process of their own, which is started anew where one kills it.

import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { Head } from './ledger.js'

export interface Request {
  readonly what: 'store' | 'lmdb' | 'gateway'
  readonly path: string
}

export interface Finding {
  /** Undefined where nothing had been written, or nothing could be read. */
  readonly head: Head | undefined
  readonly problems: readonly string[]
  /** Why it could not be opened, or what became of its reader. */
  readonly refused?: string
}

interface ExaminerOptions {
  /** What the process prints to standard error is shown unless said. */
  readonly complaints?: 'inherit' | 'ignore'
  /** Milliseconds of processor time: reading a damaged tree may never end, and is killed then. */
  readonly processorMsMax?: number
}

/** How often it is looked at, milliseconds. */
const lookMs = 100

const childPath = fileURLToPath(new URL('./examiner-child.js', import.meta.url))

export class Examiner {
  private readonly options: Required<ExaminerOptions>
  private child: ChildProcessByStdio<Writable, Readable, null> | undefined
  private lines: AsyncIterator<string> | undefined

  constructor({ complaints = 'inherit', processorMsMax = 60_000 }: ExaminerOptions = {}) {
    this.options = { complaints, processorMsMax }
  }

  async examine(request: Request): Promise<Finding> {
    const { child, lines } = this.start()
    child.stdin.write(`${JSON.stringify(request)}\n`)
    const endsAt = processorMs(child.pid) + this.options.processorMsMax
    const timer = setInterval(() => {
      if (processorMs(child.pid) > endsAt) child.kill('SIGKILL')
    }, lookMs)
    const line = await lines.next()
    clearInterval(timer)
    if (line.done !== true) return JSON.parse(line.value) as Finding
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    this.child = undefined
    const refused = `its reader ended with ${child.signalCode ?? child.exitCode}`
    return { head: undefined, problems: [], refused }
  }

  async close(): Promise<void> {
    const { child } = this
    if (child === undefined) return
    this.child = undefined
    const gone = once(child, 'exit')
    child.stdin.end()
    await gone
  }

  private start() {
    if (this.child === undefined || this.lines === undefined) {
      const child = spawn(process.execPath, ['--enable-source-maps', childPath], {
        env: { PATH: process.env.PATH ?? '' },
        stdio: ['pipe', 'pipe', this.options.complaints],
      })
      // A child that died is told by its missing answer.
      child.stdin.on('error', () => undefined)
      this.child = child
      this.lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    }
    return { child: this.child, lines: this.lines }
  }
}

/** Processor time of the thread that examines, in nanoseconds in the file; 0 once it is gone. */
function processorMs(pid: number | undefined): number {
  try {
    return Number.parseInt(readFileSync(`/proc/${pid}/schedstat`, 'latin1'), 10) / 1e6
  } catch {
    return 0
  }
}
