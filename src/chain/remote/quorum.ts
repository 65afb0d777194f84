// Combines several endpoints: an answer counts once CHAIN_QUORUM of them agree. A single endpoint
// could invent a key for any wallet; two independent ones would have to give the same false answer.
// Values that legitimately differ (fees, estimates) come from the first that answers.

import type { Log } from '../../base/log.js'
import { hexQuantity } from '../words.js'
import { ChainAway } from './away.js'
import { type Header, readHeader } from './header.js'
import { RpcError, type RpcRequest, rpcCodes } from './provider.js'
import type { NamedProvider } from './rpc-endpoint.js'

/** How long Sigil waits for the slower endpoints after enough responses. */
const quorumGraceMs = 400

/** Methods whose results legitimately differ, or which need only one node. */
const opinions = new Set(['eth_gasPrice', 'eth_maxPriorityFeePerGas', 'eth_estimateGas'])
const broadcasts = new Set(['eth_sendRawTransaction'])

/**
 * The fields of results that Sigil reads: only these are compared and passed on. Nodes may add
 * other fields.
 */
const essentials: Readonly<Record<string, readonly string[]>> = {
  eth_getBlockByNumber: ['number', 'hash', 'parentHash', 'timestamp', 'baseFeePerGas'],
  eth_getTransactionReceipt: [
    ...['transactionHash', 'blockHash', 'blockNumber', 'status', 'contractAddress'],
    ...['gasUsed', 'effectiveGasPrice'],
  ],
  eth_getLogs: [
    ...['address', 'topics', 'data', 'blockHash', 'blockNumber', 'transactionHash', 'logIndex'],
    'removed',
  ],
}

interface Vote {
  readonly answer: () => unknown
  count: number
}

export class Quorum {
  private readonly endpoints: readonly NamedProvider[]
  private readonly need: number
  private readonly log: Log
  private readonly disagreed = new Set<string>()

  /** `need` of them must agree: 1 to their number. */
  constructor(endpoints: readonly NamedProvider[], need: number, log: Log) {
    this.endpoints = endpoints
    this.need = need
    this.log = log
  }

  /** Rejects with RpcError if enough nodes refuse alike, else with ChainAway. */
  request(request: RpcRequest): Promise<unknown> {
    const [only] = this.endpoints
    if (this.endpoints.length === 1 && only !== undefined) return only.request(request)
    if (opinions.has(request.method)) return this.first(request)
    if (broadcasts.has(request.method)) return this.broadcast(request)
    return this.agree(request)
  }

  /**
   * The newest block that enough endpoints know: the highest head that `need` of them have reached,
   * so one lagging node cannot delay it.
   */
  async head(): Promise<Header> {
    const latest = { method: 'eth_getBlockByNumber', params: ['latest', false] }
    const [only] = this.endpoints
    if (this.endpoints.length === 1) return readHeader(await only?.request(latest))
    const heads = await this.gather(latest)
    heads.sort((a, b) => b.number - a.number)
    const newest = heads[this.need - 1]
    if (newest === undefined) throw new ChainAway('too few endpoints answered')
    const same = heads.filter(({ hash }) => hash === newest.hash).length
    if (same >= this.need) return newest
    const params = [hexQuantity(newest.number), false]
    return readHeader(await this.agree({ method: 'eth_getBlockByNumber', params }))
  }

  /** The heads of all endpoints that answer soon; slow ones are skipped once there are enough. */
  private gather(request: RpcRequest): Promise<Header[]> {
    return new Promise((resolve) => {
      const heads: Header[] = []
      let left = this.endpoints.length
      let grace: NodeJS.Timeout | undefined
      const settle = (): void => {
        left--
        if (left > 0 && heads.length < this.need) return
        if (left > 0) {
          grace ??= setTimeout(() => resolve(heads), quorumGraceMs)
          return
        }
        clearTimeout(grace)
        resolve(heads)
      }
      for (const endpoint of this.endpoints) {
        endpoint.request(request).then(
          (answer) => {
            try {
              heads.push(readHeader(answer))
            } catch {
              this.complain(endpoint.name, request.method)
            }
            settle()
          },
          () => settle(),
        )
      }
    })
  }

