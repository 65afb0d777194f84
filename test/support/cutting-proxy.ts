// Stands between a gateway and PostgreSQL, and cuts the connection around a commit: before it is
// passed on, or after, with its answer lost.

import { mkdtemp, rm } from 'node:fs/promises'
import { createConnection, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Test } from 'tap'

/** In the message that binds and runs a prepared statement. */
const commitMark = Buffer.from('\0commit\0')
const countMark = Buffer.from('\0count_on\0')

export class CuttingProxy {
  /** What happens to the next commit that changes something. */
  next: 'pass' | 'cut before' | 'cut after' = 'pass'
  cuts = 0

  private constructor(
    readonly folder: string,
    private readonly target: string,
  ) {}

  /** In front of the server with its socket in `target`; ends with the test. */
  static async open(t: Test, target: string): Promise<CuttingProxy> {
    const folder = await mkdtemp('/tmp/sigil-cut-')
    const proxy = new CuttingProxy(folder, target)
    const sockets = new Set<Socket>()
    const server = createServer((client) => {
      sockets.add(client)
      proxy.join(client)
    })
    await new Promise<void>((resolve) => {
      server.listen(join(folder, '.s.PGSQL.5432'), resolve)
    })
    t.teardown(async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
      await rm(folder, { recursive: true, force: true })
    })
    return proxy
  }

  private join(client: Socket): void {
    const server = createConnection(join(this.target, '.s.PGSQL.5432'))
    let hasCounted = false
    const end = () => {
      client.destroy()
      server.end()
    }
    client.on('data', (piece: Buffer) => {
      hasCounted ||= piece.includes(countMark)
      if (!hasCounted || this.next === 'pass' || !piece.includes(commitMark)) {
        server.write(piece)
        return
      }
      const isPassed = this.next === 'cut after'
      this.next = 'pass'
      this.cuts++
      server.unpipe(client)
      if (!isPassed) {
        end()
        return
      }
      server.once('data', end)
      server.resume()
      server.write(piece)
    })
    server.pipe(client)
    for (const socket of [client, server]) {
      socket.on('error', () => undefined)
      socket.on('close', end)
    }
  }
}
