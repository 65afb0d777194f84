// The simulated power cut is to be trusted before the store is shown by it: it damages LMDB where
// LMDB is known to be damaged by real ones, and leaves it whole where it is known to survive.

import t, { type Test } from 'tap'
import { type Cut, cutPower, toldIn } from '../support/power-cut/cuts.js'
import { Disk } from '../support/power-cut/disk.js'
import { Examiner } from '../support/power-cut/examiner.js'
import type { Event } from '../support/power-cut/journal.js'
import { differences, Recorder } from '../support/power-cut/recorder.js'
import { runs } from '../support/runs.js'
import { seed } from '../support/seed.js'
import { seededRandom } from '../support/seeded-random.js'

t.comment(`power cuts: SIGIL_SEED=${seed}`)

/** Groups that the environment is written in. */
const groups = 150

async function cutEnvironment(t: Test, way: 'unsynced' | 'synchronous', cuts: number) {
  const recorder = Recorder.open(t)
  if (recorder === undefined) return undefined
  const examiner = new Examiner({ complaints: 'ignore', processorMsMax: 3_000 })
  t.teardown(() => examiner.close())
  const run = { program: 'lmdb-child', arguments: [way, String(groups)] } as const
  const recording = await recorder.run(recorder.room(), run)
  t.equal(recording.ended, 0, recording.errors)
  t.same(differences(recording), [], 'nothing escaped the recording')
  const told = toldIn(recording)
  t.equal(told.length, groups)
  const made: Cut[] = []
  const given = { what: 'lmdb', count: cuts, seed, from: told[0]?.position ?? 0 } as const
  await cutPower({ recorder, examiner }, recording, given, (cut) => {
    made.push(cut)
  })
  return { made, told }
}

const isWhole = ({ finding }: Cut) => finding.refused === undefined && finding.problems.length === 0

t.test('power cuts damage an LMDB environment whose commits are not synchronous', async (t) => {
  const result = await cutEnvironment(t, 'unsynced', Math.max(40, runs(12)))
  if (result === undefined) return
  const { made } = result
  const refused = made.filter(({ finding }) => finding.refused !== undefined).length
  const whole = made.filter(isWhole).length
  t.comment(`${made.length} cuts: ${whole} survived, ${refused} could not be read`)
  t.ok(whole < made.length, 'some are damaged')
  t.ok(made.length - whole > refused, 'some of them can be read, and are wrong')
})

t.test('they do not damage one whose commits are, and lose none of those', async (t) => {
  const result = await cutEnvironment(t, 'synchronous', runs(12))
  if (result === undefined) return
  const { made, told } = result
  t.equal(made.length, runs(12))
  for (const cut of made) {
    const { finding, position } = cut
    t.ok(isWhole(cut), `seed ${cut.seed}: ${finding.refused ?? finding.problems[0] ?? 'whole'}`)
    const acknowledged = told.filter((one) => one.position <= position).length
    t.ok((finding.head?.count ?? 0) >= acknowledged, `seed ${cut.seed}: ${acknowledged} are there`)
  }
})

/** Calls on a disk as they would be recorded; inode 1 is the folder, 2 the file `a`. */
const at = 0
const opened = (created: boolean): Event[] => [
  { at, kind: 'open', file: 1n, path: '.', created: false, emptied: false },
  { at, kind: 'open', file: 2n, path: 'a', created, emptied: false },
]
const write = (text: string, offset = 0, durable = false): Event => ({
  at,
  kind: 'write',
  file: 2n,
  offset,
  bytes: Buffer.from(text),
  durable,
})
const truncate = (size: number): Event => ({ at, kind: 'truncate', file: 2n, size })
let syncs = 0
const sync = (file: bigint, failed = false): Event[] => {
  const number = ++syncs
  return [
    { at, kind: 'syncBegin', file, number },
    { at, kind: 'syncEnd', file, number, failed },
  ]
}
const durableFile = [...opened(true), write('old'), ...sync(2n), ...sync(1n)]

/** Everything that the file `a`, or the one renamed from it, may hold after a cut. */
function outcomes(...events: readonly Event[]): string[] {
  const disk = new Disk('')
  for (const event of events) disk.apply(event)
  const found = new Set<string>()
  for (let round = 0; round < 400; round++) {
    const image = disk.afterCut(seededRandom(seed + round))
    const files = [...image].map(([name, bytes]) => `${name}=${shortened(bytes?.toString() ?? '')}`)
    found.add(files.join(' '))
  }
  return [...found].sort()
}

const shortened = (text: string) => text.replace(/(.)\1{8,}/gs, '$1*')

t.test('a cut leaves what was synced, and of the rest any part', async (t) => {
  t.same(outcomes(...opened(true), write('x')), ['', 'a=', 'a=\0', 'a=x'])
  t.same(outcomes(...opened(true), write('x'), ...sync(2n)), ['', 'a=x'], 'its name is the folder')
  t.same(outcomes(...durableFile), ['a=old'])
  t.same(outcomes(...durableFile, write('new')), ['a=new', 'a=old'])
  t.same(outcomes(...durableFile, write('new', 0, true)), ['a=new'], 'by O_DSYNC')
  t.same(outcomes(...durableFile, truncate(1)), ['a=o', 'a=o\0\0', 'a=old'])
  t.same(outcomes(...durableFile, truncate(0), write('new')), ['a=', 'a=\0\0\0', 'a=new', 'a=old'])
  t.same(outcomes(...durableFile, { at, kind: 'unlink', path: 'a' }), ['', 'a=old'])
  const rename: Event = { at, kind: 'rename', from: 'a', to: 'b' }
  t.same(outcomes(...durableFile, rename), ['a=old', 'b=old'])
  t.same(outcomes(...durableFile, rename, ...sync(1n)), ['b=old'])
})

t.test('pages of 4 KiB are left or lost one by one, and sectors at times', async (t) => {
  const pages = [...opened(true), write('a'.repeat(8_192)), ...sync(2n), ...sync(1n)]
  const both = outcomes(...pages, write('b'.repeat(8_192)))
  for (const whole of ['a=a*', 'a=b*', 'a=a*b*', 'a=b*a*']) t.ok(both.includes(whole), whole)
  t.ok(both.length > 4, 'torn pages among them')
})

t.test('a sync covers what was written before it began', async (t) => {
  const [begin, end] = sync(2n)
  if (begin === undefined || end === undefined) throw new Error('a sync has two ends')
  t.same(outcomes(...durableFile, write('new'), begin, end), ['a=new'])
  t.same(outcomes(...durableFile, begin, write('new'), end), ['a=new', 'a=old'])
  t.same(outcomes(...durableFile, write('new'), begin), ['a=new', 'a=old'])
})

t.test('what a failed sync dropped is not there because a later one succeeds', async (t) => {
  const failed = [...durableFile, write('new'), ...sync(2n, true)]
  t.same(outcomes(...failed, ...sync(2n)), ['a=new', 'a=old'])
  t.same(outcomes(...failed, write('own'), ...sync(2n)), ['a=own'], 'unless it is written again')
})
