// An EVM for tests of the contracts: no blocks, no persistence, a clock that the test sets, any chain
// id. The local chain is not it: what a contract does on another chain, at another time or when a
// contract wallet calls cannot be asked of that.

import { createBlock } from '@ethereumjs/block'
import { type Common, createCustomCommon, Hardfork, Mainnet } from '@ethereumjs/common'
import { createFeeMarket1559Tx } from '@ethereumjs/tx'
import { createAddressFromString, hexToBytes } from '@ethereumjs/util'
import { createVM, runTx, type VM } from '@ethereumjs/vm'
import { getCreateAddress, hexlify, Interface, type InterfaceAbi, id, Wallet } from 'ethers'

/** What a generated artifact has of interest here. */
interface Artifact {
  readonly abi: InterfaceAbi
  readonly creationBytecode: string
}

export interface Event {
  readonly name: string
  readonly args: readonly unknown[]
  readonly topics: readonly string[]
}

export interface Outcome {
  /** The custom error's name, or what the EVM says; undefined if all went well. */
  readonly error: string | undefined
  readonly errorArgs: readonly unknown[]
  readonly data: string
  readonly gas: bigint
  readonly events: readonly Event[]
}

type Hex = `0x${string}`

interface Execution {
  readonly returnValue: Uint8Array
  readonly executionGasUsed: bigint
  readonly exceptionError?: { readonly error: string } | undefined
  readonly logs?: readonly [Uint8Array, readonly Uint8Array[], Uint8Array][] | undefined
}

const gasLimitDefault = 5_000_000n
const baseFee = 7n

/** The same wallet for the same name in every run. It has no funds elsewhere. */
export function walletOf(name: string): Wallet {
  return new Wallet(id(`a wallet of the contract tests: ${name}`))
}

/** The first well-known account of development chains, which the golden vectors are made with. */
export const goldenWallet = new Wallet(
  '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
)

export class Evm {
  /** Seconds: the next block's time. */
  now = 1_900_000_000
  readonly chainId: number
  readonly #common: Common
  readonly #vm: VM

  private constructor(chainId: number, common: Common, vm: VM) {
    this.chainId = chainId
    this.#common = common
    this.#vm = vm
  }

  static async open(chainId = 31337): Promise<Evm> {
    const common = createCustomCommon({ chainId }, Mainnet, { hardfork: Hardfork.Cancun })
    return new Evm(chainId, common, await createVM({ common }))
  }

