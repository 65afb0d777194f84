// The key registry as a model: what the contract keeps, in memory, with the head, the outages and
// the squatters that a test wants. Where the chain itself matters tests use the chain.

import { fail } from '../../src/base/errors.js'
import type {
  Candidate,
  KeyMaterial,
  KeyStatus,
  RegisterArgs,
  Registry,
  RegistryKey,
  Relayed,
  RevokeArgs,
  RotateArgs,
} from '../../src/chain/registry/registry.js'
import { registryTypedData } from '../../src/chain/registry/typed-data.js'
import { onChainSalt } from '../../src/identity/keys/key-derivation.js'

interface Wallet {
  readonly keys: RegistryKey[]
  nonce: bigint
}

export class RegistryModel implements Registry {
  readonly contract = '0x5FbDB2315678afecb367f032d93F642f64180aa3'
  readonly chainId = 31337
  readonly relays = true
  /** Every question fails while the chain is away. */
  isAway = false
  /** What the gas station answers instead of sending. */
  refusal: Error | undefined
  /** Asked of the chain, since it was last set to 0. */
  questions = 0
  private seconds = 1_900_000_000
  private readonly wallets = new Map<string, Wallet>()
  private readonly log: { readonly commitment: string; readonly candidate: Candidate }[] = []
  private readonly listeners = new Set<(address: string, index: number) => void>()

  get head(): string | undefined {
    return this.isAway ? undefined : `block ${this.seconds}`
  }

  state(): 'ready' | 'unavailable' {
    return this.isAway ? 'unavailable' : 'ready'
  }

  async ready(): Promise<void> {
    this.ask()
  }

  async getKey(address: string, index: number): Promise<RegistryKey | undefined> {
    this.ask()
    return this.wallets.get(address)?.keys[index]
  }

  async account(
    address: string,
  ): Promise<{ nextIndex: number; activeCount: number; nonce: bigint }> {
    this.ask()
    const { keys, nonce } = this.walletOf(address)
    return { nextIndex: keys.length, activeCount: keys.filter((key) => key.active).length, nonce }
  }

  async firstActive(address: string): Promise<number | undefined> {
    this.ask()
    const index = this.walletOf(address).keys.findIndex((key) => key.active)
    return index < 0 ? undefined : index
  }

  async candidates(commitment: string): Promise<readonly Candidate[]> {
    this.ask()
    return this.log.filter((entry) => entry.commitment === commitment).map((e) => e.candidate)
  }

  keyStatus(address: string, index: number): KeyStatus {
    if (this.isAway) return 'unknown'
    const key = this.wallets.get(address)?.keys[index]
    if (key === undefined) return 'unknown'
    return key.active ? 'active' : 'revoked'
  }

  onRevoked(listener: (address: string, index: number) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  typedData() {
    return registryTypedData(this.chainId, this.contract)
  }

  async registerMeta(args: RegisterArgs, _signature: string, _deadline: number): Promise<Relayed> {
    this.relay(args.address)
    return { txHash: '0x', block: this.seconds, index: this.register(args.address, args) }
  }

  async revokeMeta(args: RevokeArgs, _signature: string, _deadline: number): Promise<Relayed> {
    this.relay(args.address)
    this.revoke(args.address, args.index)
    return { txHash: '0x', block: this.seconds }
  }

  async rotateMeta(args: RotateArgs, _signature: string, _deadline: number): Promise<Relayed> {
    this.relay(args.address)
    this.revoke(args.address, args.oldIndex)
    return { txHash: '0x', block: this.seconds, index: this.register(args.address, args) }
  }

  call(): Promise<string> {
    return Promise.reject(new Error('the model has no contracts'))
  }

  code(): Promise<string> {
    return Promise.resolve('0x')
  }

  chainTime(): number {
    return this.seconds
  }

  /** The wallet sends registerKey itself. */
  register(address: string, material: KeyMaterial): number {
    const { keys } = this.walletOf(address)
    const index = keys.length
    const { commitment, storedKey, serverKey } = material
    this.seconds++
    keys.push({
      ...{ commitment, storedKey, serverKey },
      ...{ createdAt: this.seconds, revokedAt: 0, active: true },
      salt: onChainSalt(address, index),
    })
    const candidate = { address, index, storedKey, block: this.seconds, logIndex: 0 }
    this.log.push({ commitment, candidate })
    return index
  }

  /** The wallet sends revokeKey itself. */
  revoke(address: string, index: number): void {
    const { keys } = this.walletOf(address)
    const key = keys[index]
    if (key === undefined) throw new Error(`no key ${index}`)
    this.seconds++
    keys[index] = { ...key, active: false, revokedAt: this.seconds }
    for (const listener of this.listeners) listener(address, index)
  }

  private relay(address: string): void {
    this.ask()
    if (this.refusal !== undefined) throw this.refusal
    this.walletOf(address).nonce++
  }

  private walletOf(address: string): Wallet {
    let wallet = this.wallets.get(address)
    if (wallet === undefined) {
      wallet = { keys: [], nonce: 0n }
      this.wallets.set(address, wallet)
    }
    return wallet
  }

  private ask(): void {
    this.questions++
    if (this.isAway) throw fail('HostUnreachable', 'away', { reason: 'CHAIN_UNAVAILABLE' })
  }
}
