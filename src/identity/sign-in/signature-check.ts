// Whether a wallet signed a text: a key's own signature, a contract's word (ERC-1271), or that of a
// contract that is not deployed yet (ERC-6492). What needs the chain comes last, as a call that
// changes nothing, with a bound on gas, because the client chooses the code.
// (docs/sign-in.md, "Wallets that are contracts")

import type { Bytes } from '../../base/bytes/bytes.js'
import { signatureValidatorArtifact } from '../../chain/artifacts/signature-validator.js'
import type { Registry } from '../../chain/registry/registry.js'
import { RpcError } from '../../chain/remote/provider.js'
import { parseAddress } from '../address.js'
import { normaliseSignature } from '../keys/key-derivation.js'

/** Behind a signature of a contract that is not deployed (ERC-6492). */
const wrapped = '6492'.repeat(16)
/** What `isValidSignature(bytes32,bytes)` answers, padded to a word (ERC-1271). */
const magic = `0x1626ba7e${'0'.repeat(56)}`
const selector = '0x1626ba7e'

interface SignatureCheckerOptions {
  readonly chain: Pick<Registry, 'call'>
  /** Of one call into a contract. */
  readonly gas: number
}

export class SignatureChecker {
  constructor(private readonly options: SignatureCheckerOptions) {}

  /**
   * Whether `signature` is `address`'s (EIP-55) over the text by EIP-191. Rejects with
   * HostUnreachable where that is the chain's to say and it cannot be asked.
   */
  async holds(address: string, text: string, signature: Bytes): Promise<boolean> {
    if (isWrapped(signature)) return this.validates(address, text, signature)
    // Safe for contracts too: no key recovers to the address of a contract.
    if ((await recoverSigner(text, signature)) === address) return true
    return this.isAccepted(address, text, signature)
  }

  private async validates(address: string, text: string, signature: Bytes): Promise<boolean> {
    const { AbiCoder, hashMessage } = await import('ethers')
    const args = [address, hashMessage(text), signature]
    const encoded = AbiCoder.defaultAbiCoder().encode(['address', 'bytes32', 'bytes'], args)
    const data = signatureValidatorArtifact.creationBytecode + encoded.slice(2)
    return (await this.call({ data })) === '0x01'
  }

  private async isAccepted(address: string, text: string, signature: Bytes): Promise<boolean> {
    const { AbiCoder, hashMessage } = await import('ethers')
    const args = [hashMessage(text), signature]
    const encoded = AbiCoder.defaultAbiCoder().encode(['bytes32', 'bytes'], args)
    return (await this.call({ to: address, data: selector + encoded.slice(2) })) === magic
  }

  /** What the call answers; undefined where what it ran has failed. */
  private async call(request: { to?: string; data: string }): Promise<string | undefined> {
    const { chain, gas } = this.options
    try {
      return await chain.call({ ...request, gas })
    } catch (error) {
      if (error instanceof RpcError) return undefined
      throw error
    }
  }
}

/** EIP-55 address of who signed a text by EIP-191; undefined for what no key has signed. */
export async function recoverSigner(text: string, signature: Bytes): Promise<string | undefined> {
  if (signature.length !== 64 && signature.length !== 65) return undefined
  const { hashMessage, hexlify, recoverAddress } = await import('ethers')
  try {
    const signed = hexlify(normaliseSignature(signature))
    return parseAddress(recoverAddress(hashMessage(text), signed))
  } catch {
    return undefined
  }
}

function isWrapped(signature: Bytes): boolean {
  return Buffer.from(signature.subarray(-32)).toString('hex') === wrapped
}
