// Files that share a process: the bound of one file is not the bound of those after it.

import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { temporaryFolder } from './support/stores.js'

const run = promisify(execFile)
const inTurn = fileURLToPath(new URL('in-turn.js', import.meta.url))
const begin = `import t from '${import.meta.resolve('tap')}'\n`

t.test('a bound that one file sets does not end the next', async (t) => {
  const folder = await temporaryFolder(t)
  const [bounded, longer] = [join(folder, 'bounded.mjs'), join(folder, 'longer.mjs')]
  await writeFile(bounded, `${begin}t.setTimeout(20)\nt.pass('at once')\n`)
  const wait = 'await new Promise((resolve) => setTimeout(resolve, 40))'
  await writeFile(longer, `${begin}t.test('longer', async (t) => {\n${wait}\nt.pass('late')\n})\n`)
  const env = { ...process.env, TAP_TIMEOUT: '60' }
  const { stdout } = await run(process.execPath, [inTurn, bounded, longer], { env })
  t.match(stdout, /^ok \d+ - at once$/m)
  t.match(stdout, /^ {4}ok \d+ - late$/m)
})

t.test('an error that nobody catches ends the process, and nothing follows promises', async (t) => {
  const folder = await temporaryFolder(t)
  const [leaving, next] = [join(folder, 'leaving.mjs'), join(folder, 'next.mjs')]
  const left = "setTimeout(() => void Promise.reject(new Error('left behind')), 1)"
  const wait = 'await new Promise((resolve) => setTimeout(resolve, 1_000))'
  await writeFile(leaving, `${begin}t.test('leaves', async (t) => {\n${left}\n${wait}\n})\n`)
  await writeFile(next, `${begin}t.pass('next')\n`)
  const ended = await run(process.execPath, [inTurn, leaving, next]).catch((error) => error)
  t.not(ended.code, 0)
  t.match(`${ended.stdout}${ended.stderr}`, /left behind/)
  t.notMatch(ended.stdout, /^ok \d+ - next$/m)
})
