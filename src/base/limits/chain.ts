// Bounds of the chain: the local one and its JSON-RPC, a remote one, and the transactions that
// Sigil pays for. A refused JSON-RPC request gets geth's code and text.

import { assert } from '../errors.js'
import { KiB, MiB } from '../units.js'

// Local chain

/** Gas of a block, of a transaction or an estimated deployment, of a call: 0.2 s. */
export const chainBlockGasMax = 15_000_000
export const chainTransactionGasMax = 6_000_000
export const chainCallGasMax = 3_000_000
/** Seconds by which successive blocks may run ahead of the clock; then one block a second. */
export const chainAheadSecondsMax = 15
/** Transactions in the queue, those of one sender, and the wait for a missing nonce. */
export const chainQueueMax = 1_024
export const chainQueueSenderMax = 64
export const chainGapMs = 5_000
/** A signed transaction, and the data of a call, bytes (geth). */
export const chainTransactionBytesMax = 128 * KiB
/** The same for POST /chain: a contract of 24 KiB with its arguments. */
export const chainForeignTransactionBytesMax = 32 * KiB
/**
 * Growth of the chain's folder by transactions from POST /chain in this time: of one sender, of
 * all, and of one sender once half of that is used. Then limit exceeded (-32005).
 */
export const chainGrowthMs = 24 * 3_600_000
export const chainGrowthSenderBytesMax = 16 * MiB
export const chainGrowthBytesMax = 256 * MiB
export const chainGrowthLateBytesMax = MiB
/**
 * Logs and blocks of one eth_getLogs, and the addresses, or topics in one position, of its filter.
 */
export const chainLogsMax = 2_000
export const chainLogBlocksMax = 10_000
export const chainLogChoicesMax = 1_000
/** Blocks of one eth_feeHistory, and its percentiles (geth). */
export const chainFeeBlocksMax = 1_024
export const chainFeePercentilesMax = 100
/** Concurrent requests to the worker, and bodies of POST /chain among them: -32005. */
export const chainRequestsMax = 10_000
export const chainBodiesMax = 64
/** A body of POST /chain, requests of a batch, bytes of responses before the rest is refused. */
export const chainBodyBytesMax = 512 * KiB
export const chainBatchMax = 100
export const chainReplyBytesMax = 8 * MiB

// Remote chain

/**
 * JSON-RPC of a remote chain: time for one response, its bytes (parsed at once: 20 ms). Later or
 * longer ones count as no response of this endpoint.
 */
export const rpcTimeoutMs = 4_000
export const rpcAnswerBytesMax = 4 * MiB
/** Endpoints of CHAIN_RPC_URL: InvalidOptions at the start. */
export const rpcEndpointsMax = 8
/** Interval of polls for a new block, and the age at which the head is no longer known. */
export const headPollMs = 1_000
export const headAgeMsMax = 3_000
assert(headAgeMsMax >= 2 * headPollMs, 'one look may fail')
/** How long a request waits for the chain's first or next response: HostUnreachable. */
export const chainWaitMs = 5_000
/**
 * Blocks that a reorganization may replace; the head goes back no further
 * (docs/chain.md, "What you trust").
 */
export const headRewindMax = 64

// Sponsored transactions

/** Gas of a sponsored transaction and of its simulation: a hostile wallet may burn all of it. */
export const sponsoredGasMax = 400_000
/**
 * Least gas limit: the costliest act of an ordinary wallet takes 176,000, whatever the estimate.
 */
export const sponsoredGasMin = 200_000
assert(sponsoredGasMin < sponsoredGasMax, 'a node may ask for more')
/** A signed act may expire at most this far ahead, seconds of chain time: BadValue. */
export const deadlineSecondsMax = 3_600
/** How long a request waits for its transaction, and after how long its fee is raised. */
export const receiptMsMax = 60_000
export const feeBumpMs = 20_000
assert(feeBumpMs < receiptMsMax, 'a fee is raised while a client waits')
/** Sponsored transactions of one wallet a day (429); those that wait for a block (503). */
export const sponsoredPerDayMax = 20
export const sponsoredPendingMax = 200
