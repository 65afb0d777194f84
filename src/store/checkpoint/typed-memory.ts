// Frees the memory of large typed arrays at once. The garbage collector frees off-heap memory only
// when it runs, and a thread that creates few objects rarely triggers it.

import { MessageChannel } from 'node:worker_threads'

interface OnMemory {
  readonly buffer: ArrayBufferLike
}

const { port1: dropping, port2: closed } = new MessageChannel()
closed.close()

/**
 * Frees the memory of unused arrays. They, and every array over the same memory, are empty
 * afterwards. Not for arrays from Node's shared pool.
 */
export function freeMemory(...arrays: readonly OnMemory[]): void {
  // A message to a closed port is dropped, together with the buffers transferred in it.
  for (const { buffer } of arrays) {
    if (buffer instanceof ArrayBuffer && buffer.byteLength > 0) {
      dropping.postMessage(undefined, [buffer])
    }
  }
}
