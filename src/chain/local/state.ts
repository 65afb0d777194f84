// The EVM over one state of the chain. There are three: one makes blocks and keeps its changes
// until a commit; the others run Sigil's own calls and those of clients. Changes of calls are never
// written, so no call can affect the chain.

import type { Common } from '@ethereumjs/common'
import { createMPT } from '@ethereumjs/mpt'
import { Caches, MerkleStateManager } from '@ethereumjs/statemanager'
import type { BatchDBOp, DB } from '@ethereumjs/util'
import { createVM, type VM } from '@ethereumjs/vm'
import type { Bytes } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import { giveWayBeforeCalls, givingWay } from './giving-way.js'
import { type ChainStorage, type Put, storageKeys } from './storage.js'

/** Bounds of a state in memory: trie nodes, accounts, contracts with their slots, codes. */
const chainTrieNodesCached = 2_000
const chainLedgerNodesCached = 500
const chainAccountsCached = 2_000
const chainContractsCached = 200
const chainCodesCached = 200

type Stored = string | Uint8Array

/**
 * Trie nodes and code by their hash: they never change, and none is removed. New ones wait for
 * `take`.
 */
class TrieNodes implements DB<string, Stored> {
  private fresh = new Map<string, Bytes>()

  constructor(private readonly storage: ChainStorage) {}

  get(name: string): Promise<Stored | undefined> {
    return Promise.resolve(this.fresh.get(name) ?? this.storage.get(storageKeys.state(name)))
  }

  put(name: string, value: Stored): Promise<void> {
    this.keep(name, value)
    return Promise.resolve()
  }

  del(): Promise<void> {
    return Promise.resolve()
  }

  batch(changes: BatchDBOp<string, Stored>[]): Promise<void> {
    for (const change of changes) if (change.type === 'put') this.keep(change.key, change.value)
    return Promise.resolve()
  }

  shallowCopy(): DB<string, Stored> {
    return this
  }

  open(): Promise<void> {
    return Promise.resolve()
  }

  /** The nodes added since the last call. */
  take(): Put[] {
    const puts = [...this.fresh].map(([name, value]) => ({ key: storageKeys.state(name), value }))
    this.fresh = new Map()
    return puts
  }

  private keep(name: string, value: Stored): void {
    if (typeof value === 'string') throw fail('InternalError', 'the trie writes bytes')
    this.fresh.set(name, value)
  }
}

/** Accounts, code and slots of one state: a read-only view, which needs no turn. */
export type Ledger = Pick<MerkleStateManager, 'getAccount' | 'getCode' | 'getStorage'>

export async function openLedger(
  storage: ChainStorage,
  common: Common,
  root: Bytes,
): Promise<Ledger> {
  const trie = await createMPT({
    common,
    root,
    useKeyHashing: true,
    valueEncoding: 'view',
    db: new TrieNodes(storage),
    cacheSize: chainLedgerNodesCached,
  })
  return new MerkleStateManager({ common, trie })
}

export interface World {
  readonly vm: VM
  readonly state: MerkleStateManager
  /** Nodes and code added since the last call, for the commit of a block. */
  take(): Put[]
  /** Trims the caches; between blocks, or between calls. */
  trim(): void
}

/** `hashOf` returns the values of the EVM's BLOCKHASH. */
export async function openWorld(
  storage: ChainStorage,
  chain: Common,
  root: Bytes | undefined,
  hashOf: (number: number) => Bytes,
): Promise<World> {
  const common = chain.copy()
  remember(common)
  const nodes = new TrieNodes(storage)
  const trie = await createMPT({
    common,
    db: nodes,
    useKeyHashing: true,
    valueEncoding: 'view',
    cacheSize: chainTrieNodesCached,
  })
  // Ordered maps: the bounded kind would drop changes that are not written yet.
  const caches = new Caches()
  const state = new MerkleStateManager({ common, trie, caches })
  if (root !== undefined) await state.setStateRoot(root)
  const blockchain = {
    getBlock: (number: number) => Promise.resolve({ hash: () => hashOf(number) }),
    putBlock: () => Promise.reject(fail('InternalError', 'blocks are put with their commit')),
    shallowCopy: () => blockchain,
  }
  const evmOpts = givingWay(common)
  const vm = await createVM({ common, stateManager: state, blockchain, evmOpts })
  giveWayBeforeCalls(vm)
  return { vm, state, take: () => nodes.take(), trim: () => trim(caches) }
}

/**
 * The EVM asks at each step which forks are active, and the library searches a list. They never
 * change here, so caching them saves a third of the time of a call.
 */
function remember(common: Common): void {
  const answers = new Map<number, boolean>()
  const look = common.isActivatedEIP.bind(common)
  common.isActivatedEIP = (eip) => {
    let answer = answers.get(eip)
    if (answer === undefined) {
      answer = look(eip)
      answers.set(eip, answer)
    }
    return answer
  }
}

/** The maps are unbounded: they are emptied once everything in them is written. */
function trim(caches: Caches): void {
  const accounts = caches.account?.size() ?? 0
  const contracts = caches.storage?.size() ?? 0
  const codes = caches.code?.size() ?? 0
  if (accounts > chainAccountsCached || contracts > chainContractsCached) caches.clear()
  else if (codes > chainCodesCached) caches.clear()
}
