// Relays signed acts of wallets to the gas station. They are checked before they cost anything, and
// run one at a time for each wallet, because the next needs the following nonce. Refusals of the
// contract become the errors of the routes.
// (docs/chain.md, "Refusals"; docs/contracts.md, "Signed requests")

import { Interface } from 'ethers'
import { fail, GatewayError } from '../../base/errors.js'
import { deadlineSecondsMax, sponsoredGasMax } from '../../base/limits/chain.js'
import { keyRegistryAbi } from '../artifacts/key-registry.js'
import { type ContractReader, isExecutionFailure } from '../registry/contract-reader.js'
import type {
  RegisterArgs,
  RegistryTypedData,
  Relayed,
  RevokeArgs,
  RotateArgs,
} from '../registry/registry.js'
import { digestOf, normalSignature, type PrimaryType, signerOf } from '../registry/typed-data.js'
import { ChainAway, unavailable } from '../remote/away.js'
import type { SharedHead } from '../remote/head.js'
import type { Header } from '../remote/header.js'
import type { GasStation } from './gas-station.js'
import type { Receipt } from './receipt.js'

/** Code of an account that delegates to a contract (EIP-7702). */
const delegationPrefix = '0xef0100'

interface Act {
  readonly address: string
  readonly primary: PrimaryType
  readonly method: 'registerKeyMeta' | 'revokeKeyMeta' | 'rotateKeyMeta'
  /** The fields between wallet and nonce, in order. */
  readonly fields: Readonly<Record<string, string | number>>
  /** Index of the new key. */
  readonly newIndex?: number
}

interface MetaRelayOptions {
  readonly station: GasStation
  readonly reader: ContractReader
  readonly head: SharedHead
  readonly typedData: RegistryTypedData
  /** Seconds of chain time. */
  readonly chainTime: () => number
  /** Awaited before a relayed revocation is answered. */
  readonly onRevoked: (address: string, index: number) => Promise<void>
}

export class MetaRelay {
  private readonly options: MetaRelayOptions
  private readonly contract = new Interface(keyRegistryAbi)
  private readonly lanes = new Map<string, Promise<unknown>>()

  constructor(options: MetaRelayOptions) {
    this.options = options
  }

  register(args: RegisterArgs, signature: string, deadline: number): Promise<Relayed> {
    const { address, index } = args
    const act: Act = {
      address,
      primary: 'RegisterKey',
      method: 'registerKeyMeta',
      newIndex: index,
      fields: { index, ...materialOf(args) },
    }
    return this.relay(act, signature, deadline)
  }

  async revoke({ address, index }: RevokeArgs, signature: string, deadline: number) {
    const act: Act = { address, primary: 'RevokeKey', method: 'revokeKeyMeta', fields: { index } }
    const relayed = await this.relay(act, signature, deadline)
    await this.options.onRevoked(address, index)
    return relayed
  }

  async rotate(args: RotateArgs, signature: string, deadline: number): Promise<Relayed> {
    const { address, oldIndex, newIndex } = args
    const act: Act = {
      address,
      primary: 'RotateKey',
      method: 'rotateKeyMeta',
      newIndex,
      fields: { oldIndex, newIndex, ...materialOf(args) },
    }
    const relayed = await this.relay(act, signature, deadline)
    await this.options.onRevoked(address, oldIndex)
    return relayed
  }

  private async relay(act: Act, given: string, deadline: number): Promise<Relayed> {
    this.requireDeadline(deadline)
    const signature = normalSignature(given)
    if (signature === undefined) throw badSignature('it is not hex')
    const receipt = await this.inLane(act.address, () => this.send(act, signature, deadline))
    const { newIndex } = act
    const { hash: txHash, block } = receipt
    return newIndex === undefined ? { txHash, block } : { txHash, block, index: newIndex }
  }

  private async send(act: Act, signature: string, deadline: number): Promise<Receipt> {
    const { station, head, reader } = this.options
    const at = await head.fresh()
    const nonce = await reader.nonce(act.address, at).catch((error) => {
      throw unavailable(error)
    })
    const isContract = await this.requireSigned(act, signature, nonce, deadline, at)
    const values = [act.address, ...Object.values(act.fields), nonce, deadline, signature]
    const data = this.contract.encodeFunctionData(act.method, values)
    let receipt: Receipt
    try {
      receipt = await station.relay({ wallet: act.address, to: reader.contract, data }, at)
    } catch (error) {
      throw this.translate(error, isContract)
    }
    await head.reached(receipt.block).catch((error) => {
      // The transaction succeeded; only this server has not seen its block yet.
      if (!(error instanceof ChainAway)) throw error
    })
    if (!receipt.ok) throw await this.whyReverted(data, isContract)
    return receipt
  }

