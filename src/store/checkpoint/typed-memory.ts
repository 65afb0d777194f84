// Memory of large typed arrays, given back at once. The collector frees what lies outside its heap
// when it happens to run, and a thread that makes few objects hardly ever does.

import { MessageChannel } from 'node:worker_threads'

interface OnMemory {
  readonly buffer: ArrayBufferLike
}

const { port1: dropping, port2: closed } = new MessageChannel()
closed.close()

/**
 * Frees the memory of arrays that are no longer used: they, and every array over the same
 * memory, are empty from here on. Not for arrays of Node's shared pool.
 */
export function freeMemory(...arrays: readonly OnMemory[]): void {
  // A message to a closed port is dropped, and with it what was moved into it.
  for (const { buffer } of arrays) {
    if (buffer instanceof ArrayBuffer && buffer.byteLength > 0) {
      dropping.postMessage(undefined, [buffer])
    }
  }
}
