// Connects the clients of one chain once it answers: head, key log, reads, gas station. A failed
// attempt leaves nothing behind, so it can be repeated. (docs/design/chain.md)

import { Wallet } from 'ethers'
import type { Clock } from '../base/clock.js'
import type { Log } from '../base/log.js'
import type { Store } from '../store/store.js'
import type { AnchorClient } from './anchors/anchor-client.js'
import { type AnchorSettings, type OpenAnchors, openAnchors } from './anchors/anchor-open.js'
import { anchorRegistryArtifact } from './artifacts/anchor-registry.js'
import { keyRegistryArtifact } from './artifacts/key-registry.js'
import { deployContracts, findOwn } from './deploy.js'
import type { LocalChain } from './local/open.js'
import { requireCode } from './registry/contract-code.js'
import { ContractReader } from './registry/contract-reader.js'
import { KeyLog } from './registry/key-log.js'
import type { RegistryTypedData } from './registry/registry.js'
import { RegistryCache } from './registry/registry-cache.js'
import { RegistryClient } from './registry/registry-client.js'
import { registryTypedData } from './registry/typed-data.js'
import { ChainAway } from './remote/away.js'
import { SharedHead } from './remote/head.js'
import { type Header, readHeader } from './remote/header.js'
import type { Provider } from './remote/provider.js'
import type { Remote } from './remote/remote.js'
import { Rows, scopeOf } from './rows.js'
import { GasStation } from './sending/gas-station.js'
import { Intents } from './sending/intents.js'
import { MetaRelay } from './sending/meta-relay.js'
import { hexQuantity } from './words.js'

/** Blocks over which the block time is averaged. */
const paceBlocks = 100

export interface Connected {
  readonly reader: ContractReader
  readonly head: SharedHead
  readonly client: RegistryClient
  readonly relay: MetaRelay | undefined
  readonly typedData: RegistryTypedData
  /** Undefined if no contract or no key for it is set. */
  readonly anchors: AnchorClient | undefined
  /** Seconds. */
  chainTime(): number
  onRevoked(listener: (address: string, index: number) => void): void
  close(): Promise<void>
}

interface Base {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  /** Aborts a back-fill, which may take long. */
  readonly signal: AbortSignal
}

interface Parts extends Base, AnchorSettings {
  readonly provider: Provider
  readonly isRemote: boolean
  readonly chainId: number
  readonly registry: string
  readonly deployBlock: number
  readonly stationKey: string | undefined
  readonly budget: bigint | undefined
  readonly blockSeconds: number
  readonly latest: () => Promise<Header>
  readonly onBlock: ((listener: () => void) => () => void) | undefined
}

export async function assembleLocal(given: Base & { chain: LocalChain }): Promise<Connected> {
  const { chain, store, clock, log, signal } = given
  const { chainId } = chain
  const { owner: ownerKey, gasStation: stationKey } = await chain.keys()
  const own = await findOwn(chain, ownerKey)
  const found = { provider: chain, chainId, ownerKey, stationKey, pollMs: 20, ...own }
  const { registry, anchor } = await deployContracts(found)
  const params = ['latest', false]
  return assemble({
    store,
    clock,
    log,
    signal,
    provider: chain,
    isRemote: false,
    chainId,
    registry,
    anchor,
    deployBlock: 0,
    stationKey,
    budget: undefined,
    blockSeconds: 1,
    anchorKey: ownerKey,
    anchorBudget: undefined,
    confirmations: 1,
    latest: async () => readHeader(await chain.request({ method: 'eth_getBlockByNumber', params })),
    onBlock: (listener) => chain.onBlock(listener),
  })
}

interface RemoteParts extends Base, AnchorSettings {
  readonly remote: Remote
  readonly chainId: number
  readonly deployBlock: number
  readonly registry: string
  readonly stationKey: string | undefined
  readonly sponsorBudget: bigint
}

