// Ports for tests: one that is free right now, and one that is certainly taken.

import { type AddressInfo, createServer } from 'node:net'

/** A port of the loopback address that nobody listens on. */
export async function freePort(): Promise<number> {
  const taken = await takenPort()
  await taken.release()
  return taken.port
}

export interface TakenPort {
  readonly port: number
  release(): Promise<void>
}

/** A port that something else listens on until it is released. */
export function takenPort(): Promise<TakenPort> {
  const server = createServer()
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      resolve({
        port: (server.address() as AddressInfo).port,
        release: () => new Promise((done) => server.close(() => done())),
      })
    })
  })
}
