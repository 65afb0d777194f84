// Test files in a process of their own, with settings of their own.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Test } from 'tap'
import { seed } from './seed.js'

/** The files of `test/` pass, with the seed of this process. */
export async function passInTurn(
  t: Test,
  names: readonly string[],
  settings: NodeJS.ProcessEnv = {},
): Promise<void> {
  const files = names.map((name) => `build/test/${name}.test.js`)
  const child = spawn(process.execPath, ['build/test/in-turn.js', ...files], {
    env: { ...process.env, SIGIL_SEED: String(seed), ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => child.kill())
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const [code] = await once(child, 'close')
  const failed = output.split('\n').filter((line) => /^\s*not ok/.test(line))
  t.same(failed, [])
  t.equal(code, 0)
  t.match(output, /^ok .*/m)
}
