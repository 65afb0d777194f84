// The rules of the local chain: Ethereum's as of Cancun, from the first block on. Every fork is
// listed with its start: a list of another chain fails when blocks are read again.

import {
  type Common,
  ConsensusAlgorithm,
  ConsensusType,
  createCustomCommon,
  Hardfork,
  type HardforkTransitionConfig,
  Mainnet,
} from '@ethereumjs/common'
import { chainBlockGasMax } from '../../base/limits/chain.js'

const byBlock = [
  Hardfork.Chainstart,
  Hardfork.Homestead,
  Hardfork.TangerineWhistle,
  Hardfork.SpuriousDragon,
  Hardfork.Byzantium,
  Hardfork.Constantinople,
  Hardfork.Petersburg,
  Hardfork.Istanbul,
  Hardfork.Berlin,
  Hardfork.London,
  Hardfork.Paris,
]
const byTime = [Hardfork.Shanghai, Hardfork.Cancun]

/** Wei a unit of gas; it stays at this value while blocks are less than half full. */
export const firstBaseFee = 7n

/**
 * Refuses proofs of blobs. The library that checks them is not included, and without it the
 * precompile would accept any proof.
 */
const noProof = () => {
  throw new Error('C_KZG_BADARGS: there are no blobs on this chain')
}
const kzg = {
  blobToKzgCommitment: noProof,
  computeBlobProof: noProof,
  verifyProof: noProof,
  verifyBlobProofBatch: noProof,
  computeCells: noProof,
  computeCellsAndProofs: noProof,
  recoverCellsAndProofs: noProof,
  verifyCellKzgProofBatch: noProof,
}

export function openCommon(chainId: number): Common {
  const hardforks: HardforkTransitionConfig[] = [
    ...byBlock.map((name) => ({ name, block: 0 })),
    ...byTime.map((name) => ({ name, block: null, timestamp: '0' })),
  ]
  return createCustomCommon(
    {
      name: 'sigil-local',
      chainId,
      genesis: {
        gasLimit: chainBlockGasMax,
        difficulty: 0,
        nonce: '0x0000000000000000',
        extraData: '0x',
        baseFeePerGas: `0x${firstBaseFee.toString(16)}`,
      },
      hardforks,
      bootstrapNodes: [],
      consensus: { type: ConsensusType.ProofOfStake, algorithm: ConsensusAlgorithm.Casper },
    },
    Mainnet,
    { hardfork: Hardfork.Cancun, customCrypto: { kzg } },
  )
}