export async function assembleRemote(given: RemoteParts): Promise<Connected> {
  const { remote, registry, anchor, stationKey } = given
  const head = await remote.latest()
  const reader = new ContractReader(remote, registry, true)
  requireCode(await reader.code(registry, head), keyRegistryArtifact, registry)
  if (anchor !== undefined) {
    requireCode(await reader.code(anchor, head), anchorRegistryArtifact, anchor)
  }
  if (stationKey !== undefined) await requireStation(reader, head, stationKey)
  return assemble({
    ...given,
    provider: remote,
    isRemote: true,
    budget: given.sponsorBudget,
    blockSeconds: await paceOf(remote, head),
    latest: () => remote.latest(),
    onBlock: undefined,
  })
}

async function requireStation(reader: ContractReader, head: Header, key: string): Promise<void> {
  const { address } = new Wallet(key)
  const { current } = await reader.gasStations(head)
  if (current === address.toLowerCase()) return
  const text = `the registry's gas station is ${current}, and the key is of ${address}`
  throw new ChainAway(`${text}: run \`sigil deploy\` with it`)
}

/** Seconds a block. */
async function paceOf(provider: Provider, head: Header): Promise<number> {
  const blocks = Math.min(paceBlocks, head.number)
  if (blocks === 0) return 1
  const params = [hexQuantity(head.number - blocks), false]
  const before = readHeader(await provider.request({ method: 'eth_getBlockByNumber', params }))
  return Math.max(1, (head.timestamp - before.timestamp) / blocks)
}

async function assemble(parts: Parts): Promise<Connected> {
  const { provider, isRemote, chainId, registry, store, clock, log, stationKey } = parts
  const rows = new Rows(scopeOf(chainId, registry))
  const reader = new ContractReader(provider, registry, isRemote)
  const head = new SharedHead({
    chainId,
    latest: parts.latest,
    onBlock: parts.onBlock,
    clock,
    log,
  })
  const cache = new RegistryCache()
  const listeners = new Set<(address: string, index: number) => void>()
  const keyLog = new KeyLog({
    provider,
    contract: registry,
    deployBlock: parts.deployBlock,
    isRemote,
    store,
    rows,
    log,
    signal: parts.signal,
    onRevoked: (address, index) => {
      cache.revoke(address, index)
      for (const listener of listeners) listener(address, index)
    },
    onRewind: () => cache.clear(),
  })
  const highest = (await keyLog.place()) ?? 0
  head.start((at) => keyLog.catchUp(at), { highest, blockSeconds: parts.blockSeconds })
  const typedData = registryTypedData(chainId, registry)
  const chainTime = (): number => {
    const at = head.current?.timestamp ?? 0
    // The local chain makes blocks on demand: the next one has the time at which it is made.
    return isRemote ? at : Math.max(at, Math.floor(clock.now() / 1_000))
  }
  let station: GasStation | undefined
  let relay: MetaRelay | undefined
  let anchors: OpenAnchors | undefined
  try {
    await head.first()
    if (stationKey !== undefined) {
      station = await openStation({ ...parts, rows, reader, head, stationKey })
      const onRevoked = (address: string, index: number) => keyLog.revoke(address, index)
      relay = new MetaRelay({ station, reader, head, typedData, chainTime, onRevoked })
    }
    anchors = await openAnchors({ ...parts, reader, head })
  } catch (error) {
    await station?.close()
    await head.close()
    throw error
  }
  return {
    reader,
    head,
    relay,
    typedData,
    anchors: anchors?.client,
    chainTime,
    client: new RegistryClient({ reader, head, keyLog, cache, isRemote, clock }),
    onRevoked: (listener) => void listeners.add(listener),
    close: async () => {
      await station?.close()
      await anchors?.close()
      await head.close()
    },
  }
}

interface StationParts extends Parts {
  readonly rows: Rows
  readonly reader: ContractReader
  readonly head: SharedHead
  readonly stationKey: string
}

/** Resumes the transactions of an earlier process. */
async function openStation(parts: StationParts): Promise<GasStation> {
  const { store, rows, budget, stationKey, ...rest } = parts
  const intents = new Intents(store, rows, budget)
  const station = new GasStation({ ...rest, wallet: new Wallet(stationKey), intents })
  try {
    await station.start()
  } catch (error) {
    await station.close()
    throw error
  }
  return station
}
