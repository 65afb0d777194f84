// `npm run contracts`: compiles the contracts and writes src/chain/artifacts, so that neither a build
// nor a start needs the compiler, and what tests alone use into test/contracts/mocks. With --input it
// prints the compiler's standard JSON input instead: a block explorer asks for it to verify a contract.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { artifacts, artifactText } from './artifact-text.js'
import { compile, mocks, production, standardInput } from './compiler.js'

const root = process.cwd()

if (process.argv.includes('--input')) {
  process.stdout.write(`${standardInput(root, production)}\n`)
} else {
  const compiled = compile(root, [...production, ...mocks])
  for (const { path, contract } of artifacts(compiled)) {
    mkdirSync(join(root, path, '..'), { recursive: true })
    writeFileSync(join(root, path), artifactText(contract))
    const bytes = contract.runtimeBytecode.length / 2 - 1
    process.stdout.write(`${path}: ${bytes} bytes of runtime code, ${contract.compiler}\n`)
  }
}
