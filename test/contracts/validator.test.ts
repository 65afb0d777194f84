// The code behind one eth_call that says whether a signature is an account's: of a key, of a contract
// wallet, of a wallet that is not deployed yet. Whatever it is given, it leaves nothing behind.

import {
  AbiCoder,
  concat,
  hashMessage,
  Interface,
  id,
  Signature,
  type Wallet,
  ZeroHash,
} from 'ethers'
import t, { type Test } from 'tap'
import { signatureValidatorArtifact } from '../../src/chain/artifacts/signature-validator.js'
import { type Contract, Evm, walletOf } from '../support/evm.js'
import { burningWalletArtifact } from './mocks/burning-wallet.js'
import { oddWalletArtifact } from './mocks/odd-wallet.js'
import { ownedWalletArtifact } from './mocks/owned-wallet.js'
import { walletFactoryArtifact } from './mocks/wallet-factory.js'

const holder = walletOf('holder')
const otherWallet = walletOf('otherWallet')
const suffix = '6492'.repeat(16)
const message = 'example.org wants you to sign in'
const hash = hashMessage(message)
const coder = AbiCoder.defaultAbiCoder()
const [yes, no] = ['0x01', '0x00']
/** What the local chain gives such a call at most. */
const gasCap = 1_500_000n

/** As src/identity asks: the answer byte, or `no` where the call fails. */
async function ask(
  t: Test,
  evm: Evm,
  signer: string,
  digest: string,
  signature: string,
): Promise<string> {
  const types = ['address', 'bytes32', 'bytes']
  const args = coder.encode(types, [signer, digest, signature])
  const data = concat([signatureValidatorArtifact.creationBytecode, args])
  const before = await evm.stateRoot()
  const outcome = await evm.call(undefined, data, { gas: gasCap })
  t.equal(await evm.stateRoot(), before, 'nothing is left behind')
  return outcome.error === undefined ? outcome.data : no
}

function wrap(factory: string, call: string, signature: string): string {
  return concat([
    coder.encode(['address', 'bytes', 'bytes'], [factory, call, signature]),
    `0x${suffix}`,
  ])
}

interface Counterfactual {
  readonly evm: Evm
  readonly factory: Contract
  readonly deployCall: string
  /** Where the factory will put the wallet of `holder`. */
  readonly address: string
}

async function counterfactual(owner: Wallet = holder): Promise<Counterfactual> {
  const evm = await Evm.open()
  const factory = await evm.deploy(walletFactoryArtifact, [], otherWallet)
  const args = [owner.address, id('salt')]
  return {
    evm,
    factory,
    deployCall: factory.face.encodeFunctionData('deploy', args),
    address: String(await factory.read('addressOf', ...args)),
  }
}

t.test('a plain signature is valid for its signer only', async (t) => {
  const evm = await Evm.open()
  const signature = await holder.signMessage(message)
  t.equal(await ask(t, evm, holder.address, hash, signature), yes)
  t.equal(await ask(t, evm, otherWallet.address, hash, signature), no)
  t.equal(await ask(t, evm, holder.address, id('another'), signature), no)
  t.equal(await ask(t, evm, `0x${'00'.repeat(20)}`, hash, `0x${'00'.repeat(65)}`), no)
})

t.test('signatures of other forms and lengths are refused without a failure', async (t) => {
  const evm = await Evm.open()
  const signature = await holder.signMessage(message)
  const compact = Signature.from(signature).compactSerialized
  for (const form of ['0x', '0x00', compact, `${signature}00`, signature.slice(0, -2)]) {
    t.equal(await ask(t, evm, holder.address, hash, form), no, form)
  }
})

t.test('ERC-1271: a deployed wallet is asked', async (t) => {
  const evm = await Evm.open()
  const wallet = await evm.deploy(ownedWalletArtifact, [holder.address], otherWallet)
  const signature = await holder.signMessage(message)
  t.equal(await ask(t, evm, wallet.address, hash, signature), yes)
  t.equal(await ask(t, evm, wallet.address, id('another'), signature), no)
  t.equal(await ask(t, evm, wallet.address, hash, await otherWallet.signMessage(message)), no)
})

