// A worker thread that runs while it has work. It starts with the first task, answers tasks in
// order, and stops after an idle time; idle, it does not keep the process alive. JSON texts, Merkle
// trees, collation tables and heavy documents have one each.

import { type ResourceLimits, Worker } from 'node:worker_threads'
import type { Bytes } from '../bytes/bytes.js'
import { fail, type GatewayError } from '../errors.js'

interface IdleThreadOptions {
  readonly file: URL
  readonly name: string
  /** How long the idle thread waits for work, milliseconds. */
  readonly idleMs: number
  /** The error text for a task whose thread has ended. */
  readonly gone: string
  readonly resourceLimits?: ResourceLimits
}

interface Asked<Answer> {
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: Error) => void
}

export class IdleThread<Task, Answer> {
  private worker: Worker | undefined
  /** Oldest first. */
  private readonly asked: Asked<Answer>[] = []
  private idle: NodeJS.Timeout | undefined

  constructor(private readonly options: IdleThreadOptions) {}

  /** Whether the thread runs: it may have cached data of earlier tasks. */
  get isRunning(): boolean {
    return this.worker !== undefined
  }

  /** `moved` is memory that only the task uses: it is moved, not copied. */
  ask(task: Task, moved: readonly ArrayBuffer[] = []): Promise<Answer> {
    clearTimeout(this.idle)
    this.worker ??= this.start()
    this.worker.ref()
    this.worker.postMessage(task, moved)
    return new Promise<Answer>((resolve, reject) => {
      this.asked.push({ resolve, reject })
    })
  }

  /** Stops the thread: all waiting tasks get the error. */
  end(error: GatewayError): void {
    const { worker } = this
    clearTimeout(this.idle)
    this.worker = undefined
    worker?.removeAllListeners()
    worker?.on('error', () => undefined)
    void worker?.terminate()
    this.reject(error)
  }

  private start(): Worker {
    const { file, name, resourceLimits = {} } = this.options
    const worker = new Worker(file, { name, resourceLimits })
    worker.on('message', (answer: Answer) => {
      this.asked.shift()?.resolve(answer)
      if (this.asked.length === 0) this.rest(worker)
    })
    worker.on('error', (error) => this.gone(worker, error))
    worker.on('exit', () => this.gone(worker))
    return worker
  }

  private rest(worker: Worker): void {
    worker.unref()
    const end = (): void => {
      this.worker = undefined
      worker.removeAllListeners('exit')
      void worker.terminate()
    }
    this.idle = setTimeout(end, this.options.idleMs).unref()
  }

  private gone(worker: Worker, error?: Error): void {
    if (this.worker !== worker) return
    this.worker = undefined
    const isFull = (error as NodeJS.ErrnoException | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY'
    const kind = isFull ? 'ExceededMemoryLimit' : 'InternalError'
    this.reject(fail(kind, this.options.gone))
  }

  private reject(error: GatewayError): void {
    for (const { reject } of this.asked.splice(0)) reject(error)
  }
}

/** Bytes that can be moved: a part of a larger buffer is copied. */
export function movable(bytes: Bytes): Bytes {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes)
}
