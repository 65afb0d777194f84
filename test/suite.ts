// The whole suite: the test files of a folder some to a process, two processes at a time, told as
// TAP. What `tap` does by its command, without its hooks around the loading of modules (for coverage
// and mocks, neither of which is used) and without a process for each file: both cost more than most
// of the tests. Files that are named on the command line get a process each.

import { readdirSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const jobs = 2
/** More would hardly save time, and make it harder to see what is slow. */
const filesMax = 12
/** What looks at something that a process has once: the pool of slabs. */
const alone = ['store/overlay/overlay.test.js']
/** For one process. */
const timeoutSeconds = 3_600

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = fileURLToPath(new URL('.', import.meta.url))
const inTurn = relative(root, fileURLToPath(new URL('in-turn.js', import.meta.url)))

/** Every test file, those of a folder in as few groups as may be, all about as large. */
function groups(): string[][] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.js'))
    .sort()
  const rooms = [...new Set(files.map(dirname))].flatMap((room) => {
    const own = files.filter((name) => dirname(name) === room && !alone.includes(name))
    const count = Math.ceil(own.length / filesMax)
    return Array.from({ length: count }, (_, at) => own.filter((_, i) => i % count === at))
  })
  // The small ones last: both processors have work to the end.
  const ordered = [...rooms, ...alone.map((name) => [name])].sort((a, b) => b.length - a.length)
  return ordered.map((names) => names.map((name) => relative(root, join(folder, name))))
}

const given = process.argv.slice(2)
/** Under CI the long counts end after so long; the rest runs the counts of `npm test`. */
const longMs = 25 * 60_000
const ends =
  process.env.SIGIL_LONG === '1' && process.env.CI === 'true'
    ? { SIGIL_LONG_ENDS: String(Date.now() + longMs) }
    : {}

t.jobs = jobs
t.setTimeout(0)
for (const files of given.length > 0 ? given.map((name) => [name]) : groups()) {
  // tap gives its hooks to whatever it starts, and to what that starts, by NODE_OPTIONS.
  const command = ['-u', 'NODE_OPTIONS', process.execPath, '--enable-source-maps', inTurn, ...files]
  t.spawn('env', command, {
    ...{ name: files.join(' '), cwd: root, buffered: true, timeout: timeoutSeconds * 1_000 },
    env: { ...process.env, ...ends, TAP_TIMEOUT: String(timeoutSeconds) },
  })
}
