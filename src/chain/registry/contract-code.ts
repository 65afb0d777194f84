// Checks that the code at an address is the known contract; all other trust in a registry is based
// on it. Values that a constructor writes into the code (immutables) are masked.

import { ChainAway } from '../remote/away.js'

export interface ContractArtifact {
  readonly name: string
  readonly creationBytecode: string
  readonly runtimeBytecode: string
  /** Bytes of the runtime code that differ between deployments. */
  readonly immutables: readonly { readonly start: number; readonly length: number }[]
}

/** Throws ChainAway if `code` (lower-case hex) is not the artifact's. */
export function requireCode(code: string, artifact: ContractArtifact, address: string): void {
  if (code === '0x') throw new ChainAway(`there is no contract at ${address}`)
  if (masked(code, artifact) === masked(artifact.runtimeBytecode.toLowerCase(), artifact)) return
  throw new ChainAway(`the contract at ${address} is not Sigil's ${artifact.name}`)
}

function masked(code: string, { immutables }: ContractArtifact): string {
  let rest = code
  for (const { start, length } of immutables) {
    const at = 2 + 2 * start
    rest = rest.slice(0, at) + '0'.repeat(2 * length) + rest.slice(at + 2 * length)
  }
  return rest
}
