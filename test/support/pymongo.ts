// Runs a script with pymongo, in the Python that SIGIL_PYTHON names, against a server of its own.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { startGateway } from './live-gateway.js'

const run = promisify(execFile)
const python = process.env.SIGIL_PYTHON ?? 'python3'

/** The script gets the server's URI as its argument and prints `fine` as its last word. */
export async function runPymongo(
  t: Test,
  script: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<void> {
  const found = await run(python, ['-c', 'import pymongo']).then(
    () => true,
    () => false,
  )
  if (!found) {
    t.notOk(process.env.CI, 'CI installs pymongo')
    t.comment(`skipped: no pymongo in ${python}; SIGIL_PYTHON names a Python that has it`)
    return
  }
  const { uri } = await startGateway(t, settings)
  const { stdout } = await run(python, ['-c', script, uri], { timeout: 120_000 })
  t.equal(stdout.trim(), 'fine')
}
