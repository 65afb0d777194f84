// Whatever a node answers, it is either what was asked for or no answer: nothing else is thrown,
// and nothing is believed that is half right. Code that is not the contract's is told from it.

import fc from 'fast-check'
import t from 'tap'
import { keyRegistryArtifact } from '../../../src/chain/artifacts/key-registry.js'
import { requireCode } from '../../../src/chain/registry/contract-code.js'
import { ContractReader } from '../../../src/chain/registry/contract-reader.js'
import { readKeyEvents } from '../../../src/chain/registry/key-events.js'
import { ChainAway } from '../../../src/chain/remote/away.js'
import { readHeader } from '../../../src/chain/remote/header.js'
import { readReceipt } from '../../../src/chain/sending/receipt.js'
import { bigQuantity, quantity, wordsOf } from '../../../src/chain/words.js'
import { runs } from '../../support/runs.js'
import { ScriptedChain, scriptedContract } from '../../support/scripted-chain.js'

const hexText = fc.oneof(
  fc.constantFrom(
    '0x',
    '0x0',
    '0x1',
    '0X1',
    '1',
    '0xg',
    `0x${'0'.repeat(64)}`,
    `0x${'f'.repeat(64)}`,
  ),
  fc.uint8Array({ maxLength: 70 }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`),
)
const loose = fc.oneof(hexText, fc.jsonValue(), fc.constant(undefined))
const fields = [
  ...['number', 'hash', 'parentHash', 'timestamp', 'baseFeePerGas', 'address', 'topics', 'data'],
  ...['blockNumber', 'logIndex', 'removed', 'transactionHash', 'status', 'gasUsed'],
  ...['effectiveGasPrice', 'contractAddress'],
]
const shaped = fc.record(
  Object.fromEntries(
    fields.map((name) => [name, fc.oneof(loose, fc.array(hexText, { maxLength: 5 }))]),
  ),
  { requiredKeys: [] },
)
const answer = fc.oneof(loose, shaped, fc.array(shaped, { maxLength: 3 }))

t.test('no answer of a node throws anything but that it is none', async (t) => {
  const readers: Readonly<Record<string, (given: unknown) => unknown>> = {
    header: readHeader,
    receipt: readReceipt,
    events: (given) => readKeyEvents(given, scriptedContract),
    quantity,
    bigQuantity,
    words: (given) => wordsOf(given, 2),
  }
  for (const [name, read] of Object.entries(readers)) {
    fc.assert(
      fc.property(answer, (given) => {
        try {
          read(given)
        } catch (error) {
          if (!(error instanceof ChainAway)) throw error
        }
      }),
      { numRuns: runs(400) },
    )
    t.pass(name)
  }
})

t.test('a key is read whole or not at all', async (t) => {
  const chain = new ScriptedChain(1)
  const params = ['latest', false]
  const head = readHeader(await chain.request({ method: 'eth_getBlockByNumber', params }))
  await fc.assert(
    fc.asyncProperty(answer, async (given) => {
      const reader = new ContractReader({ request: async () => given }, scriptedContract, true)
      const outcomes = await Promise.allSettled([
        reader.key(scriptedContract, 0, head),
        reader.account(scriptedContract, head),
        reader.firstActiveFrom(scriptedContract, 0, head),
        reader.nonce(scriptedContract, head),
        reader.code(scriptedContract, head),
      ])
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') t.type(outcome.reason, ChainAway)
      }
    }),
    { numRuns: runs(200) },
  )
})

t.test(
  'the code of a contract may differ where its constructor writes, nowhere else',
  async (t) => {
    const { runtimeBytecode, immutables } = keyRegistryArtifact
    const code = runtimeBytecode.toLowerCase()
    const at = (byte: number) => `${code.slice(0, 2 + 2 * byte)}ff${code.slice(4 + 2 * byte)}`
    const [first] = immutables
    t.doesNotThrow(() => requireCode(code, keyRegistryArtifact, '0x1'))
    t.doesNotThrow(() => requireCode(at(first.start), keyRegistryArtifact, '0x1'))
    t.doesNotThrow(() => requireCode(at(first.start + 31), keyRegistryArtifact, '0x1'))
    for (const wrong of [at(0), at(first.start - 1), at(first.start + 32), `${code}00`]) {
      t.throws(() => requireCode(wrong, keyRegistryArtifact, '0x1'), /not Sigil's KeyRegistry/)
    }
    t.throws(() => requireCode('0x', keyRegistryArtifact, '0x1'), /no contract at 0x1/)
  },
)
