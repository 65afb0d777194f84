// Sets the young heap of a worker. The process' own flag overrides a worker's limit: with that of
// `npm start` the local chain takes 50 MB more and checkpoints 5. So the flag is off while a worker
// starts; running heaps do not read it again.

import { setFlagsFromString } from 'node:v8'
import type { Worker } from 'node:worker_threads'

const given = process.execArgv.find((flag) => /^--max[-_]semi[-_]space[-_]size=/.test(flag))
let starting = 0

/** Starts a worker whose `maxYoungGenerationSizeMb` takes effect. */
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
