// docs/contracts.md is the contracts' reference: every function, event and error stands there as it
// is declared, and so does every figure of the gas snapshot.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { EventFragment, type FunctionFragment, Interface, type ParamType } from 'ethers'
import t from 'tap'
import { anchorRegistryArtifact } from '../../src/chain/artifacts/anchor-registry.js'
import { keyRegistryArtifact } from '../../src/chain/artifacts/key-registry.js'

const docs = readFileSync(join(process.cwd(), 'docs/contracts.md'), 'utf8')
const snapshot = readFileSync(join(process.cwd(), 'protocol-fixtures/contracts/gas.json'), 'utf8')

/** What OpenZeppelin declares and no call of ours can meet. */
const inherited = new Set([
  'EIP712DomainChanged',
  'InvalidShortString',
  'StringTooLong',
  'OwnershipTransferStarted',
  'OwnershipTransferred',
])

function declared({ name, type, baseType, arrayChildren, indexed }: ParamType): string {
  const members = baseType === 'array' ? arrayChildren?.components : null
  const spelled = members ? `(${members.map(declared).join(', ')})[]` : type
  return [spelled, ...(indexed ? ['indexed'] : []), name].join(' ').trim()
}

for (const { name, abi } of [keyRegistryArtifact, anchorRegistryArtifact]) {
  t.test(`${name}: every function, event and error is documented as declared`, async (t) => {
    for (const fragment of new Interface(abi).fragments) {
      if (fragment.type === 'constructor') continue
      const { name } = fragment as FunctionFragment
      if (inherited.has(name)) continue
      const text = `${name}(${fragment.inputs.map(declared).join(', ')})`
      t.ok(docs.includes(`\`${text}\``), text)
    }
  })
}

t.test('the topics shown are those of the events', async (t) => {
  const topics = [...docs.matchAll(/`(\w+)\([^`]*\)`[^|]*\| `(0x[0-9a-f]{64})`/g)]
  t.equal(topics.length, 3)
  for (const [, name, topic] of topics) {
    const event = new Interface(keyRegistryArtifact.abi).getEvent(name ?? '')
    t.ok(event instanceof EventFragment)
    t.equal(event?.topicHash, topic)
  }
})

t.test('the gas table is the snapshot', async (t) => {
  for (const [name, gas] of Object.entries(JSON.parse(snapshot) as Record<string, number>)) {
    t.ok(docs.includes(`| ${name} | ${gas.toLocaleString('en')} |`), `${name}: ${gas}`)
  }
})
