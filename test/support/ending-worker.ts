// A worker that ends as soon as it is asked for anything: for tests of those who depend on one.

import { parentPort } from 'node:worker_threads'

parentPort?.on('message', () => {
  throw new Error('an accident')
})
