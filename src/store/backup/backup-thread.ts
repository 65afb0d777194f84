// The main thread's side of the backup worker: requests and answers in order. If the worker ends
// for any reason, open requests are rejected, so no caller waits for a dead worker.

import { Worker } from 'node:worker_threads'
import { fail, GatewayError } from '../../base/errors.js'
import type { Damage } from '../tables/stored-pairs.js'
import type {
  BackupScript,
  BackupWorkerStart,
  FromBackupWorker,
  ToBackupWorker,
} from './backup-messages.js'

/** Heap of the backup thread, MiB: it holds a few blocks in flight. */
const backupHeapMiB = 64

/** A ChecksumMismatch that names the damaged pair of the tables. */
export class TablesDamaged extends GatewayError {
  constructor(readonly damage: Damage) {
    super('ChecksumMismatch', damage.text)
  }
}

type Answer = Exclude<FromBackupWorker, { kind: 'failed' }>

interface Asked {
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: Error) => void
}

export class BackupThread {
  /** Resolves when the worker has exited. */
  readonly exited: Promise<void>
  /** Rejects with the reason when the worker must end; never resolves. */
  readonly ended: Promise<never>
  private readonly worker: Worker
  private readonly asked: Asked[] = []
  private reason: Error | undefined
  private rejectEnded: (error: Error) => void = () => undefined

  constructor({ script, store }: BackupScript, start: BackupWorkerStart) {
    this.ended = new Promise((_, reject) => {
      this.rejectEnded = reject
    })
    this.ended.catch(() => undefined)
    this.worker = new Worker(script, {
      name: 'backup',
      workerData: { ...store, ...start },
      resourceLimits: { maxOldGenerationSizeMb: backupHeapMiB, maxYoungGenerationSizeMb: 8 },
    })
    this.worker.on('message', (message: FromBackupWorker) => this.take(message))
    this.worker.on('error', (error) => {
      this.finish(fail('OperationFailed', `the backup failed: ${error.message}`))
    })
    this.exited = new Promise((resolve) => {
      this.worker.on('exit', () => {
        this.finish(fail('OperationFailed', 'the backup worker has ended'))
        resolve()
      })
    })
  }

  ask(question: Exclude<ToBackupWorker, 'stop'>): Promise<Answer> {
    if (this.reason !== undefined) return Promise.reject(this.reason)
    this.worker.postMessage(question)
    return new Promise((resolve, reject) => {
      this.asked.push({ resolve, reject })
    })
  }

  /** Ends the worker after at most one more block; resolves when it has exited. */
  end(reason: Error): Promise<void> {
    if (this.reason === undefined) this.worker.postMessage('stop' satisfies ToBackupWorker)
    this.finish(reason)
    return this.exited
  }

  private take(message: FromBackupWorker): void {
    const first = this.asked.shift()
    if (message.kind !== 'failed') {
      first?.resolve(message)
      return
    }
    const { damage, code, text } = message
    first?.reject(damage === undefined ? fail(code, text) : new TablesDamaged(damage))
  }

  private finish(reason: Error): void {
    this.reason ??= reason
    this.rejectEnded(this.reason)
    for (const { reject } of this.asked.splice(0)) reject(this.reason)
  }
}
