// Stands between a gateway and PostgreSQL, and cuts the connection around a commit: before it is
// passed on, or after, with its answer lost. It also holds a commit back, cuts all connections, and
// slows them down.

import { mkdtemp, rm } from 'node:fs/promises'
import { createConnection, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Test } from 'tap'

/** In the message that binds and runs a prepared statement. */
const commitMark = Buffer.from('\0commit\0')
const countMark = Buffer.from('\0count_on\0')
/** In the statement with which a gateway takes a number, and in none about another one. */
const ownLife = /heartbeats[^\0]*'(\d+\.\d+\.[0-9a-f]{16})'/

export class CuttingProxy {
  /** What happens to the next commit that changes something. */
  next: 'pass' | 'hold' | 'cut before' | 'cut after' = 'pass'
  cuts = 0
  /** Called with what lets a commit go on that is held back. */
  onHeld: (release: () => void) => void = () => undefined
  /** How long each piece of bytes is on its way, milliseconds. */
  slowMs = 0
  /** The life that the gateway has taken last. */
  life: string | undefined
  private readonly sockets = new Set<Socket>()

  private constructor(
    readonly folder: string,
    private readonly target: string,
  ) {}

  /** In front of the server with its socket in `target`; ends with the test. */
  static async open(t: Test, target: string): Promise<CuttingProxy> {
    const folder = await mkdtemp('/tmp/sigil-cut-')
    const proxy = new CuttingProxy(folder, target)
    const server = createServer((client) => proxy.join(client))
    await new Promise<void>((resolve) => {
      server.listen(join(folder, '.s.PGSQL.5432'), resolve)
    })
    t.teardown(async () => {
      proxy.cutAll()
      await new Promise((resolve) => server.close(resolve))
      await rm(folder, { recursive: true, force: true })
    })
    return proxy
  }

  /** Ends every connection, with what is on its way. */
  cutAll(): void {
    for (const socket of this.sockets) socket.destroy()
  }

  private join(client: Socket): void {
    const server = createConnection(join(this.target, '.s.PGSQL.5432'))
    let hasCounted = false
    let isMute = false
    const end = () => {
      this.sockets.delete(client)
      client.destroy()
      server.end()
    }
    client.on('data', (piece: Buffer) => {
      this.life = ownLife.exec(piece.toString('latin1'))?.[1] ?? this.life
      hasCounted ||= piece.includes(countMark)
      if (!hasCounted || this.next === 'pass' || !piece.includes(commitMark)) {
        this.pass(piece, client, server)
        return
      }
      const { next } = this
      this.next = 'pass'
      if (next === 'hold') {
        this.onHeld(() => this.pass(piece, client, server))
        return
      }
      const isPassed = next === 'cut after'
      this.cuts++
      isMute = true
      if (!isPassed) {
        end()
        return
      }
      server.once('data', end)
      server.write(piece)
    })
    server.on('data', (piece: Buffer) => {
      if (!isMute) this.pass(piece, server, client)
    })
    this.sockets.add(client)
    for (const socket of [client, server]) {
      socket.on('error', () => undefined)
      socket.on('close', end)
    }
  }

  /** In order: nothing more is read before it has been written. */
  private pass(piece: Buffer, from: Socket, to: Socket): void {
    if (this.slowMs === 0) {
      to.write(piece)
      return
    }
    from.pause()
    setTimeout(() => {
      to.write(piece)
      from.resume()
    }, this.slowMs)
  }
}
