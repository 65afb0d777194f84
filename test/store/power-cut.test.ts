// The store's promise under power cuts, by the simulator that power-cut-simulator.test.ts shows to
// be as bad as real ones: in every durability what is found is whole, and nothing is missing that
// was promised; while checkpoints run, while it is recovering, and after both.

import { cpSync, rmSync } from 'node:fs'
import t, { type Test } from 'tap'
import type { Durability } from '../../src/store/log/log-sync.js'
import { type Cut, cutPower } from '../support/power-cut/cuts.js'
import { Disk } from '../support/power-cut/disk.js'
import { Examiner } from '../support/power-cut/examiner.js'
import { pathsOf } from '../support/power-cut/journal.js'
import { Promised } from '../support/power-cut/promise.js'
import { differences, Recorder, type Recording, toldFile } from '../support/power-cut/recorder.js'
import { runs } from '../support/runs.js'
import { seed } from '../support/seed.js'

/** Chooses the cuts and what they leave; the recorded run itself differs from one to the next. */
t.comment(`power cuts: SIGIL_SEED=${seed}`)

const operations = runs(1) > 1 ? 2_500 : 800
/** What a second of its timers takes, so that checkpoints are made often. */
const secondMs = 40
/** Each sync takes this much longer, so that groups come while it runs. */
const syncUs = 1_500
const cuts = runs(20)
/** Recoveries that are cut, how often each, and what is written between. */
const recoveries = runs(2)
const cutsPerRecovery = 5
const operationsAfterRecovery = 100

interface Bench {
  readonly recorder: Recorder
  readonly examiner: Examiner
}

for (const durability of ['commit', 'interval', 'none'] as const) {
  t.test(`power cuts leave what was promised, and leave it whole (${durability})`, async (t) => {
    const recorder = Recorder.open(t)
    if (recorder === undefined) return
    const examiner = new Examiner()
    t.teardown(() => examiner.close())
    const bench = { recorder, examiner }
    const recording = await record(t, bench, durability, recorder.room(), operations)
    await t.test('while it works', (t) => cutAtWork(t, bench, durability, recording))
    for (const isKill of [false, true]) {
      const name = isKill ? 'kill -9' : 'a power cut'
      await t.test(`while it recovers from ${name}`, (t) =>
        cutAtRecovery(t, bench, durability, recording, isKill),
      )
    }
  })
}

t.test('power cuts while a store is made leave one that can be made again', async (t) => {
  const recorder = Recorder.open(t)
  if (recorder === undefined) return
  const examiner = new Examiner()
  t.teardown(() => examiner.close())
  const bench = { recorder, examiner }
  const recording = await record(t, bench, 'commit', recorder.room(), 1)
  const promised = new Promised('commit', recording)
  await cutPower(bench, recording, { what: 'store', count: cuts, seed }, (cut) => {
    report(t, cut, promised.judge(cut))
  })
})

t.test('a first start whose power is cut at any point is followed by another one', async (t) => {
  const recorder = Recorder.open(t)
  if (recorder === undefined) return
  const examiner = new Examiner()
  t.teardown(() => examiner.close())
  const recording = await recorder.run(recorder.room(), { program: 'gateway-child', arguments: [] })
  t.same(recording.told, ['ready', 'closed'], recording.errors)
  const written = pathsOf(recording.events)
  for (const name of ['session-keys', 'chain', 'page-sums', 'synced', 'data.mdb', 'log/']) {
    t.ok(
      written.some((path) => path?.includes(name)),
      name,
    )
  }
  t.comment([...new Set(written)].join(' '))
  const given = { what: 'gateway', count: runs(8), seed } as const
  await cutPower({ recorder, examiner }, recording, given, (cut) => {
    const { refused, problems } = cut.finding
    report(t, cut, [...(refused === undefined ? [] : [refused]), ...problems])
  })
})

async function record(
  t: Test,
  { recorder }: Bench,
  durability: Durability,
  room: string,
  count: number,
  before?: Disk,
): Promise<Recording> {
  const recording = await recorder.run(room, {
    program: 'ledger-child',
    arguments: [durability, String(count), String(secondMs), ...(count > 1 ? ['warm'] : [])],
    syncUs,
  })
  const { ended, errors, told } = recording
  const escaped = before === undefined ? differences(recording) : differences(recording, before)
  const refused = told.filter((line) => line.startsWith('refused'))
  if (ended !== 0 || escaped.length > 0 || refused.length > 0 || told.at(-1) !== 'closed') {
    t.same({ ended, errors, escaped, refused }, {}, 'the recorded run was good')
  }
  return recording
}

async function cutAtWork(
  t: Test,
  bench: Bench,
  durability: Durability,
  recording: Recording,
): Promise<void> {
  const promised = new Promised(durability, recording)
  await cutPower(bench, recording, { what: 'store', count: cuts, seed }, (cut) => {
    report(t, cut, promised.judge(cut))
  })
  t.comment(promised.summary())
  t.ok(promised.inCheckpoint > 0, 'some cuts fell into a commit of the tables')
}

/**
 * The store is recovered under the recorder, works on, and is cut. Before, a first cut left only
 * what was on the disk; or the process was killed, and what it had not synced still is not.
 */
async function cutAtRecovery(
  t: Test,
  bench: Bench,
  durability: Durability,
  recording: Recording,
  isKill: boolean,
): Promise<void> {
  const first = new Promised(durability, recording)
  const given = { what: 'store', count: recoveries, seed: seed + 1_000_000 } as const
  let made = 0
  await cutPower(bench, recording, { ...given, isUnexamined: true, isKill }, async (cut, left) => {
    const room = bench.recorder.room()
    cpSync(left, room, { recursive: true })
    const disk = () => (isKill ? diskAt(recording, cut.position) : new Disk(toldFile, left))
    const again = await record(t, bench, durability, room, operationsAfterRecovery, disk())
    const second = new Promised(durability, again)
    const options = {
      what: 'store',
      count: cutsPerRecovery,
      seed: cut.seed,
      before: disk(),
    } as const
    await cutPower(bench, again, options, (later) => {
      made++
      const lost = first.judge({ ...cut, finding: later.finding })
      const found = second.headToldAt(later.position) ?? 0
      const isBehind = durability === 'commit' && (later.finding.head?.count ?? 0) < found
      if (isBehind) lost.push(`the recovered store served ${found} operations, now fewer are there`)
      report(t, later, [...new Set([...lost, ...second.judge(later)])])
    })
    rmSync(room, { recursive: true })
  })
  t.comment(`${durability}: ${recoveries} recoveries, cut ${made} times`)
  t.equal(made, recoveries * cutsPerRecovery)
}

function diskAt({ events }: Recording, position: number): Disk {
  const disk = new Disk(toldFile)
  for (const event of events.slice(0, position)) disk.apply(event)
  return disk
}

function report(t: Test, { seed: own, position }: Cut, problems: readonly string[]): void {
  const shown = problems.slice(0, 5).join('; ')
  t.equal(problems.length, 0, `cut with seed ${own} at event ${position}: ${shown || 'whole'}`)
}
