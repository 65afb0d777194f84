// The young heap of a worker. The size that the process was started with goes before the worker's
// own limit: with that of `npm start` the local chain takes 50 MB more, checkpoints 5. So the flag
// is off while a worker starts; heaps that are there read it no more.

import { setFlagsFromString } from 'node:v8'
import type { Worker } from 'node:worker_threads'

const given = process.execArgv.find((flag) => /^--max[-_]semi[-_]space[-_]size=/.test(flag))
let starting = 0

/** Starts a worker whose `maxYoungGenerationSizeMb` counts. */
export function withOwnYoungHeap(start: () => Worker): Worker {
  if (given === undefined) return start()
  starting++
  setFlagsFromString('--max-semi-space-size=0')
  const worker = start()
  let isStarting = true
  const started = (): void => {
    if (!isStarting) return
    isStarting = false
    starting--
    if (starting === 0) setFlagsFromString(given)
  }
  worker.once('online', started)
  worker.once('exit', started)
  return worker
}
