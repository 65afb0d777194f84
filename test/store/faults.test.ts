// Disks that fail: each write, sync and change of a name of a short run is made to fail in its
// turn. Writes are refused with a clear error or go through, reads go on, and after a restart all
// that was acknowledged is there, and nothing that was refused because it could not be written.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type Cut, cutPower } from '../support/power-cut/cuts.js'
import { Examiner, type Finding } from '../support/power-cut/examiner.js'
import { pathsOf } from '../support/power-cut/journal.js'
import { doneOf, Promised } from '../support/power-cut/promise.js'
import { type Fault, Recorder, type Recording } from '../support/power-cut/recorder.js'
import { runs } from '../support/runs.js'
import { seed } from '../support/seed.js'

t.comment(`faults: SIGIL_SEED=${seed}`)

const errno = { EIO: 5, ENOSPC: 28 } as const
const operations = 60
/** What a second of its timers takes, so that there are checkpoints in so short a run. */
const secondMs = 5
/** What every sync takes, microseconds: long enough for a checkpoint or two beside the groups. */
const syncUs = 10_000
/** Of the calls of one kind every so-manieth is made to fail, beginning with a random one. */
const stride = runs(1) > 1 ? 1 : 8
/** Of rare ones all are. */
const rare = 10
const always = 1_000_000

interface Kind {
  readonly name: string
  /** Events that are such calls, and the letters that they have for the recorder. */
  readonly events: readonly string[]
  readonly calls: string
  readonly faults: readonly Omit<Fault, 'calls' | 'part' | 'first'>[]
}

const kinds: readonly Kind[] = [
  {
    name: 'a write',
    events: ['write'],
    calls: 'w',
    faults: [
      { count: 1, errno: errno.ENOSPC },
      { count: 1, errno: errno.EIO },
      { count: 2, errno: errno.ENOSPC, isShort: true },
      { count: always, errno: errno.ENOSPC },
    ],
  },
  { name: 'a sync', events: ['syncBegin'], calls: 's', faults: [{ count: 1, errno: errno.EIO }] },
  {
    name: 'a truncation',
    events: ['truncate'],
    calls: 't',
    faults: [{ count: 1, errno: errno.EIO }],
  },
  {
    name: 'making a file or a folder',
    events: ['created', 'mkdir'],
    calls: 'cm',
    faults: [{ count: 1, errno: errno.ENOSPC }],
  },
  {
    name: 'removing or renaming a file',
    events: ['unlink', 'rename', 'rmdir'],
    calls: 'u',
    faults: [{ count: 1, errno: errno.EIO }],
  },
]

interface Bench {
  readonly recorder: Recorder
  readonly examiner: Examiner
}

function bench(t: Test): Bench | undefined {
  const recorder = Recorder.open(t)
  if (recorder === undefined) return undefined
  const examiner = new Examiner()
  t.teardown(() => examiner.close())
  return { recorder, examiner }
}

async function run({ recorder }: Bench, fault?: Fault): Promise<Recording> {
  const given = ['commit', String(operations), String(secondMs)]
  const options = { program: 'ledger-child', arguments: given, syncUs } as const
  return recorder.run(recorder.room(), fault === undefined ? options : { ...options, fault })
}

/** How many calls of a kind a run makes that nothing disturbs. */
function callsOf({ events }: Recording, kind: Kind): number {
  const paths = pathsOf(events)
  return events.filter((event, index) => {
    const isCreation = event.kind === 'open' && event.created
    const name = isCreation ? 'created' : event.kind
    return kind.events.includes(name) && paths[index]?.startsWith('store') === true
  }).length
}

t.test('whichever call fails, nothing that was acknowledged is lost', async (t) => {
  const made = bench(t)
  if (made === undefined) return
  const undisturbed = await run(made)
  t.equal(undisturbed.ended, 0, undisturbed.errors)
  for (const kind of kinds) {
    await t.test(kind.name, async (t) => {
      const calls = callsOf(undisturbed, kind)
      const step = calls > rare ? stride : 1
      let hits = 0
      for (let first = 1 + (seed % step); first <= calls; first += step) {
        for (const one of waysFor(kind, first)) {
          const fault = { calls: kind.calls, part: 'store', first, ...one }
          if (await failOnce(t, made, fault)) hits++
        }
      }
      // Where a run makes fewer calls than the undisturbed one, there is a first at least.
      if (hits === 0 && calls > rare) {
        const one = { calls: kind.calls, part: 'store', first: 1 }
        for (const way of waysFor(kind, 1)) {
          if (await failOnce(t, made, { ...one, ...way })) hits++
        }
      }
      t.comment(`${kind.name}: ${calls} calls, ${hits} runs with a failed one`)
      t.ok(hits > 0 || calls <= rare, 'some did fail')
    })
  }
})

/** Ways to fail a call: in short runs one of them in turn, in long ones two. */
function waysFor({ faults }: Kind, first: number): Kind['faults'] {
  const ways = stride > 1 ? [0] : [0, 1]
  const chosen = ways.map((way) => faults[(Math.floor(first / stride) + way) % faults.length])
  return [...new Set(chosen)].filter((one) => one !== undefined)
}

