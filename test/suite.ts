// The whole suite: each test file in a process of its own, two at a time, told as TAP. What `tap`
// does by its command, without its hooks around the loading of modules (for coverage and mocks,
// neither of which is used): they cost more than most of the tests.

import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const jobs = 2
/** For one file. */
const timeoutSeconds = 1_800

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = fileURLToPath(new URL('.', import.meta.url))
const all = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.js'))
  .map((name) => relative(root, join(folder, name)))
const given = process.argv.slice(2)

t.jobs = jobs
t.setTimeout(0)
for (const name of given.length > 0 ? given : all.sort()) {
  // tap gives its hooks to whatever it starts, and to what that starts, by NODE_OPTIONS.
  const command = ['-u', 'NODE_OPTIONS', process.execPath, '--enable-source-maps', name]
  t.spawn('env', command, {
    ...{ name, cwd: root, buffered: true, timeout: timeoutSeconds * 1_000 },
    env: { ...process.env, TAP_TIMEOUT: String(timeoutSeconds) },
  })
}
