// JSON-RPC over real HTTP in front of a local chain, as a node of a real one would be, with faults
// that a test turns on and off: silence, refusals, lies.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Provider } from '../../src/chain/remote/provider.js'
import { RpcError } from '../../src/chain/remote/provider.js'

interface Ending {
  teardown(end: () => Promise<void> | void): unknown
}

interface RpcCall {
  readonly method: string
  readonly params: readonly unknown[]
}

/** `undefined` lets the chain answer; a thrown RpcError is answered as such. */
type Lie = (call: RpcCall, honest: () => Promise<unknown>) => Promise<unknown>

export class RpcServer {
  readonly calls: RpcCall[] = []
  /** Answers 429 to everything. */
  isBusy = false
  /** Calls of these methods are never answered. */
  readonly silent = new Set<string>()
  lie: Lie | undefined
  private readonly provider: Provider
  private readonly server = createServer((incoming, outgoing) => {
    this.serve(incoming, outgoing).catch(() => outgoing.destroy())
  })
  private waiting: { method: string; resolve: () => void }[] = []

  private constructor(provider: Provider) {
    this.provider = provider
  }

  static async open(t: Ending, provider: Provider): Promise<RpcServer> {
    const made = new RpcServer(provider)
    made.server.listen(0, '127.0.0.1')
    await once(made.server, 'listening')
    t.teardown(() => made.close())
    return made
  }

  /** `localhost` and `127.0.0.1` are two hosts to a quorum. */
  url(host = '127.0.0.1'): string {
    return `http://${host}:${(this.server.address() as AddressInfo).port}`
  }

  /** Resolves when a call of that method comes next. */
  called(method: string): Promise<void> {
    return new Promise((resolve) => this.waiting.push({ method, resolve }))
  }

  count(method: string): number {
    return this.calls.filter((call) => call.method === method).length
  }

  async close(): Promise<void> {
    this.server.closeAllConnections()
    if (!this.server.listening) return
    this.server.close()
    await once(this.server, 'close')
  }

  private async serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of incoming) parts.push(part as Buffer)
    const call = JSON.parse(Buffer.concat(parts).toString()) as RpcCall & { id: number }
    const { id, method, params } = call
    this.calls.push({ method, params })
    const heard = this.waiting.filter((one) => one.method === method)
    this.waiting = this.waiting.filter((one) => one.method !== method)
    for (const { resolve } of heard) resolve()
    if (this.isBusy) {
      outgoing.writeHead(429).end('{}')
      return
    }
    if (this.silent.has(method) || this.silent.has('*')) return
    const body = await this.answer({ method, params })
    outgoing.writeHead(200, { 'content-type': 'application/json' })
    outgoing.end(JSON.stringify({ jsonrpc: '2.0', id, ...body }))
  }

  private async answer(call: RpcCall): Promise<object> {
    const honest = () => this.provider.request(call)
    try {
      return { result: (await (this.lie?.(call, honest) ?? honest())) ?? null }
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      const { code, message, data } = error
      return { error: { code, message, ...(data === undefined ? {} : { data }) } }
    }
  }
}
