// The whole suite: the test files of a room some to a process, two processes at a time. A process
// for each file would cost more than most of the tests. Files that are named on the command line get
// a process each. With SIGIL_STORES=postgres one server serves all. It prints a line a file and a
// summary. Heavy files take turns: rotation.ts. Files that fail run once more, alone, if they are few
// and draw nothing at random, or hung: a browser beside other work may be late. The summary names
// them. What should have followed a file that hung, or ended its process, follows in another one.

import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { crc32 } from 'node:zlib'
import { hasCountsAlone, mayPassAlone, triesMore } from './support/long-files.js'
import { openPostgresServer } from './support/postgres-reference.js'
import { leftOut, leftOutLines } from './support/rotation.js'
import { isLong, seed } from './support/seed.js'
import { serverVariable } from './support/shared-stores.js'
import { givenStores } from './support/store-kinds.js'
import { SuiteReport } from './support/suite-report.js'

const jobs = 2
/** Under CI `npm test` has just run: this is what goes beyond it. */
const isShare = isLong && process.env.CI === 'true'
/** More would hardly save time, and make it harder to see what is slow. */
const filesMax = isShare ? 4 : 12
/** A folder with fewer test files belongs to the room above it. */
const filesMin = 4
/** What looks at something that a process has once: the pool of slabs. */
const alone = ['store/memtable/memtable.test.js', 'store/memtable/slab-arenas.test.js']
/** Rooms that take longest begin first: both processors have work to the end. */
const slow = ['stall', 'memory/proof', 'store', 'end-to-end', 'clients']
/** For one process. One file that hangs is told, and tried again, before the whole run is ended. */
function timeoutSecondsOf(names: readonly string[]): number {
  if (isLong) return isShare ? 2_000 : 3_600
  return names.length === 1 ? 600 : 1_200
}
const errorBytesMax = 64 * 1_024
/** More files that fail are no chance. */
const failedMax = 3

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = fileURLToPath(new URL('.', import.meta.url))
const inTurn = relative(root, fileURLToPath(new URL('in-turn.js', import.meta.url)))

/** The rooms of test files: folders with all that is below them, at most two folders deep. */
function roomsOf(files: readonly string[]): Map<string, string[]> {
  const near = (name: string) => dirname(name).split('/').slice(0, 2).join('/')
  const sizes = new Map<string, number>()
  for (const name of files) sizes.set(near(name), (sizes.get(near(name)) ?? 0) + 1)
  const rooms = new Map<string, string[]>()
  for (const name of files) {
    const room = (sizes.get(near(name)) ?? 0) < filesMin ? dirname(near(name)) : near(name)
    rooms.set(room, [...(rooms.get(room) ?? []), name])
  }
  return rooms
}

/** Every test file of this run, those of a room in as few groups as may be, all about as large. */
function groups(): string[][] {
  const left = new Set(leftOut().flatMap((names) => names.map((name) => `${name}.test.js`)))
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.js') && !alone.includes(name) && !left.has(name))
    .filter((name) => !isShare || triesMore(name))
    .sort()
  const ordered = [...roomsOf(files)]
    .flatMap(([room, own]) => {
      const count = Math.ceil(own.length / filesMax)
      return Array.from({ length: count }, (_, at) => ({
        isSlow: slow.includes(room),
        names: own.filter((_, i) => i % count === at),
      }))
    })
    .concat(
      alone
        .filter((name) => !isShare || triesMore(name))
        .map((name) => ({ isSlow: false, names: [name] })),
    )
    .sort((a, b) => Number(b.isSlow) - Number(a.isSlow) || b.names.length - a.names.length)
  // Their time ends, so that others have it each time.
  if (isShare) ordered.sort((a, b) => drawOf(a.names) - drawOf(b.names))
  return ordered.map(({ names }) => names.map((name) => relative(root, join(folder, name))))
}

const nameOf = (file: string) => relative(folder, join(root, file))

function drawOf(names: readonly string[]): number {
  return crc32(`${seed} ${names[0]}`)
}

/**
 * There the long counts end after so long. What follows runs the counts of `npm test`, or not at
 * all if it has no more than these.
 */
const longEnds = isShare ? Date.now() + 10 * 60_000 : Number.POSITIVE_INFINITY
const environment: NodeJS.ProcessEnv = {
  ...process.env,
  ...(isShare ? { SIGIL_LONG_ENDS: String(longEnds) } : {}),
}
const late: string[] = []

/** Those of the files that there is time for. */
function inTime(names: readonly string[]): readonly string[] {
  if (Date.now() < longEnds) return names
  late.push(...names.filter((name) => hasCountsAlone(nameOf(name))))
  return names.filter((name) => !late.includes(name))
}

const report = new SuiteReport(isLong ? 'test-long' : 'test', isLong)
const running = new Set<number>()

function run(names: readonly string[]): Promise<void> {
  const timeoutSeconds = timeoutSecondsOf(names)
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--enable-source-maps', inTurn, ...names], {
      cwd: root,
      env: { ...environment, TAP_TIMEOUT: String(timeoutSeconds) },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    if (child.pid !== undefined) running.add(child.pid)
    const results = report.read(names, child.stdout)
    let errors = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors = (errors + text).slice(-errorBytesMax)
    })
    // The process says itself what hangs, if it still can.
    const tooLong = setTimeout(() => child.kill('SIGKILL'), (timeoutSeconds + 30) * 1_000)
    child.once('close', (code, signal) => {
      clearTimeout(tooLong)
      if (child.pid !== undefined) running.delete(child.pid)
      const problem = code === 0 ? undefined : `the process ended with ${signal ?? code}`
      void results.end(problem, errors).then((left) => {
        if (left.length > 0) waiting.push([...left])
        resolve()
      })
    })
  })
}

function end(): void {
  for (const pid of running) process.kill(pid, 'SIGTERM')
  process.exitCode = 1
}
process.once('SIGINT', end).once('SIGTERM', end)

const given = process.argv.slice(2)
const waiting = given.length > 0 ? given.map((name) => [name]) : groups()

async function work(): Promise<void> {
  for (let names = waiting.shift(); names !== undefined; names = waiting.shift()) {
    if (process.exitCode === 1) return
    const own = inTime(names)
    if (own.length > 0) await run(own)
  }
}

const endings: (() => unknown)[] = []
if (givenStores?.some((kind) => kind === 'postgres' || kind === 'shared') === true) {
  const server = await openPostgresServer({ teardown: (ending) => endings.push(ending) })
  environment[serverVariable] = server.folder
}
await Promise.all(Array.from({ length: jobs }, work))
const failed = report.failedFiles((file) => mayPassAlone(nameOf(file)), failedMax)
for (const name of failed) {
  report.tryAgain(name)
  await run([name])
}
for (const ending of endings.reverse()) await ending()
const lateLines = late.map((name) => `# LEFT OUT ${name}: no time for its long counts`)
report.close(given.length > 0 ? [] : [...leftOutLines(), ...lateLines])
if (!report.isGreen) process.exitCode = 1
