// What a child process of a test tells its parent, a line for each thing it has done.

import type { ChildProcess } from 'node:child_process'
import { readdirSync, readFileSync, writeSync } from 'node:fs'
import { createInterface } from 'node:readline'

/** A child that says nothing for so long hangs. */
const silentMsMax = 120_000
const pipeFullMs = 1

/** The child's side: returns when the parent's pipe has the whole line. */
export function tell(line: string): void {
  for (let rest = Buffer.from(`${line}\n`); rest.length > 0; ) {
    try {
      rest = rest.subarray(writeSync(1, rest))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pipeFullMs)
    }
  }
}

/** The parent's side: the lines up to the child's end. Kills a child that hangs, and throws. */
export async function* toldLines(child: ChildProcess): AsyncGenerator<string, void, void> {
  if (child.stdout === null) throw new Error('the child has no pipe')
  let hangs: string | undefined
  const silence = setTimeout(() => {
    hangs = threadsOf(child.pid ?? 0)
    child.kill('SIGKILL')
  }, silentMsMax)
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      silence.refresh()
      yield line
    }
  } finally {
    clearTimeout(silence)
  }
  if (hangs !== undefined) throw new Error(`the child said nothing for so long: ${hangs}`)
}

/** The threads of a process of this machine, and what each waits for in the kernel. */
function threadsOf(pid: number): string {
  const folder = `/proc/${pid}/task`
  const threads = readdirSync(folder).map((thread) => {
    const [name, state, waits] = ['comm', 'stat', 'wchan'].map((file) =>
      readFileSync(`${folder}/${thread}/${file}`, 'utf8').trim(),
    )
    return `${name} ${state?.replace(/^.*\) (.).*$/s, '$1')} ${waits}`
  })
  return threads.join(', ')
}