/** One run with a fault; false where it ended before the call. */
async function failOnce(t: Test, made: Bench, fault: Fault): Promise<boolean> {
  const recording = await run(made, fault)
  const hit = recording.events.find((event) => event.kind === 'fault')
  const finding = await made.examiner.examine({
    what: 'store',
    path: join(recording.room, 'store'),
  })
  rmSync(recording.room, { recursive: true })
  if (hit?.kind !== 'fault') return false
  const isLibrary = hasAborted(recording) || (hit.path.endsWith('.mdb') && isMaking(recording))
  const problems = isLibrary ? [] : problemsOf(recording, fault)
  problems.push(...problemsAfter(recording, finding, fault))
  const name = `${fault.calls}${fault.first} x${fault.count} ${fault.errno} of ${hit.path}`
  t.same(problems, [], `${name}: ${problems.join('; ') || 'all is well'}`)
  return true
}

/** Now and then the library spoils its heap when a page cannot be written, and ends the process. */
function hasAborted({ ended }: Recording): boolean {
  return ended === 'SIGABRT' || ended === 'SIGSEGV'
}

/** Whether the tables' files were just being made: there the library ends the process. */
function isMaking({ events }: Recording): boolean {
  const paths = pathsOf(events)
  const first = events.findIndex(
    ({ kind }, index) => kind === 'write' && paths[index] === 'store/data.mdb',
  )
  const failed = events.findIndex(({ kind }) => kind === 'fault')
  return first < 0 || failed < first
}

/** What was wrong while the disk failed. */
function problemsOf({ ended, errors, told }: Recording, fault: Fault): string[] {
  const problems: string[] = []
  if (ended !== 0) problems.push(`the process ended with ${ended}: ${errors}`)
  for (const line of told) {
    const refusal = /^refused (\S+) (\w+): (.*)$/.exec(line)
    if (refusal !== null && !isClear(refusal[2] ?? '', refusal[3] ?? '', fault)) problems.push(line)
  }
  if (told.some((line) => line.startsWith('refused open'))) return problems
  const read = told.find((line) => line.startsWith('read '))
  const [, head, found] = read?.split(' ').map(Number) ?? []
  if (head === undefined || found !== 0) problems.push(`reads did not go on: ${read}`)
  else if (Math.max(head, 0) < lastDone(told))
    problems.push(`${lastDone(told)} were told, but read was ${head}`)
  return problems
}

function isClear(codeName: string, text: string, fault: Fault): boolean {
  if (text === '') return false
  if (codeName === 'OutOfDiskSpace') return true
  const isTold = fault.errno !== errno.ENOSPC || /no space|ENOSPC|full or failing/.test(text)
  return codeName === 'OperationFailed' && isTold
}

/** What is wrong after a restart on a sound disk. */
function problemsAfter(recording: Recording, finding: Finding, fault: Fault): string[] {
  if (finding.refused !== undefined) return [`not opened again: ${finding.refused}`]
  const problems = [...finding.problems]
  const count = finding.head?.count ?? 0
  const last = lastDone(recording.told)
  if (count < last) problems.push(`${last} were acknowledged, ${count} are there`)
  // After a failed sync the outcome is unknown, so what was refused then may be there; and a
  // process that died had no time to tell of what it had written.
  const isTold = fault.calls !== 's' && !hasAborted(recording)
  if (isTold && count > last) problems.push(`${count} are there, ${last} were told`)
  return problems
}

function lastDone(told: readonly string[]): number {
  return Math.max(0, ...told.map((line) => doneOf(line)?.count ?? 0))
}

t.test('a failed sync of the log stops all writes until a restart', async (t) => {
  const made = bench(t)
  if (made === undefined) return
  const cuts = runs(3)
  for (const first of [1, 2, 3]) {
    const fault = { calls: 's', part: 'store/log/', first, count: 1, errno: errno.EIO }
    const recording = await run(made, fault)
    t.equal(recording.ended, 0, recording.errors)
    const { told, events } = recording
    t.ok(events.some(({ kind }) => kind === 'fault'))
    const refused = told.findIndex((line) => line.startsWith('refused'))
    t.ok(refused >= 0, 'writes are refused')
    t.equal(told.slice(refused).filter((line) => doneOf(line) !== undefined).length, 0)
    t.match(told[refused], /^refused \w+ OperationFailed: .+/)
    // The system may have dropped what it could not write: a later sync must not vouch for it.
    const promised = new Promised('commit', recording)
    const from = events.findIndex(({ kind }) => kind === 'fault')
    const options = { what: 'store', count: cuts, seed, from } as const
    await cutPower(made, recording, options, (cut: Cut) => {
      t.same(promised.judge(cut), [], `cut with seed ${cut.seed} at event ${cut.position}`)
    })
    rmSync(recording.room, { recursive: true })
  }
})

t.test('a disk that has room again takes writes again, without a restart', async (t) => {
  const made = bench(t)
  if (made === undefined) return
  const fault = { calls: 'w', part: 'store/log/', first: 9, count: 15, errno: errno.ENOSPC }
  const recording = await run(made, fault)
  const { told } = recording
  const isRefusal = (line: string) => /^refused \d OutOfDiskSpace: .+/.test(line)
  const first = told.findIndex(isRefusal)
  t.ok(first > 0, 'some are refused')
  t.ok(
    told.slice(first).some((line) => doneOf(line) !== undefined),
    'later ones are not',
  )
  t.ok(told.includes('refusing undefined'), 'and the store says so')
  const finding = await made.examiner.examine({
    what: 'store',
    path: join(recording.room, 'store'),
  })
  t.same(problemsAfter(recording, finding, fault), [])
})
