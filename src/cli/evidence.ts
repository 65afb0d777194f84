// Checks exported evidence against a node of the chain, without Sigil, so that a server with false
// memories is detected. (docs/memory.md, "Evidence")

import { Contract, JsonRpcProvider, Network } from 'ethers'
import { fail } from '../base/errors.js'
import { anchorRegistryAbi } from '../chain/artifacts/anchor-registry.js'
import { evidenceProblem, parseEvidence } from '../memory/proof/verdicts/evidence-file.js'
import type { ExportedEvidence } from '../memory/proof/verdicts/exported.js'

interface Against {
  readonly rpc: string
  /** The required anchoring account and contract; undefined: those in the file. */
  readonly account?: string | undefined
  readonly contract?: string | undefined
}

interface Entry {
  readonly anchoredAt: bigint
  readonly sequence: bigint
  readonly prev: string
  readonly count: bigint
}

/** Prints the result and returns the exit code. Throws BadValue for a malformed file. */
export async function checkEvidence(
  text: string,
  against: Against,
  say: (line: string) => void,
): Promise<number> {
  const evidence = parseEvidence(text)
  const { memory, anchor, hash } = evidence
  const found = evidenceProblem(evidence) ?? namesOther(evidence, against)
  const at = found === null ? await anchoredAt(evidence, against.rpc) : found
  if (typeof at === 'string') {
    say(`${String(memory.id)}: NOT verified: ${at}`)
    return 1
  }
  say(`${String(memory.id)}: verified`)
  say(`  content hash ${hash}`)
  say(`  root ${anchor.root}, number ${anchor.sequence} of ${anchor.graphKey}`)
  say(`  anchored ${new Date(at).toISOString()} by ${anchor.anchoredBy} in ${anchor.contract}`)
  if (against.account === undefined || against.contract === undefined) {
    say(
      '  The file itself names account and contract: compare them, or give --account, --contract.',
    )
  }
  return 0
}

function namesOther({ anchor }: ExportedEvidence, { account, contract }: Against): string | null {
  const isOther = (given: string | undefined, named: string): boolean =>
    given !== undefined && given.toLowerCase() !== named.toLowerCase()
  if (isOther(account, anchor.anchoredBy)) return `anchored by ${anchor.anchoredBy}`
  return isOther(contract, anchor.contract) ? `anchored in ${anchor.contract}` : null
}

/** Time of the block in milliseconds, or the problem. Rejects if the node does not answer. */
async function anchoredAt({ anchor }: ExportedEvidence, rpc: string): Promise<number | string> {
  if (!URL.canParse(rpc)) throw fail('BadValue', `--rpc is no URL: ${rpc}`)
  const network = Network.from(anchor.chainId)
  const provider = new JsonRpcProvider(rpc, network, { staticNetwork: network })
  try {
    const chainId = Number(await provider.send('eth_chainId', []))
    if (chainId !== anchor.chainId) return `the node is of chain ${chainId}, not ${anchor.chainId}`
    if ((await provider.getCode(anchor.contract)) === '0x') return 'no contract is at that address'
    const contract = new Contract(anchor.contract, anchorRegistryAbi, provider)
    const ask = contract.getFunction('getAnchor')
    const entry = (await ask(anchor.anchoredBy, anchor.graphKey, anchor.root)) as Entry
    if (entry.sequence === 0n) return 'root not found on chain'
    const isSame =
      Number(entry.sequence) === anchor.sequence &&
      Number(entry.count) === anchor.count &&
      (BigInt(entry.prev) === 0n ? null : entry.prev) === anchor.prev
    return isSame
      ? Number(entry.anchoredAt) * 1_000
      : 'root not found on chain as the file tells it'
  } catch (error) {
    throw fail('HostUnreachable', `the node at ${new URL(rpc).origin} does not answer`, {
      cause: error instanceof Error ? error.message : String(error),
    })
  } finally {
    provider.destroy()
  }
}
