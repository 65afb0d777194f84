// The kernel's account of the thread that runs this process' event loop, in nanoseconds: on a
// machine that others use too, time on a processor tells more than time on the wall.

import { openSync, readSync } from 'node:fs'

const schedule = openSync('/proc/self/schedstat', 'r')
const text = Buffer.alloc(128)

/** Milliseconds on a processor: without waiting for the disk, or for helpers of a collection. */
export function processorTime(): number {
  return scheduled(0)
}

/** Elapsed milliseconds, less those in which the thread was ready and waited for a processor. */
export function ownTime(): number {
  return performance.now() - scheduled(1)
}

function scheduled(field: 0 | 1): number {
  const length = readSync(schedule, text, 0, text.length, 0)
  return Number(text.toString('latin1', 0, length).split(' ')[field]) / 1e6
}
