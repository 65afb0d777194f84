// Bits that flip on the disk: in a stored value of the tables and in the log. Whatever was hit is
// found and named by a check, or the store is not opened; nothing wrong is ever served.

import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { systemClock } from '../../src/base/clock.js'
import { silentLog } from '../../src/base/log.js'
import { openLmdbStore } from '../../src/store/lmdb.js'
import {
  openSegmentHeader,
  recordGroup,
  recordSynced,
  segmentHeaderBytes,
  soundRecordEnd,
} from '../../src/store/log/log-record.js'
import { backupOptions } from '../support/backups.js'
import { Examiner } from '../support/power-cut/examiner.js'
import { documentsAfter, holds } from '../support/power-cut/ledger.js'
import { keepLedger } from '../support/power-cut/ledger-process.js'
import { runs } from '../support/runs.js'
import { seed } from '../support/seed.js'
import { seededRandom } from '../support/seeded-random.js'
import { runSigil, settingsFor } from '../support/sigil-process.js'
import { temporaryFolder } from '../support/stores.js'

t.comment(`bit flips: SIGIL_SEED=${seed}`)
const flips = runs(6)

t.test('a flipped bit in a stored value is found, named and never served', async (t) => {
  const random = seededRandom(seed)
  const examiner = new Examiner()
  t.teardown(() => examiner.close())
  const sound = await temporaryFolder(t)
  const run = { durability: 'commit', operations: 700, isKilled: false, secondMs: 20 } as const
  await keepLedger({ room: sound, ...run })
  await bringIntoTables(join(sound, 'store'))
  const before = await examiner.examine({ what: 'store', path: join(sound, 'store') })
  t.same(before.problems, [])
  if (before.head === undefined) throw new Error('the ledger is missing')
  const documents = [...documentsAfter(before.head).values()]
  const large = documents.filter((document) => document.length > 300_000)
  // What looks for ids of keys meets the first record of all before others.
  const first = [...documentsAfter(before.head)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, 1)
    .map(([, document]) => document)
  for (let flip = 0; flip < flips; flip++) {
    const pool = flip === 1 ? first : flip % 3 === 0 && large.length > 0 ? large : documents
    const room = join(sound, `flip-${flip}`)
    cpSync(join(sound, 'store'), join(room, 'store'), { recursive: true })
    const document = pool[Math.floor(random() * pool.length)] as Uint8Array
    flipIn(join(room, 'store', 'data.mdb'), document, random)
    const { problems, refused } = await examiner.examine({
      what: 'store',
      path: join(room, 'store'),
    })
    // The first of all keys share their page with the store's own metadata.
    t.ok(
      isNamed(refused === undefined ? problems : [refused]),
      `flip ${flip}: ${problems.slice(0, 4).join('; ')}`,
    )
    if (flip < 3) {
      const check = await runSigil(['check'], settingsFor(join(room, 'store')))
      t.equal(check.code, 1)
      t.match(check.errors, named)
    }
    rmSync(room, { recursive: true })
  }
})

/** A backup begins when the tables hold all that the log held: then a flip hits the only copy. */
async function bringIntoTables(path: string): Promise<void> {
  const store = openLmdbStore({ path, durability: 'commit', clock: systemClock, log: silentLog })
  const backup = await store.backup?.(backupOptions)
  await backup?.end()
  await store.close()
}

/** What was hit is named by its key, and no document is another than it was. */
function isNamed(problems: readonly string[]): boolean {
  if (problems.some((problem) => / is another| is there, but/.test(problem))) return false
  return problems.some((problem) => named.test(problem))
}

const named = /page \d+ of data\.mdb is damaged: .*key [0-9a-f]{8,}/

/** Flips one bit in every copy of a piece of the document that the file has. */
function flipIn(path: string, document: Uint8Array, random: () => number): void {
  const bytes = readFileSync(path)
  const start = Math.floor(random() * Math.max(1, document.length - 60))
  const piece = Buffer.from(document.subarray(start, start + 60))
  const bit = 1 << Math.floor(random() * 8)
  const within = Math.floor(random() * piece.length)
  for (let at = bytes.indexOf(piece); at >= 0; at = bytes.indexOf(piece, at + 1)) {
    bytes[at + within] = (bytes[at + within] ?? 0) ^ bit
  }
  writeFileSync(path, bytes)
}

t.test('a flipped bit in the log is found, named and never served', async (t) => {
  const random = seededRandom(seed)
  const examiner = new Examiner()
  t.teardown(() => examiner.close())
  const sound = await temporaryFolder(t)
  const run = { durability: 'commit', operations: 250, isKilled: true, secondMs: 100_000 } as const
  const told = await keepLedger({ room: sound, ...run })
  const name =
    readdirSync(join(sound, 'store', 'log'))
      .sort()
      .at(-1) ?? ''
  const records = recordsOf(readFileSync(join(sound, 'store', 'log', name)))
  t.ok(records.length > 10, `${records.length} records`)
  let refusals = 0
  for (let flip = 0; flip < 2 * flips; flip++) {
    const room = join(sound, `flip-${flip}`)
    cpSync(join(sound, 'store'), join(room, 'store'), { recursive: true })
    const path = join(room, 'store', 'log', name)
    const at = Math.floor(random() * statSync(path).size)
    flipAt(path, at, random)
    const finding = await examiner.examine({ what: 'store', path: join(room, 'store') })
    const { refused, head, problems } = finding
    const what = `flip ${flip} at byte ${at}`
    t.same(problems, [], what)
    const isComplete = head !== undefined && told.every((done) => holds(head, done))
    if (refused !== undefined) {
      refusals++
      t.ok(refused.includes(name), `${what}: ${refused}`)
      const check = await runSigil(['check'], settingsFor(join(room, 'store')))
      t.not(check.code, 0)
      t.ok(check.errors.includes(name), check.errors)
    } else t.ok(isComplete || mayBeTorn(records, at), `${what}: nothing is lost that was synced`)
    rmSync(room, { recursive: true })
  }
  t.ok(refusals > flips / 2, `${refusals} of ${2 * flips} are refused`)
})

interface LogRecord {
  readonly start: number
  readonly end: number
  readonly group: number
  readonly synced: number
}

function recordsOf(segment: Uint8Array): LogRecord[] {
  const salt = openSegmentHeader(segment)?.salt ?? 0
  const records: LogRecord[] = []
  for (let start = segmentHeaderBytes; ; ) {
    const end = soundRecordEnd(segment, start, segment.length, salt)
    if (end < 0) return records
    const group = recordGroup(segment, start)
    records.push({ start, end, group, synced: recordSynced(segment, start) })
    start = end
  }
}

/** Whether a damaged byte cannot be told from a write that the end of the process cut off. */
function mayBeTorn(records: readonly LogRecord[], at: number): boolean {
  const hit = records.find(({ end }) => at < end)
  if (hit === undefined) return true
  const others = records.filter((record) => record !== hit)
  return hit.group > Math.max(0, ...others.map(({ synced }) => synced))
}

function flipAt(path: string, at: number, random: () => number): void {
  const bytes = readFileSync(path)
  bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8))
  writeFileSync(path, bytes)
}
