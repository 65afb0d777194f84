// The sample data of docs/tour.md, run as it stands: each `sh` block in order, its output beside the
// `text` block that follows. Only the ports are changed, so that it may run beside another Sigil.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { testKey } from '../support/gateway.js'
import { endSigil, settingsFor, startSigil } from '../support/sigil-process.js'
import { npxMongosh } from '../support/tools.js'

interface Step {
  readonly script: string
  readonly expected: string
}

/** The blocks of the tour: exports first, since every later block is a shell of its own. */
function steps(): Step[] {
  const tour =
    readFileSync('docs/tour.md', 'utf8').split('## Sample data')[1]?.split('\n## ')[0] ?? ''
  const blocks = [...tour.matchAll(/```sh\n(.*?)```\n(?:```text\n(.*?)```)?/gs)]
  const [setup, ...rest] = blocks.map(([, script = '', expected = '']) => ({ script, expected }))
  return rest.map(({ script, expected }) => ({ script: `${setup?.script}\n${script}`, expected }))
}

t.test('the tour of the sample data prints what its page says', { timeout: 240_000 }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sigil-tour-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const sigil = await startSigil(settingsFor(folder))
  t.teardown(() => endSigil(sigil, 'SIGTERM'))
  const all = steps()
  t.equal(all.length, 5)
  for (const { script, expected } of all) {
    const here = script
      .replaceAll('127.0.0.1:27017', `127.0.0.1:${sigil.wirePort}`)
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${sigil.httpPort}`)
    const { code, output, errors } = await bash(`${await npxMongosh()}\n${here}`, {
      SIGIL_API_KEY: testKey,
      SIGIL_URL: `http://127.0.0.1:${sigil.httpPort}`,
    })
    t.equal(code, 0, errors)
    t.equal(output.trim(), expected.trim())
  }
})

async function bash(script: string, environment: Record<string, string>) {
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const chunks: Buffer[] = []
  let errors = ''
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output: Buffer.concat(chunks).toString('utf8'), errors }
}
