// One JSON-RPC endpoint over HTTP. Uses plain fetch, because ethers' JsonRpcProvider retries a 429
// until its timeout, batches and polls. Here a request has one deadline and one attempt, its
// response has a size bound, and the caller handles failures. (docs/chain.md, "What you trust")

import type { Clock } from '../../base/clock.js'
import { fail } from '../../base/errors.js'
import { rpcAnswerBytesMax, rpcTimeoutMs } from '../../base/limits/chain.js'
import { ChainAway } from './away.js'
import { type Provider, RpcError, type RpcRequest } from './provider.js'

/** The longest pause that a 429 may request. */
const rpcPauseMsMax = 30_000

const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])
const retryAfterForm = /^\d{1,4}$/

export interface NamedProvider extends Provider {
  /** For logs: never the whole address, whose path or user part may be a secret. */
  readonly name: string
}

export class RpcEndpoint implements NamedProvider {
  readonly name: string
  private readonly url: URL
  private readonly headers: Record<string, string> = { 'content-type': 'application/json' }
  private readonly clock: Clock
  private readonly timeoutMs: number
  private lastId = 0
  /** Successive 429 responses, and the pause that they caused (elapsed). */
  private refusals = 0
  private pausedUntil = 0

  /** Throws InvalidOptions unless the address is https or loopback. */
  constructor(address: string, clock: Clock, timeoutMs = rpcTimeoutMs) {
    this.url = requireSafe(address)
    this.timeoutMs = timeoutMs
    this.clock = clock
    this.name = this.url.host
    const { username, password } = this.url
    if (username !== '' || password !== '') {
      const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
      this.headers.authorization = `Basic ${Buffer.from(user).toString('base64')}`
      this.url.username = ''
      this.url.password = ''
    }
  }

  /** Rejects with RpcError if the node refused, with ChainAway if it did not answer. */
  async request({ method, params = [] }: RpcRequest): Promise<unknown> {
    if (this.clock.elapsed() < this.pausedUntil) {
      throw new ChainAway(`${this.name} asked for a pause`)
    }
    const id = ++this.lastId
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params })
    const { status, text } = await this.post(body)
    const answer = parse(text)
    if (answer === undefined || answer.id !== id) {
      throw new ChainAway(`${this.name} answered ${status} and no JSON-RPC`)
    }
    const { error } = answer
    if (error === undefined || error === null) return answer.result
    const { code, message, data } = error as Record<string, unknown>
    throw new RpcError(Number(code), String(message).slice(0, 300), data)
  }

  private async post(body: string): Promise<{ status: number; text: string }> {
    try {
      const { headers } = this
      const signal = AbortSignal.timeout(this.timeoutMs)
      const response = await fetch(this.url, {
        method: 'POST',
        headers,
        body,
        signal,
        redirect: 'error',
      })
      const { status } = response
      if (status === 429) this.pause(response.headers.get('retry-after'))
      else this.refusals = 0
      const text = status === 429 ? '' : await boundedText(response)
      if (status === 429) await response.body?.cancel()
      return { status, text }
    } catch (error) {
      if (error instanceof ChainAway) throw error
      throw new ChainAway(`${this.name} did not answer`, error)
    }
  }

  /** Ignores the first 429 of a series; each further one pauses longer. */
  private pause(retryAfter: string | null): void {
    this.refusals++
    const asked = retryAfterForm.test(retryAfter ?? '') ? Number(retryAfter) * 1_000 : 0
    const grown = this.refusals === 1 ? 0 : 500 * 2 ** Math.min(this.refusals - 2, 10)
    const pauseMs = Math.min(Math.max(asked, grown), rpcPauseMsMax)
    this.pausedUntil = this.clock.elapsed() + pauseMs
  }
}

function requireSafe(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined
  const isLocal = loopback.has(url?.hostname ?? '')
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal)) return url
  throw fail('InvalidOptions', 'CHAIN_RPC_URL takes https addresses; http on loopback only')
}

interface Answer {
  readonly id?: unknown
  readonly result?: unknown
  readonly error?: unknown
}

function parse(text: string): Answer | undefined {
  try {
    const answer: unknown = JSON.parse(text)
    return typeof answer === 'object' && answer !== null ? answer : undefined
  } catch {
    return undefined
  }
}

async function boundedText(response: Response): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of response.body ?? []) {
    size += part.length
    if (size > rpcAnswerBytesMax) throw new ChainAway('the answer is too long')
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}