  private agree(request: RpcRequest): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const votes = new Map<string, Vote>()
      let left = this.endpoints.length
      let failure: unknown
      const cast = (key: string | undefined, answer: () => unknown): void => {
        left--
        const vote = key === undefined ? undefined : (votes.get(key) ?? { answer, count: 0 })
        if (key !== undefined && vote !== undefined) {
          vote.count++
          votes.set(key, vote)
          if (vote.count === this.need) settleWith(vote.answer)
        }
        if (left > 0) return
        if (votes.size > 1) this.complain('endpoints', request.method)
        const split =
          votes.size > 1 ? new ChainAway('the endpoints contradict each other') : failure
        reject(split ?? new ChainAway('too few endpoints answered'))
      }
      const settleWith = (answer: () => unknown): void => {
        try {
          resolve(answer())
        } catch (error) {
          reject(error)
        }
      }
      for (const endpoint of this.endpoints) {
        endpoint.request(request).then(
          (given) => {
            const answer = essence(request.method, given)
            cast(JSON.stringify(answer)?.toLowerCase() ?? 'none', () => answer)
          },
          (error: unknown) => {
            const key = isVerdict(error) ? `refused ${String(error.data ?? '')}` : undefined
            if (key === undefined) failure = failureOf(failure, error)
            cast(key, () => {
              throw error
            })
          },
        )
      }
    })
  }

  private async first(request: RpcRequest): Promise<unknown> {
    let failure: unknown = new ChainAway('no endpoint answered')
    for (const endpoint of this.endpoints) {
      try {
        return await endpoint.request(request)
      } catch (error) {
        if (isVerdict(error)) throw error
        failure = error
      }
    }
    throw failure
  }

  /** Sends to all, so that no node can withhold it; one acceptance is enough. */
  private async broadcast(request: RpcRequest): Promise<unknown> {
    const sent = await Promise.allSettled(this.endpoints.map((one) => one.request(request)))
    const taken = sent.find((one) => one.status === 'fulfilled')
    if (taken !== undefined) return taken.value
    const failures = sent.map((one) => (one.status === 'rejected' ? one.reason : undefined))
    throw failures.find((error) => error instanceof RpcError) ?? failures[0]
  }

  /** Once for each endpoint and method: a faulty node would fill the log. */
  private complain(who: string, method: string): void {
    const what = `${who} ${method}`
    if (this.disagreed.has(what)) return
    this.disagreed.add(what)
    this.log.error({ method, who }, 'chain: endpoints of CHAIN_RPC_URL contradict each other')
  }
}

/** A refusal that is a result (a revert), not a failure of the node. */
function isVerdict(error: unknown): error is RpcError {
  if (!(error instanceof RpcError)) return false
  return error.code === rpcCodes.reverted || (typeof error.data === 'string' && error.data !== '')
}

/** A refusal tells more than a missing answer: it says what to do (request a smaller range). */
function failureOf(known: unknown, error: unknown): unknown {
  return known instanceof RpcError ? known : error
}

/** The part of an answer on which honest nodes agree. */
function essence(method: string, answer: unknown): unknown {
  const fields = essentials[method]
  if (fields === undefined) return answer
  return Array.isArray(answer) ? answer.map((one) => pick(one, fields)) : pick(answer, fields)
}

function pick(answer: unknown, fields: readonly string[]): unknown {
  if (typeof answer !== 'object' || answer === null) return answer
  const given = answer as Record<string, unknown>
  // Null, false and absent mean the same; nodes differ in which they write.
  const kept = fields.flatMap((field) => (given[field] ? [[field, given[field]]] : []))
  return Object.fromEntries(kept) as Record<string, unknown>
}
