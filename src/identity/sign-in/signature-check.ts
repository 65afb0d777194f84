// Checks whether a wallet signed a text: with its key, as a contract (ERC-1271), or as a contract
// that is not deployed yet (ERC-6492). Calls to the chain come last. They change nothing and have a
// gas bound, because the client chooses the code.
// (docs/sign-in.md, "Wallets that are contracts")

import type { Bytes } from '../../base/bytes/bytes.js'
import { signatureValidatorArtifact } from '../../chain/artifacts/signature-validator.js'
import type { Registry } from '../../chain/registry/registry.js'
import { RpcError } from '../../chain/remote/provider.js'
import { parseAddress } from '../address.js'
import { normaliseSignature } from '../keys/key-derivation.js'

/** Suffix of a signature of a contract that is not deployed (ERC-6492). */
const wrapped = '6492'.repeat(16)
/** The result of `isValidSignature(bytes32,bytes)`, padded to a word (ERC-1271). */
const magic = `0x1626ba7e${'0'.repeat(56)}`
const selector = '0x1626ba7e'

interface SignatureCheckerOptions {
  readonly chain: Pick<Registry, 'call'>
  /** For one call into a contract. */
  readonly gas: number
}

export class SignatureChecker {
  constructor(private readonly options: SignatureCheckerOptions) {}

  /**
   * Whether `signature` is `address`'s (EIP-55) over the text by EIP-191. Rejects with
   * HostUnreachable if only the chain can decide and does not answer.
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

  /** The result of the call; undefined if its code failed. */
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

/** EIP-55 address of the signer of a text by EIP-191; undefined if no key made the signature. */
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
