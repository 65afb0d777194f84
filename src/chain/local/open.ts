// The main thread's side of the local chain: an EVM in a worker thread with the interface of a
// remote chain. Each message has the time. If the worker ends, its pending requests fail, and the
// next request starts another worker.

import { Worker, type WorkerOptions } from 'node:worker_threads'
import type { Bytes } from '../../base/bytes/bytes.js'
import type { Clock } from '../../base/clock.js'
import { withOwnYoungHeap } from '../../base/heap/worker-heap.js'
import { chainBodiesMax, chainRequestsMax } from '../../base/limits/chain.js'
import type { Log } from '../../base/log.js'
import {
  type Chain,
  type ChainHead,
  RpcError,
  type RpcRequest,
  rpcCodes,
} from '../remote/provider.js'
import type {
  ChainKeys,
  FromChainWorker,
  Question,
  ToChainWorker,
  WorkerStart,
} from './messages.js'

/**
 * Heap of the chain's worker, MiB; the young generation is small, because it is allocated twice.
 */
const chainHeapMiB = 96
const chainYoungHeapMiB = 8

interface LocalChainOptions {
  /** The chain's folder, created if missing; undefined keeps the chain in memory. */
  readonly folder: string | undefined
  /** Set at the first start; it cannot change later. */
  readonly chainId: number
  /** Addresses with test ether in the genesis block: used only at the first start. */
  readonly fund: readonly string[]
  readonly clock: Clock
  readonly log: Log
}

export interface LocalChain extends Chain {
  readonly kind: 'local'
  /** Private keys from the first start: of the contracts' owner and of the gas station. */
  keys(): Promise<ChainKeys>
  /** Sends test ether to an address that has less than a tenth of it; resolves after the block. */
  fund(address: string, wei: bigint): Promise<void>
  /**
   * Answers a JSON-RPC body, single or batch; undefined if no request expects a response. Never
   * rejects because of the body.
   */
  serve(body: Bytes): Promise<Bytes | undefined>
}

/** Resolves when the worker has started; requests wait until it is ready. */
export function openLocalChain(options: LocalChainOptions): Promise<LocalChain> {
  return Promise.resolve(new ChainThread(options))
}

interface Waiting {
  readonly external: boolean
  readonly resolve: (result: never) => void
  readonly reject: (error: Error) => void
}

class ChainThread implements LocalChain {
  readonly kind = 'local'
  readonly chainId: number
  private readonly listeners = new Set<(head: ChainHead) => void>()
  private readonly waiting = new Map<number, Waiting>()
  private bodies = 0
  private asked = 0
  private worker: Worker | undefined
  private closed: Promise<void> | undefined
  private wake: NodeJS.Timeout | undefined

  constructor(private readonly options: LocalChainOptions) {
    this.chainId = options.chainId
    this.worker = this.start()
  }

  async request({ method, params = [] }: RpcRequest): Promise<unknown> {
    return this.ask({ kind: 'request', method, params })
  }

  serve(body: Bytes): Promise<Bytes | undefined> {
    // A copy, which can be moved to the worker.
    return this.ask({ kind: 'serve', body: new Uint8Array(body) })
  }

  keys(): Promise<ChainKeys> {
    return this.ask({ kind: 'keys' })
  }

  fund(address: string, wei: bigint): Promise<void> {
    return this.ask({ kind: 'fund', address, wei })
  }

  onBlock(listener: (head: ChainHead) => void): () => void {
    this.listeners.add(listener)
    return () => void this.listeners.delete(listener)
  }

  close(): Promise<void> {
    this.closed ??= this.end()
    return this.closed
  }

  private async end(): Promise<void> {
    const { worker } = this
    if (worker === undefined) return
    const gone = new Promise((resolve) => worker.once('exit', resolve))
    this.post({ kind: 'close' }, 0)
    await gone
  }

  private ask<T>(question: Question): Promise<T> {
    if (this.closed !== undefined) return Promise.reject(unavailable('the local chain is closed'))
    const external = question.kind === 'serve'
    if (external ? this.bodies >= chainBodiesMax : this.waiting.size >= chainRequestsMax) {
      const text = 'too many requests to the local chain at once'
      return Promise.reject(new RpcError(rpcCodes.limitExceeded, text))
    }
    this.worker ??= this.start()
    const id = ++this.asked
    return new Promise<T>((resolve, reject) => {
      this.waiting.set(id, { external, resolve, reject })
      if (external) this.bodies++
      this.post(question, id)
    })
  }

  private post(question: Question, id: number): void {
    const moved = question.kind === 'serve' ? [question.body.buffer as ArrayBuffer] : []
    const message: ToChainWorker = { id, now: this.options.clock.now(), question }
    this.worker?.postMessage(message, moved)
  }

  private start(): Worker {
    const { folder, chainId, fund, clock } = this.options
    const workerData: WorkerStart = { folder, chainId, fund, now: clock.now() }
    const options: WorkerOptions = {
      name: 'chain',
      workerData,
      resourceLimits: {
        maxOldGenerationSizeMb: chainHeapMiB,
        maxYoungGenerationSizeMb: chainYoungHeapMiB,
      },
    }
    const entry = new URL('./worker.js', import.meta.url)
    const worker = withOwnYoungHeap(() => new Worker(entry, options))
    worker.on('message', (message: FromChainWorker) => this.take(message))
    worker.on('error', (error) => {
      this.options.log.error({ cause: error.stack }, 'the local chain has failed')
    })
    worker.on('exit', () => this.gone())
    return worker
  }

  private gone(): void {
    clearTimeout(this.wake)
    this.worker = undefined
    this.bodies = 0
    const left = [...this.waiting.values()]
    this.waiting.clear()
    for (const { reject } of left) reject(unavailable('the local chain has ended'))
  }

  private take(message: FromChainWorker): void {
    switch (message.kind) {
      case 'answer':
        this.settle(message.id)?.resolve(message.result as never)
        break
      case 'refusal': {
        const { code, message: text, data } = message.failure
        this.settle(message.id)?.reject(new RpcError(code, text, data))
        break
      }
      case 'block':
        for (const listener of this.listeners) this.tell(listener, message.head)
        break
      case 'wake':
        this.wakeAfter(message.ms)
        break
      case 'log':
        this.options.log[message.level](message.text)
        break
      default:
        message satisfies never
    }
  }

  private settle(id: number): Waiting | undefined {
    const found = this.waiting.get(id)
    this.waiting.delete(id)
    if (found?.external === true) this.bodies--
    return found
  }

  private tell(listener: (head: ChainHead) => void, head: ChainHead): void {
    try {
      listener(head)
    } catch (error) {
      const cause = error instanceof Error ? error.stack : String(error)
      this.options.log.error({ cause }, 'a listener of the local chain has failed')
    }
  }

  private wakeAfter(ms: number): void {
    clearTimeout(this.wake)
    this.wake = setTimeout(() => {
      const tick: ToChainWorker = { id: undefined, now: this.options.clock.now() }
      this.worker?.postMessage(tick)
    }, ms)
  }
}

function unavailable(text: string): Error {
  return new RpcError(rpcCodes.internalError, text)
}