t.test('ERC-1271: wallets that answer oddly have not signed', async (t) => {
  const evm = await Evm.open()
  for (let answer = 0; answer <= 6; answer++) {
    const wallet = await evm.deploy(oddWalletArtifact, [answer], otherWallet)
    t.equal(await ask(t, evm, wallet.address, hash, '0x'), no, `${answer}`)
  }
  const burning = await evm.deploy(burningWalletArtifact, [], otherWallet)
  t.equal(await ask(t, evm, burning.address, hash, '0x'), no, 'nor one that burns all gas')
})

t.test('ERC-6492: a wallet that is not deployed yet signs by its factory', async (t) => {
  const { evm, factory, deployCall, address } = await counterfactual()
  const signature = wrap(factory.address, deployCall, await holder.signMessage(message))
  t.equal(await evm.code(address), '0x')
  t.equal(await ask(t, evm, address, hash, signature), yes)
  t.equal(await ask(t, evm, address, id('another'), signature), no)
  t.equal(await evm.code(address), '0x', 'and is not deployed by it')
  const foreign = wrap(factory.address, deployCall, await otherWallet.signMessage(message))
  t.equal(await ask(t, evm, address, hash, foreign), no)
  t.equal(
    await ask(t, evm, otherWallet.address, hash, signature),
    no,
    'nor does it sign for others',
  )
})

t.test('ERC-6492: once deployed, the wallet takes wrapped and plain signatures', async (t) => {
  const { evm, factory, deployCall, address } = await counterfactual()
  const plain = await holder.signMessage(message)
  await evm.send(otherWallet, factory.address, deployCall)
  t.not(await evm.code(address), '0x')
  t.equal(await ask(t, evm, address, hash, plain), yes)
  t.equal(await ask(t, evm, address, hash, wrap(factory.address, deployCall, plain)), yes)
  const burning = wrap(factory.address, factory.face.encodeFunctionData('burn'), plain)
  t.equal(await ask(t, evm, address, hash, burning), yes, 'its factory is not needed any more')
  const foreign = wrap(factory.address, deployCall, await otherWallet.signMessage(message))
  t.equal(await ask(t, evm, address, hash, foreign), no)
})

t.test(
  'ERC-6492: a factory that refuses, burns gas, is none or deploys elsewhere proves nothing',
  async (t) => {
    const { evm, factory, address } = await counterfactual()
    const plain = await holder.signMessage(message)
    const face = new Interface(walletFactoryArtifact.abi)
    const elsewhere = face.encodeFunctionData('deploy', [holder.address, ZeroHash])
    const calls = {
      refuses: wrap(factory.address, face.encodeFunctionData('refuse'), plain),
      burns: wrap(factory.address, face.encodeFunctionData('burn'), plain),
      'is none': wrap(otherWallet.address, elsewhere, plain),
      'deploys elsewhere': wrap(factory.address, elsewhere, plain),
    }
    for (const [name, signature] of Object.entries(calls)) {
      t.equal(await ask(t, evm, address, hash, signature), no, name)
    }
  },
)

t.test('ERC-6492: an account without code gets none by a wrapped signature', async (t) => {
  const { evm, factory, deployCall } = await counterfactual()
  const wrapped = wrap(factory.address, deployCall, await holder.signMessage(message))
  t.equal(await ask(t, evm, holder.address, hash, wrapped), no)
})

t.test('ERC-6492: what is wrapped badly is refused', async (t) => {
  const { evm, factory, deployCall, address } = await counterfactual()
  const good = wrap(factory.address, deployCall, await holder.signMessage(message)).slice(2)
  const bodies = [
    '',
    'ff'.repeat(31),
    'ff'.repeat(32),
    'ff'.repeat(96),
    `${'00'.repeat(12)}${'11'.repeat(20)}${'ff'.repeat(64)}`,
    good.slice(64, -64),
    good.slice(0, 256),
  ]
  for (const body of bodies) {
    t.equal(await ask(t, evm, address, hash, `0x${body}${suffix}`), no, `${body.length / 2} bytes`)
  }
})
