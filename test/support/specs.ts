// Public conformance data lies beside the project, not in it. A test that needs it skips with a
// printed reason where it is missing, and fails under CI, where it must be there.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

/** From build/test/support to the project root, and beside it. */
const root = resolve(fileURLToPath(import.meta.url), '../../../..')

/** The folder `../shared/specs` of the project root; undefined where it is missing. */
function specsFolder(): string | undefined {
  const folder = resolve(root, '../shared/specs')
  if (existsSync(folder)) return folder
  if (process.env.CI === 'true') throw new Error(`conformance data is missing: ${folder}`)
  t.comment(`skipped: conformance data is missing: ${folder}`)
  return undefined
}

/** The parsed JSON files of one of its folders, with their names; none where it is missing. */
export function specFiles(folder: string): { name: string; content: unknown }[] {
  const specs = specsFolder()
  if (specs === undefined) return []
  const names = readdirSync(join(specs, folder)).filter((name) => name.endsWith('.json'))
  return names.sort().map((name) => {
    return { name, content: JSON.parse(readFileSync(join(specs, folder, name), 'utf8')) }
  })
}
