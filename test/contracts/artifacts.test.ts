// The committed artifacts are what the sources say, byte for byte, and are what gets deployed.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Interface } from 'ethers'
import t from 'tap'
import { artifacts, artifactText } from '../../contracts/artifact-text.js'
import { compile, mocks, production } from '../../contracts/compiler.js'
import { anchorRegistryArtifact } from '../../src/chain/artifacts/anchor-registry.js'
import { keyRegistryArtifact } from '../../src/chain/artifacts/key-registry.js'
import { signatureValidatorArtifact } from '../../src/chain/artifacts/signature-validator.js'
import { Evm } from '../support/evm.js'
import { owner, RegistryRoom } from '../support/registry-room.js'

const root = process.cwd()
const shipped = [keyRegistryArtifact, anchorRegistryArtifact, signatureValidatorArtifact]
const dependenciesOf = (path: string): Readonly<Record<string, string>> =>
  JSON.parse(readFileSync(join(root, path), 'utf8')).dependencies

t.test('compiling again gives the committed artifacts: code, compiler, source hash', async (t) => {
  const compiled = compile(root, [...production, ...mocks])
  const written = artifacts(compiled)
  for (const { path, contract } of written) {
    const same = readFileSync(join(root, path), 'utf8') === artifactText(contract)
    t.ok(same, `${path} is not what ${contract.source} compiles to: npm run contracts`)
  }
  const kept = readdirSync(join(root, 'src/chain/artifacts')).map((f) => `src/chain/artifacts/${f}`)
  t.same(
    kept.filter((path) => !written.some((one) => one.path === path)),
    [],
  )
})

t.test('the compiler is the pinned one, and is no dependency of a running gateway', async (t) => {
  const pinned = dependenciesOf('test/tools/solc/package.json').solc
  const used = dependenciesOf('package.json')
  for (const { name, compiler } of shipped) {
    t.equal(compiler.split('+')[0], pinned, name)
  }
  t.equal(used.solc, undefined)
  t.equal(used['@openzeppelin/contracts'], undefined)
  const sources = readdirSync(join(root, 'contracts'), { recursive: true, encoding: 'utf8' })
  for (const file of sources.filter((name) => name.endsWith('.sol'))) {
    const text = readFileSync(join(root, 'contracts', file), 'utf8')
    t.match(text, `pragma solidity ${pinned};`, file)
  }
})

t.test('what is deployed is the runtime code, but for the immutables', async (t) => {
  const { evm, registry } = await RegistryRoom.open()
  const anchors = await evm.deploy(anchorRegistryArtifact, [], owner)
  for (const [contract, artifact] of [
    [registry, keyRegistryArtifact],
    [anchors, anchorRegistryArtifact],
  ] as const) {
    const code = Buffer.from((await evm.code(contract.address)).slice(2), 'hex')
    for (const { start, length } of artifact.immutables) code.fill(0, start, start + length)
    t.equal(`0x${code.toString('hex')}`, artifact.runtimeBytecode, artifact.name)
    t.ok(code.length <= 24_576, `${artifact.name}: ${code.length} bytes`)
  }
})

t.test('a chain of another id deploys other immutables and the same code', async (t) => {
  const here = await RegistryRoom.open()
  const there = await RegistryRoom.open(await Evm.open(5))
  const [one, other] = await Promise.all(
    [here, there].map(({ evm, registry }) => evm.code(registry.address)),
  )
  t.not(one, other)
  t.equal(one?.length, other?.length)
})

t.test('no name of a return value hides behind a method of Array', async (t) => {
  // ethers reads a result by name off an Array: a value named `at` reads back as a function.
  const taken = new Set(Object.getOwnPropertyNames(Array.prototype))
  for (const { name, abi } of shipped) {
    for (const entry of new Interface(abi).fragments) {
      const { inputs, outputs = [] } = entry as typeof entry & { outputs?: typeof inputs }
      for (const parameter of [...inputs, ...outputs]) {
        t.notOk(taken.has(parameter.name), `${name}: ${parameter.name}`)
      }
    }
  }
})
