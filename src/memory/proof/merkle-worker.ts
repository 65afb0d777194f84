// The thread that builds trees: it is sent the hashes of one batch after the other, and answers the
// root of each in the same order. The library is loaded here and nowhere else in a server.

import { parentPort } from 'node:worker_threads'
import { merkleRoot } from './merkle.js'

parentPort?.on('message', (hashes: readonly string[]) => {
  parentPort?.postMessage(merkleRoot(hashes))
})
