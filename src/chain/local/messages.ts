// Messages between the main thread and the local chain's worker. Messages of one direction arrive
// in order: a block arrives before the responses that it causes.

import type { Bytes } from '../../base/bytes/bytes.js'
import type { ChainHead } from '../remote/provider.js'

export interface WorkerStart {
  /** Undefined: in memory. */
  readonly folder: string | undefined
  readonly chainId: number
  /** Addresses with test ether in the genesis block. */
  readonly fund: readonly string[]
  /** Wall time, milliseconds. */
  readonly now: number
}

/** Private keys, 0x and 64 hex digits. */
export interface ChainKeys {
  readonly owner: string
  readonly gasStation: string
}

export type Question =
  | { readonly kind: 'request'; readonly method: string; readonly params: readonly unknown[] }
  /** A JSON-RPC body of a client. */
  | { readonly kind: 'serve'; readonly body: Bytes }
  | { readonly kind: 'fund'; readonly address: string; readonly wei: bigint }
  | { readonly kind: 'keys' }
  | { readonly kind: 'close' }

export interface Asked {
  readonly id: number
  readonly now: number
  readonly question: Question
}

/** `tick` comes `ms` after a `wake` requested it. */
export type ToChainWorker = Asked | { readonly id: undefined; readonly now: number }

interface Failure {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

export type FromChainWorker =
  | { readonly kind: 'answer'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'refusal'; readonly id: number; readonly failure: Failure }
  | { readonly kind: 'block'; readonly head: ChainHead }
  | { readonly kind: 'wake'; readonly ms: number }
  | { readonly kind: 'log'; readonly level: 'warn' | 'error'; readonly text: string }
