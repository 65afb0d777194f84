// The state of a running `sigil spaces move`: written before its first change and removed with its
// last one. While it exists Sigil does not start, because writes between two runs could go to
// either space. (docs/rights.md, "Spaces")

import { textOf, utf8 } from '../../base/bytes/bytes.js'
import { keyClass } from '../../store/layout.js'
import type { Program, ReadTx, Tx } from '../../store/store.js'

export interface KeysToMove {
  /** EIP-55. */
  readonly wallet: string
  /** Null: all keys. */
  readonly pattern: string | null
}

/** A moved key, and what the target held before. */
export interface MovedKey {
  /** Its position in a walk (key-walk.ts), hexadecimal. */
  readonly place: string
  /** Milliseconds since 1970, or -1. */
  readonly expiresAt: number
  readonly digest: string
}

/** What the last step moved, until it has been verified. */
export type Unchecked =
  | {
      readonly kind: 'keys'
      readonly index: number
      readonly wallet: string
      readonly keys: readonly MovedKey[]
    }
  | {
      readonly kind: 'graph'
      readonly name: string
      readonly home: string
      readonly digest: string
    }

export interface SpaceMove {
  readonly keys: KeysToMove | null
  readonly unchecked: Unchecked | null
}

const moveKey = Uint8Array.of(keyClass.identity, 0x38)

/** Undefined if no move is in progress. */
export function* readMove(tx: ReadTx): Program<SpaceMove | undefined> {
  const stored = yield* tx.get(moveKey)
  // Only writeMove writes this value.
  return stored === undefined ? undefined : (JSON.parse(textOf(stored)) as SpaceMove)
}

export function writeMove(tx: Tx, move: SpaceMove): void {
  tx.put(moveKey, utf8(JSON.stringify(move)))
}

export function removeMove(tx: Tx): void {
  tx.remove(moveKey)
}
