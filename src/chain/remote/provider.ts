// One interface for every chain: EIP-1193's `request`. The clients of the registry and the anchor
// use only this, so the local chain and a remote RPC look the same to them.

export interface RpcRequest {
  readonly method: string
  readonly params?: readonly unknown[]
}

/** EIP-1193. Quantities and bytes are hex strings, as in JSON-RPC. Rejects with RpcError. */
export interface Provider {
  request(request: RpcRequest): Promise<unknown>
}

/** A log as JSON-RPC answers it. */
export interface RpcLog {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
  readonly blockHash: string
  readonly blockNumber: string
  readonly transactionHash: string
  readonly transactionIndex: string
  readonly logIndex: string
  readonly removed: boolean
}

/** The newest block. */
export interface ChainHead {
  readonly number: number
  readonly hash: string
  /** Seconds since 1970, of the chain: it may be ahead of the wall clock. */
  readonly timestamp: number
  /** All logs of the block, if the chain sends them with it: the local chain does. */
  readonly logs?: readonly RpcLog[]
}

export interface Chain extends Provider {
  readonly kind: 'local' | 'remote'
  readonly chainId: number
  /**
   * Calls `listener` once a block, in order; on the local chain before the sender of a transaction
   * in it gets the result. Returns an unsubscribe function.
   */
  onBlock(listener: (head: ChainHead) => void): () => void
  close(): Promise<void>
}

/** Codes of JSON-RPC and of Ethereum nodes. */
export const rpcCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** A node refused a transaction or call. */
  serverError: -32000,
  /** The request was too large (EIP-1474: limit exceeded). */
  limitExceeded: -32005,
  /** The call reverted; `data` is its result (geth). */
  reverted: 3,
} as const

/** A node's refusal in JSON-RPC. Other errors of `request` mean that the node was not reached. */
export class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message)
    this.name = 'RpcError'
  }
}
