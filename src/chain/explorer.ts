// Links to transactions in explorers: those of well-known chains, or the operator's. A link depends
// only on settings and the chain id, never on stored data.

import { fail } from '../base/errors.js'

const hosts: ReadonlyMap<number, string> = new Map([
  [1, 'etherscan.io'],
  [10, 'optimistic.etherscan.io'],
  [56, 'bscscan.com'],
  [100, 'gnosisscan.io'],
  [137, 'polygonscan.com'],
  [8_453, 'basescan.org'],
  [42_161, 'arbiscan.io'],
  [59_144, 'lineascan.build'],
  [80_002, 'amoy.polygonscan.com'],
  [84_532, 'sepolia.basescan.org'],
  [421_614, 'sepolia.arbiscan.io'],
  [534_352, 'scrollscan.com'],
  [11_155_111, 'sepolia.etherscan.io'],
])

const hashForm = /^0x[0-9a-f]{64}$/

/** Address of a transaction's page; null if there is none. */
export type ExplorerUrl = (tx: string) => string | null

interface ExplorerOptions {
  readonly isLocal: boolean
  readonly chainId: number
  /** Setting EXPLORER_TX_URL. */
  readonly template: string | undefined
}

export function explorerOf({ isLocal, chainId, template }: ExplorerOptions): ExplorerUrl {
  // No explorer has the local chain, whatever its id.
  if (isLocal) return () => null
  const host = hosts.get(chainId)
  const known = host === undefined ? undefined : `https://${host}/tx/{tx}`
  const used = template ?? known
  return (tx) => (used === undefined || !hashForm.test(tx) ? null : used.replace('{tx}', tx))
}

/** Throws InvalidOptions if the template has no place for a transaction. */
export function requireTemplate(template: string): void {
  const isPage = template.includes('{tx}') && /^https?:\/\//.test(template)
  if (isPage && URL.canParse(template.replace('{tx}', '0x00'))) return
  throw fail('InvalidOptions', 'EXPLORER_TX_URL is a web address with {tx} in it')
}
