// Entry point of the checkpoint worker: a thread with its own handle on the tables. It syncs a
// sealed segment and then applies it, since the tables must never be ahead of the log. Between
// segments it scrubs the pages of the tables, while no commit changes them.

import { closeSync, fdatasyncSync, fsyncSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { assert, fail, GatewayError } from '../../base/errors.js'
import { scrubRoundMsMin } from '../../base/limits/store.js'
import type { SegmentSource } from '../log/segment-changes.js'
import type { PageDamage } from '../pages/page-damage.js'
import { Pages } from '../pages/pages.js'
import {
  type Environment,
  hasPanicked,
  openEnvironment,
  readApplied,
} from '../tables/lmdb-environment.js'
import { makeRoom } from '../tables/tables-room.js'
import { applySegment } from './checkpoint.js'
import {
  closingAt,
  droppedAt,
  type FromWorker,
  type ToWorker,
  type WorkerStart,
} from './checkpoint-messages.js'

/** Pause between two scrub steps, milliseconds: 16 MiB/s, half a percent of a core. */
const scrubStepMs = 64

const port = parentPort
assert(port !== null, 'checkpoint-worker runs as a worker only')
const { folder, control } = workerData as WorkerStart
let environment: Environment | undefined
let pages: Pages | undefined
let scrubTimer: NodeJS.Timeout | undefined
let isDamaged = false

port.on('message', (message: ToWorker) => {
  if (message.kind === 'apply') {
    port.postMessage(answer(message))
    return
  }
  port.close()
  clearTimeout(scrubTimer)
  pages?.close()
  void environment?.close()
})
scrubTimer = setTimeout(scrub, scrubRoundMsMin)

function answer(source: SegmentSource): FromWorker {
  try {
    mayCommit()
    const unsynced = flushed(source.path)
    if (unsynced !== undefined) return unsynced
    environment ??= openEnvironment(folder)
    requireSound(openPages().verifyIfBehind())
    const applied = readApplied(environment)
    // An open read transaction of this thread would keep freed pages from reuse.
    environment.resetReadTxn()
    const afterCommit = () => requireSound(openPages().noteCommit())
    const tables = environment
    const options = {
      folder,
      applied,
      beforeCommit: mayCommit,
      afterCommit,
      makeRoom: (pages: number, share: number) => makeRoom(tables, folder, pages, share),
    }
    return { kind: 'applied', done: applySegment(tables, source, options) }
  } catch (error) {
    return failed(error)
  }
}

function openPages(): Pages {
  pages ??= new Pages(folder)
  return pages
}

/** Reports damaged pages and throws. */
function requireSound(damages: readonly PageDamage[]): void {
  const [first] = damages
  if (first === undefined && !isDamaged) return
  isDamaged = true
  if (first !== undefined) port?.postMessage({ kind: 'damaged', damages } satisfies FromWorker)
  throw fail('OperationFailed', first?.text ?? 'pages of the tables are damaged')
}

/** Runs one scrub step and schedules the next. */
function scrub(): void {
  if (isDamaged || Atomics.load(control, closingAt) !== 0) return
  let restMs = scrubStepMs
  try {
    requireSound(openPages().verifyIfBehind())
    const { damages, isEnd } = openPages().scrubStep()
    requireSound(damages)
    if (isEnd) {
      restMs = scrubRoundMsMin
      port?.postMessage({ kind: 'scrubbed' } satisfies FromWorker)
    }
  } catch (error) {
    if (isDamaged) return
    throw error
  }
  scrubTimer = setTimeout(scrub, restMs)
}

/** Throws if the worker must end. */
function mayCommit(): void {
  if (Atomics.load(control, closingAt) !== 0)
    throw fail('ShutdownInProgress', 'the store is closing')
}

/**
 * Syncs a segment and its name. If the sync fails, written data may be lost, so the log can no
 * longer be trusted.
 */
function flushed(path: string): FromWorker | undefined {
  try {
    flushWith(fdatasyncSync, path)
    flushWith(fsyncSync, dirname(path))
    return undefined
  } catch (error) {
    dropEnvironment()
    const text = `the log could not be flushed: ${path}: ${textOf(error)}`
    return { kind: 'failed', code: 'OperationFailed', text, cause: 'sync' }
  }
}

function flushWith(sync: (file: number) => void, path: string): void {
  const file = openSync(path, 'r')
  try {
    sync(file)
  } finally {
    closeSync(file)
  }
}

function failed(error: unknown): FromWorker {
  const mayPass =
    error instanceof GatewayError &&
    (error.kind === 'OutOfDiskSpace' || error.kind === 'ShutdownInProgress')
  const cause = mayPass && !isLost() ? 'passing' : 'other'
  if (cause === 'other') dropEnvironment()
  const code = error instanceof GatewayError ? error.kind : 'OperationFailed'
  return { kind: 'failed', code, text: textOf(error), cause }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Whether the failed write hit the first pages, which makes the tables unreadable. */
function isLost(): boolean {
  try {
    environment?.resetReadTxn()
    if (environment !== undefined) readApplied(environment)
    environment?.resetReadTxn()
    return false
  } catch (error) {
    return hasPanicked(error)
  }
}

/** Ends checkpoints. A failed environment can be opened again only after this close. */
function dropEnvironment(): void {
  void environment?.close()
  environment = undefined
  Atomics.store(control, droppedAt, 1)
  Atomics.notify(control, droppedAt)
}
