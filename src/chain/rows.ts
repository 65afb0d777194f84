// Stored rows of the chain's clients: the key log, its cursor, revocations and sent transactions.
// Rows are prefixed with a scope, a hash of chain and contract, so that another contract's rows are
// never used.

import { createHash } from 'node:crypto'
import { type Bytes, concatBytes, prefixEnd, utf8 } from '../base/bytes/bytes.js'
import { keyClass } from '../store/layout.js'
import type { KeyRange } from '../store/store.js'

/** Second byte of a key of class identity; the other kinds belong to the identity room. */
const kinds = { candidates: 0x12, places: 0x13, sending: 0x14, revoked: 0x18 } as const
const place = { cursor: 0x00, hash: 0x01, event: 0x02 } as const
const sending = { intent: 0x00, day: 0x01 } as const
const scopeBytes = 8

/** The scope of one contract on one chain. */
export function scopeOf(chainId: number, contract: string): Bytes {
  const text = `${chainId}:${contract.toLowerCase()}`
  return new Uint8Array(createHash('sha256').update(text).digest().subarray(0, scopeBytes))
}

/** The keys of one scope. */
export class Rows {
  private readonly scope: Bytes

  constructor(scope: Bytes) {
    this.scope = scope
  }

  /** A record with this commitment; sorted by block and position in it. */
  candidate(commitment: Bytes, block: number, logIndex: number): Bytes {
    return this.key(kinds.candidates, commitment, numbers(block, logIndex))
  }

  candidates(commitment: Bytes): KeyRange {
    return rangeOf(this.key(kinds.candidates, commitment))
  }

  /** Number and hash of the last processed block. */
  cursor(): Bytes {
    return this.key(kinds.places, Uint8Array.of(place.cursor))
  }

  blockHash(block: number): Bytes {
    return this.key(kinds.places, Uint8Array.of(place.hash), numbers(block))
  }

  blockHashes(): KeyRange {
    return rangeOf(this.key(kinds.places, Uint8Array.of(place.hash)))
  }

  /** Commitment of the record of an event, to remove a reorganized block's records. */
  event(block: number, logIndex: number): Bytes {
    return this.key(kinds.places, Uint8Array.of(place.event), numbers(block, logIndex))
  }

  /** The events from `block` on. */
  events(block: number): KeyRange {
    const { end } = rangeOf(this.key(kinds.places, Uint8Array.of(place.event)))
    return { start: this.key(kinds.places, Uint8Array.of(place.event), numbers(block)), end }
  }

  /** Exists once a revocation was seen, whatever the chain says later. */
  revoked(address: Bytes, index: number): Bytes {
    return this.key(kinds.revoked, address, numbers(0, 0, 0, index))
  }

  intent(nonce: number): Bytes {
    return this.key(kinds.sending, Uint8Array.of(sending.intent), numbers(nonce))
  }

  intents(): KeyRange {
    return rangeOf(this.key(kinds.sending, Uint8Array.of(sending.intent)))
  }

  /** The sponsored amount of a day, in total or for the wallet. */
  day(day: number, wallet?: Bytes): Bytes {
    const tail = wallet ?? new Uint8Array(0)
    return this.key(kinds.sending, Uint8Array.of(sending.day), numbers(day), tail)
  }

  daysBefore(day: number): KeyRange {
    const { start } = rangeOf(this.key(kinds.sending, Uint8Array.of(sending.day)))
    return { start, end: this.day(day) }
  }

  private key(kind: number, ...tail: readonly Bytes[]): Bytes {
    return concatBytes(Uint8Array.of(keyClass.identity, kind), this.scope, ...tail)
  }
}

/** Big-endian, 8 bytes each, so that keys sort like the numbers. */
export function numbers(...values: readonly number[]): Bytes {
  const bytes = Buffer.alloc(8 * values.length)
  for (const [i, value] of values.entries()) bytes.writeBigUInt64BE(BigInt(value), 8 * i)
  return new Uint8Array(bytes)
}

/** The number at `at`, written by `numbers`. */
export function numberAt(bytes: Bytes, at: number): number {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  return Number(view.readBigUInt64BE(at))
}

/** A row of named values, as JSON: for rare and small rows. */
export function encodeRow(row: Readonly<Record<string, unknown>>): Bytes {
  return utf8(JSON.stringify(row))
}

function rangeOf(prefix: Bytes): KeyRange {
  return { start: prefix, end: prefixEnd(prefix) }
}
