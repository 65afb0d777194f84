// Compiles the contracts with the pinned compiler, in one way for the command that writes the
// artifacts and for the test that compares them: the same sources give the same bytes anywhere.
// A build-time tool: nothing under src imports it, and solc is no runtime dependency: it stands in test/tools.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Interface, type InterfaceAbi, id } from 'ethers'
import { loadTool, toolFolder } from '../test/support/tools.js'

/** Contracts that go into artifacts, by the file name (without .sol) that holds them. */
export const production = ['KeyRegistry', 'AnchorRegistry', 'SignatureValidator'] as const
/** Files with contracts that only tests use. */
export const mocks = ['mocks/Wallets'] as const

interface Solc {
  compile(input: string): string
  version(): string
}

/** With the library that the contracts use beside it. */
const folder = await toolFolder('solc')
const solc = (await loadTool('solc', 'solc')) as Solc

/**
 * `bytecodeHash: none`: with a hash of the sources in the code, a new comment would change the code
 * and a gateway of the next release would refuse the registry that this one deployed. cancun: what the
 * local chain runs. No viaIR: it changes gas by less than 1.5 %.
 */
const settings = {
  evmVersion: 'cancun',
  optimizer: { enabled: true, runs: 200 },
  viaIR: false,
  metadata: { bytecodeHash: 'none' },
  outputSelection: {
    '*': {
      '*': [
        'abi',
        'metadata',
        'evm.bytecode.object',
        'evm.deployedBytecode.object',
        'evm.deployedBytecode.immutableReferences',
      ],
    },
  },
}

/** A place in the runtime code that the constructor fills in, bytes. */
interface CodeRange {
  readonly start: number
  readonly length: number
}

export interface Compiled {
  readonly name: string
  /** Its path from the root of the project. */
  readonly source: string
  /** Its errors, events and functions, as ethers spells them. */
  readonly abi: readonly string[]
  readonly creationBytecode: string
  readonly runtimeBytecode: string
  readonly immutables: readonly CodeRange[]
  readonly compiler: string
  /** keccak-256 of the compiler's settings and of every source that the contract is made of. */
  readonly sourceHash: string
}

interface CompilerOutput {
  readonly errors?: readonly { formattedMessage: string; sourceLocation?: { file: string } }[]
  readonly contracts: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly abi: InterfaceAbi
            readonly metadata: string
            readonly evm: {
              readonly bytecode: { readonly object: string }
              readonly deployedBytecode: {
                readonly object: string
                readonly immutableReferences?: Readonly<Record<string, readonly CodeRange[]>>
              }
            }
          }
        >
      >
    >
  >
}

/** The compiler's standard JSON input; an explorer takes the same to verify a deployed contract. */
export function standardInput(root: string, files: readonly string[]): string {
  const sources = new Map<string, string>()
  for (const file of files) addSource(root, `contracts/${file}.sol`, sources)
  const sorted = [...sources].sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify({
    language: 'Solidity',
    sources: Object.fromEntries(sorted.map(([path, content]) => [path, { content }])),
    settings,
  })
}

/** Compiles the files (see {@link production}) under `root`; every contract in them, by its name. */
export function compile(root: string, files: readonly string[]): ReadonlyMap<string, Compiled> {
  const input = standardInput(root, files)
  const sources = JSON.parse(input).sources as Record<string, { content: string }>
  const output = JSON.parse(solc.compile(input)) as CompilerOutput
  for (const { formattedMessage, sourceLocation } of output.errors ?? []) {
    const file = sourceLocation?.file ?? ''
    if (!file.startsWith('contracts/mocks/')) throw new Error(formattedMessage)
  }
  const compiled = new Map<string, Compiled>()
  for (const file of files) {
    const made = Object.entries(output.contracts[`contracts/${file}.sol`] ?? {})
    for (const [name, { abi, metadata, evm }] of made) {
      const references = Object.values(evm.deployedBytecode.immutableReferences ?? {}).flat()
      const used = Object.keys(JSON.parse(metadata).sources).sort()
      compiled.set(name, {
        name,
        source: `contracts/${file}.sol`,
        abi: new Interface(abi).format(),
        creationBytecode: `0x${evm.bytecode.object}`,
        runtimeBytecode: `0x${evm.deployedBytecode.object}`,
        immutables: references
          .map(({ start, length }) => ({ start, length }))
          .sort((a, b) => a.start - b.start),
        compiler: solc.version(),
        sourceHash: id(
          JSON.stringify([settings, used.map((path) => [path, sources[path]?.content])]),
        ),
      })
    }
  }
  return compiled
}

function addSource(root: string, path: string, sources: Map<string, string>): void {
  if (sources.has(path)) return
  const isLibrary = path.startsWith('@')
  const file = isLibrary ? join(folder, 'node_modules', path) : join(root, path)
  const text = readFileSync(file, 'utf8')
  sources.set(path, text)
  for (const [, target] of text.matchAll(/^import\s[^;]*?"([^"]+)";/gm)) {
    if (target === undefined) continue
    addSource(root, target.startsWith('.') ? join(path, '..', target) : target, sources)
  }
}
