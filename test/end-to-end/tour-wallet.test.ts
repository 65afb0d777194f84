// The README's tour, and the wallet of docs/tour.md in mongosh, redis-cli, psql and curl. Each runs as it
// stands in one shell; what each block prints is the `text` block that follows it.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { testKey } from '../support/gateway.js'
import { endSigil, settingsFor, startSigil } from '../support/sigil-process.js'
import { npxMongosh } from '../support/tools.js'

/** Tours: page, heading, number of blocks. */
const tours = [
  ['README.md', '## Tour', 5],
  ['docs/tour.md', '## A wallet', 6],
] as const
const between = '--- next block ---'

async function isMissing(program: string): Promise<string | false> {
  const child = spawn(program, ['--version'], { stdio: 'ignore' })
  const isThere = await once(child, 'close').then(
    ([code]) => code === 0,
    () => false,
  )
  if (!isThere && process.env.CI === 'true') throw new Error(`${program} is missing`)
  return isThere ? false : `${program} is missing`
}

const skip = (await isMissing('redis-cli')) || (await isMissing('psql'))

for (const [page, heading, count] of tours) {
  t.test(`the tour of ${page} prints what it says`, { skip, timeout: 120_000 }, async (t) => {
    const section = readFileSync(page, 'utf8').split(`${heading}\n`)[1]?.split('\n## ')[0] ?? ''
    const blocks = [...section.matchAll(/```sh\n(.*?)```\n(?:```text\n(.*?)```)?/gs)]
    t.equal(blocks.length, count)
    const folder = mkdtempSync(join(tmpdir(), 'sigil-tour-wallet-'))
    t.teardown(() => rmSync(folder, { recursive: true }))
    const sigil = await startSigil(settingsFor(folder))
    t.teardown(() => endSigil(sigil, 'SIGTERM'))
    const script = blocks
      .map(([, text = '']) => text)
      .join(`echo '${between}'\n`)
      .replaceAll('127.0.0.1:27017', `127.0.0.1:${sigil.wirePort}`)
      .replaceAll('127.0.0.1:6379', `127.0.0.1:${sigil.redisPort}`)
      .replaceAll('127.0.0.1:5432', `127.0.0.1:${sigil.sqlPort}`)
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${sigil.httpPort}`)
    const { code, output, errors } = await bash(
      `${await npxMongosh()}\n${script}`,
      `http://127.0.0.1:${sigil.httpPort}`,
    )
    t.equal(code, 0, errors)
    const printed = output.split(`${between}\n`)
    for (const [index, [, , expected = '']] of blocks.entries()) {
      t.equal(printed[index]?.trim().replace(/w_0x[0-9a-f]{40}/, 'w_0x…'), expected.trim())
    }
  })
}

async function bash(script: string, url: string) {
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    env: { ...process.env, SIGIL_URL: url, SIGIL_API_KEY: testKey },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output, errors }
}