  async deploy(artifact: Artifact, args: readonly unknown[], from: Wallet): Promise<Contract> {
    const face = new Interface(artifact.abi)
    const data = artifact.creationBytecode + face.encodeDeploy(args).slice(2)
    const address = getCreateAddress({ from: from.address, nonce: await this.#nonce(from) })
    const outcome = await this.send(from, undefined, data, gasLimitDefault, face)
    if (outcome.error !== undefined) throw new Error(`not deployed: ${outcome.error}`)
    return new Contract(this, address, face, outcome)
  }

  /** A signed transaction in a block of its own; `face` decodes its events and errors. */
  async send(
    from: Wallet,
    to: string | undefined,
    data: string,
    gasLimit: bigint = gasLimitDefault,
    face: Interface = new Interface([]),
    value = 0n,
  ): Promise<Outcome> {
    const fields = {
      chainId: this.chainId,
      nonce: await this.#nonce(from),
      gasLimit,
      maxFeePerGas: baseFee,
      data: data as Hex,
      value,
      ...(to === undefined ? {} : { to: createAddressFromString(to) }),
    }
    const tx = createFeeMarket1559Tx(fields, { common: this.#common })
    const signed = tx.sign(hexToBytes(from.privateKey as Hex))
    const block = this.#block()
    const result = await runTx(this.#vm, { tx: signed, block, skipBalance: true })
    return outcomeOf(result.execResult, result.totalGasSpent, face)
  }

  /** As eth_call: leaves nothing behind. Without `to` the data is creation code. */
  async call(
    to: string | undefined,
    data: string,
    { from, gas = 3_000_000n, face = new Interface([]) }: CallOptions = {},
  ): Promise<Outcome> {
    const { journal } = this.#vm.evm
    await journal.checkpoint()
    try {
      const { execResult } = await this.#vm.evm.runCall({
        caller: createAddressFromString(from ?? walletOf('unknown').address),
        data: hexToBytes(data as Hex),
        gasLimit: gas,
        block: this.#block(),
        ...(to === undefined ? {} : { to: createAddressFromString(to) }),
      })
      return outcomeOf(execResult, execResult.executionGasUsed, face)
    } finally {
      await journal.revert()
      await journal.cleanup()
    }
  }

  async code(address: string): Promise<string> {
    return hexlify(await this.#vm.stateManager.getCode(createAddressFromString(address)))
  }

  async stateRoot(): Promise<string> {
    return hexlify(await this.#vm.stateManager.getStateRoot())
  }

  async balance(address: string): Promise<bigint> {
    const account = await this.#vm.stateManager.getAccount(createAddressFromString(address))
    return account?.balance ?? 0n
  }

  async #nonce(wallet: Wallet): Promise<bigint> {
    const address = createAddressFromString(wallet.address)
    return (await this.#vm.stateManager.getAccount(address))?.nonce ?? 0n
  }

  #block() {
    const header = {
      number: 1,
      timestamp: this.now,
      gasLimit: 30_000_000n,
      baseFeePerGas: baseFee,
    }
    return createBlock({ header }, { common: this.#common, skipConsensusFormatValidation: true })
  }
}

interface CallOptions {
  readonly from?: string
  readonly gas?: bigint
  readonly face?: Interface
}

/** A deployed contract with its interface. */
export class Contract {
  readonly evm: Evm
  readonly address: string
  readonly face: Interface
  readonly deployment: Outcome

  constructor(evm: Evm, address: string, face: Interface, deployment: Outcome) {
    this.evm = evm
    this.address = address
    this.face = face
    this.deployment = deployment
  }

  send(from: Wallet, method: string, ...args: readonly unknown[]): Promise<Outcome> {
    return this.sendWith({}, from, method, ...args)
  }

  sendWith(
    { gas, value }: { readonly gas?: bigint; readonly value?: bigint },
    from: Wallet,
    method: string,
    ...args: readonly unknown[]
  ): Promise<Outcome> {
    const data = this.face.encodeFunctionData(method, args)
    return this.evm.send(from, this.address, data, gas, this.face, value)
  }

  /** What a view answers, by the names of its return values. */
  async view(method: string, ...args: readonly unknown[]): Promise<Record<string, unknown>> {
    const data = this.face.encodeFunctionData(method, args)
    const outcome = await this.evm.call(this.address, data, { face: this.face })
    if (outcome.error !== undefined) throw new Error(`${method}: ${outcome.error}`)
    const result = this.face.decodeFunctionResult(method, outcome.data)
    const names = this.face.getFunction(method)?.outputs.map(({ name }) => name) ?? []
    return Object.fromEntries(names.map((name, index) => [name, result[index]]))
  }

  /** What a view with one return value answers. */
  async read(method: string, ...args: readonly unknown[]): Promise<unknown> {
    const data = this.face.encodeFunctionData(method, args)
    const outcome = await this.evm.call(this.address, data, { face: this.face })
    if (outcome.error !== undefined) throw new Error(`${method}: ${outcome.error}`)
    return this.face.decodeFunctionResult(method, outcome.data)[0]
  }
}

function outcomeOf(execution: Execution, gas: bigint, face: Interface): Outcome {
  const data = hexlify(execution.returnValue)
  const events: Event[] = []
  for (const [, topics, bytes] of execution.logs ?? []) {
    const hex = topics.map((topic) => hexlify(topic))
    const parsed = face.parseLog({ topics: hex, data: hexlify(bytes) })
    events.push({ name: parsed?.name ?? '', args: [...(parsed?.args ?? [])], topics: hex })
  }
  const failure = execution.exceptionError?.error
  const parsed = failure === undefined || data.length < 10 ? null : face.parseError(data)
  const errorArgs = [...(parsed?.args ?? [])]
  return { error: parsed?.name ?? failure, errorArgs, data, gas, events: failure ? [] : events }
}
