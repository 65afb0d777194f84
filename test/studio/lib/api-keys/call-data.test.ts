// What a wallet sends to the registry at its own cost is what the contract's interface encodes.

import { Interface } from 'ethers'
import t from 'tap'
import { keyRegistryAbi } from '../../../../src/chain/artifacts/key-registry.js'
import { callData } from '../../../../src/studio/lib/api-keys/call-data.js'

const contract = new Interface(keyRegistryAbi)
const words = ['1', 'a', 'f'].map((digit) => `0x${digit.repeat(64)}`)

t.test('calls as the contract reads them', async (t) => {
  for (const index of [0, 9, 4_096, 2 ** 32, Number.MAX_SAFE_INTEGER]) {
    t.equal(
      callData('RegisterKey', [index, ...words]),
      contract.encodeFunctionData('registerKey', [index, ...words]),
    )
    t.equal(callData('RevokeKey', [index]), contract.encodeFunctionData('revokeKey', [index]))
    t.equal(
      callData('RotateKey', [index, 7, ...words]),
      contract.encodeFunctionData('rotateKey', [index, 7, ...words]),
    )
  }
})