  /** Whether a contract must verify the signature; throws if no wallet can have made it. */
  private async requireSigned(
    act: Act,
    signature: string,
    nonce: bigint,
    deadline: number,
    at: Header,
  ): Promise<string> {
    const { typedData, reader } = this.options
    const code = await reader.code(act.address, at).catch((error) => {
      throw unavailable(error)
    })
    const values = { wallet: act.address, ...act.fields, nonce, deadline }
    const digest = digestOf(typedData, act.primary, values)
    const isOwn = signerOf(digest, signature)?.toLowerCase() === act.address.toLowerCase()
    if (code === '0x' && !isOwn) throw badSignature('it is not of this wallet over this act')
    return code
  }

  private requireDeadline(deadline: number): void {
    const now = this.options.chainTime()
    if (!Number.isSafeInteger(deadline) || deadline <= now) {
      throw fail('BadValue', 'the deadline has passed', { reason: 'DEADLINE' })
    }
    if (deadline > now + deadlineSecondsMax) {
      const text = `the deadline is more than ${deadlineSecondsMax} seconds ahead`
      throw fail('BadValue', text, { reason: 'DEADLINE' })
    }
  }

  /** The reason of a transaction that passed simulation and reverted: others came in between. */
  private async whyReverted(data: string, code: string): Promise<GatewayError> {
    const { reader, head, station } = this.options
    try {
      const call = { to: reader.contract, data, gas: sponsoredGasMax }
      await reader.call(call, await head.fresh(), station.address)
    } catch (error) {
      return this.translate(error, code)
    }
    return fail('KeyConflict', 'the transaction reverted', { reason: 'REVERTED' })
  }

  private translate(error: unknown, code: string): GatewayError {
    if (error instanceof GatewayError) return error
    if (!isExecutionFailure(error)) return unavailable(error)
    const isData = typeof error.data === 'string' && error.data.length >= 10
    const reason = isData ? this.contract.parseError(String(error.data)) : null
    const args = reason?.args.toArray() ?? []
    switch (reason?.name) {
      case 'BadIndex': {
        const expected = Number(args[1])
        const text = `the index of the wallet's next key is ${expected}`
        return fail('KeyConflict', text, { reason: 'INDEX_TAKEN', expected })
      }
      case 'TooManyKeys':
        return fail('KeyConflict', 'the wallet has ten active keys', { reason: 'TOO_MANY_KEYS' })
      case 'NotActive':
        return fail('KeyConflict', 'the key is not active', { reason: 'NOT_ACTIVE' })
      case 'InvalidAccountNonce':
        return fail('KeyConflict', 'the nonce has been used', { reason: 'NONCE_USED' })
      case 'EmptyValue':
        return fail('BadValue', 'a commitment or verifier is zero', { reason: 'EMPTY_VALUE' })
      case 'Expired':
        return fail('BadValue', 'the deadline has passed', { reason: 'DEADLINE' })
      case 'BadSignature':
        return code.startsWith(delegationPrefix)
          ? badSignature('this account delegates to a contract that refuses it')
          : badSignature("the wallet's contract refuses it")
      case 'NotGasStation':
        return unavailable(new ChainAway('the registry takes another gas station'))
      default:
        return fail('BadValue', 'the transaction would fail', { reason: 'REVERTED' })
    }
  }

  private inLane<T>(address: string, work: () => Promise<T>): Promise<T> {
    const name = address.toLowerCase()
    const before = this.lanes.get(name) ?? Promise.resolve()
    const done = before.then(work, work)
    this.lanes.set(name, done)
    const leave = (): void => {
      if (this.lanes.get(name) === done) this.lanes.delete(name)
    }
    done.then(leave, leave)
    return done
  }
}

function materialOf({ commitment, storedKey, serverKey }: RegisterArgs | RotateArgs) {
  return {
    commitment: `0x${commitment}`,
    storedKey: `0x${Buffer.from(storedKey).toString('hex')}`,
    serverKey: `0x${Buffer.from(serverKey).toString('hex')}`,
  }
}

function badSignature(why: string): GatewayError {
  return fail('BadValue', `the signature does not hold: ${why}`, { reason: 'SIGNATURE' })
}
