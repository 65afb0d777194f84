// A deployed key registry with an owner, a gas station and what wallets sign for it: the scene that
// every test of the contract begins with.

import { id, type TypedDataDomain, type TypedDataField, type Wallet } from 'ethers'
import { keyRegistryArtifact } from '../../src/chain/artifacts/key-registry.js'
import { type Contract, Evm, type Outcome, walletOf } from './evm.js'

/** What a key puts on chain. */
export interface KeyValues {
  readonly commitment: string
  readonly storedKey: string
  readonly serverKey: string
}

export const requestTypes = {
  RegisterKey: fields(
    'address wallet,uint256 index,bytes32 commitment,bytes32 storedKey,bytes32 serverKey,uint256 nonce,uint256 deadline',
  ),
  RevokeKey: fields('address wallet,uint256 index,uint256 nonce,uint256 deadline'),
  RotateKey: fields(
    'address wallet,uint256 oldIndex,uint256 newIndex,bytes32 commitment,bytes32 storedKey,bytes32 serverKey,uint256 nonce,uint256 deadline',
  ),
} as const

export type RequestName = keyof typeof requestTypes
export type Request = Readonly<Record<string, unknown>>

export const owner = walletOf('owner')
export const station = walletOf('gas station')
export const alice = walletOf('alice')
export const bob = walletOf('bob')
export const otherWallet = walletOf('otherWallet')

/** Three values that no other key has. */
export function keyValues(name: string): KeyValues {
  return {
    commitment: id(`commitment ${name}`),
    storedKey: id(`stored key ${name}`),
    serverKey: id(`server key ${name}`),
  }
}

/** In the order that the contract's functions take them. */
export function listed({ commitment, storedKey, serverKey }: KeyValues): string[] {
  return [commitment, storedKey, serverKey]
}

export class RegistryRoom {
  readonly evm: Evm
  readonly registry: Contract

  private constructor(evm: Evm, registry: Contract) {
    this.evm = evm
    this.registry = registry
  }

  static async open(evm?: Evm, deployer: Wallet = owner): Promise<RegistryRoom> {
    const own = evm ?? (await Evm.open())
    const args = [owner.address, station.address]
    return new RegistryRoom(own, await own.deploy(keyRegistryArtifact, args, deployer))
  }

  get domain(): TypedDataDomain {
    return {
      name: 'Sigil Key Registry',
      version: '1',
      chainId: this.evm.chainId,
      verifyingContract: this.registry.address,
    }
  }

  /** A deadline that has not passed. */
  get deadline(): number {
    return this.evm.now + 900
  }

  register(wallet: Wallet, index: number, values = keyValues(`${wallet.address} ${index}`)) {
    return this.registry.send(wallet, 'registerKey', index, ...listed(values))
  }

  /** The request as its wallet would ask for it now: `changes` go over it before it is signed. */
  async request(wallet: string, changes: Request): Promise<Request> {
    const nonce = await this.registry.read('nonces', wallet)
    return { wallet, nonce, deadline: this.deadline, ...changes }
  }

  sign(name: RequestName, signer: Wallet, request: Request, domain = this.domain) {
    return signer.signTypedData(domain, { [name]: [...requestTypes[name]] }, request)
  }

  /** Brings a signed request to the contract. */
  relay(
    name: RequestName,
    request: Request,
    signature: string,
    { from = station, gas }: { readonly from?: Wallet; readonly gas?: bigint } = {},
  ): Promise<Outcome> {
    const method = `${name.charAt(0).toLowerCase()}${name.slice(1)}Meta`
    const args = requestTypes[name].map((field) => request[field.name])
    return this.registry.sendWith(
      gas === undefined ? {} : { gas },
      from,
      method,
      ...args,
      signature,
    )
  }

  /** Signs and brings: the ordinary way of a sponsored request. */
  async sponsored(name: RequestName, signer: Wallet, changes: Request, wallet = signer.address) {
    const request = await this.request(wallet, changes)
    return this.relay(name, request, await this.sign(name, signer, request))
  }

  /** Records, account and nonce: all state of a wallet that could change. */
  async stateOf(wallet: string, upTo = 12): Promise<unknown> {
    const keys: unknown[] = []
    for (let index = 0; index < upTo; index++) {
      keys.push(await this.registry.view('getKey', wallet, index))
    }
    const account = await this.registry.view('account', wallet)
    return { keys, account, nonce: await this.registry.read('nonces', wallet) }
  }
}

function fields(list: string): TypedDataField[] {
  return list.split(',').map((field) => {
    const [type = '', name = ''] = field.split(' ')
    return { name, type }
  })
}
