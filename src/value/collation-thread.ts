// Asks the thread that makes tables of collations (collation-worker.ts). It is there while it has
// work: one table after the other, in the order in which they were asked for.

import { Worker } from 'node:worker_threads'
import { collationThreadIdleMs } from '../base/limits.js'
import type { LevelsOptions, TableData } from './collation-levels.js'

type Answer = (data: TableData | undefined) => void

class CollationThread {
  private worker: Worker | undefined
  /** Oldest first. */
  private readonly asked: Answer[] = []
  private idle: NodeJS.Timeout | undefined

  ask(options: LevelsOptions): Promise<TableData | undefined> {
    clearTimeout(this.idle)
    this.worker ??= this.start()
    this.worker.ref()
    this.worker.postMessage(options)
    return new Promise((resolve) => this.asked.push(resolve))
  }

  private start(): Worker {
    const worker = new Worker(new URL('./collation-worker.js', import.meta.url), {
      name: 'collation',
    })
    worker.on('message', (data: TableData | undefined) => {
      this.asked.shift()?.(data)
      if (this.asked.length === 0) this.rest(worker)
    })
    worker.on('error', () => this.gone(worker))
    worker.on('exit', () => this.gone(worker))
    return worker
  }

  /** A thread without work keeps no process, and goes after a while. */
  private rest(worker: Worker): void {
    worker.unref()
    const end = (): void => {
      this.worker = undefined
      worker.removeAllListeners('exit')
      void worker.terminate()
    }
    this.idle = setTimeout(end, collationThreadIdleMs).unref()
  }

  /** What was asked for is made where it is needed. */
  private gone(worker: Worker): void {
    if (this.worker === worker) this.worker = undefined
    for (const answer of this.asked.splice(0)) answer(undefined)
  }
}

const thread = new CollationThread()

/** The table's data; undefined where the thread could not make it. */
export function tableDataFor(options: LevelsOptions): Promise<TableData | undefined> {
  return thread.ask(options)
}
