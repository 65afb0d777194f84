// Sends hostile commands to a gateway of this process and looks how long its turns are: by units of
// the work budget in `npm test` and CI, which tell the processor time; by that of the main thread
// in the long counts by hand, where a long one is measured three times and the median counts.

import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { Test } from 'tap'
import { work } from '../../src/base/work/work-budget.js'
import {
  stretchUnits,
  turnUnits,
  writeStretchUnits,
  writeTurnUnits,
} from '../../src/base/work/work-figures.js'
import { startGateway } from '../support/live-gateway.js'
import { isLong, seed } from '../support/seed.js'
import { seededRandom } from '../support/seeded-random.js'
import type { StallCase } from './cases.js'
import type { ClientAddress } from './client-thread.js'
import { TurnMeter } from './turn-meter.js'
import { writes } from './writes.js'

/** Milliseconds of processor time that no turn may take, and that of a write program. */
const turnMsMax = 20
const writeMsMax = 50
/**
 * For cases that use up the whole of a stretch. Two processors that others share need more than one
 * of one's own. With turns of 2.5 ms, beside a load of 11 to 15, nine of 658 stages took more than
 * 20 ms, the most 29.8 (`$lookup` and `$addFields` of long values), of 240 expressions one, 26.8, and
 * of 51 filters one, 40 (`$nin` of 1,200 long texts, whose figure is below its cost).
 */
const stretchMsMax = 40
/** The same for SQL: of 9,199 cases in process, the most took 25 ms beside a load of 11. */
const sqlStretchMsMax = 30

/**
 * Units of one turn: what is due, what may come beyond it, and one step of a scan. Of 24,000 cases of
 * the long counts none noted more than 20 units beyond.
 */
const unitsMax = turnUnits + stretchUnits + turnUnits / 4
/** What a write program may note beyond: reads of keys, which cannot be refused amid. */
const writeUnitsMax = writeTurnUnits + writeStretchUnits + turnUnits / 2

/** By hand, these alone: a pattern of the names of cases. */
const only = new RegExp(process.env.STALL_CASES ?? '')

/** By hand, a share of the cases: `2/5` is the second fifth, one case of each five. */
const [share, shares] = (process.env.STALL_SHARE ?? '1/1').split('/').map(Number) as [
  number,
  number,
]

/** By hand, a file of the figures, a line of JSON a case. Cases that stand in it are not repeated. */
const log = process.env.STALL_LOG

/** The long counts by hand try every case; each change, and CI, what the seed brings in time. */
const isWhole = isLong && process.env.CI !== 'true'

/**
 * All hunts together, with what they prepare: `npm test` stays below ten minutes. Each has an equal
 * share, and tries its cases in the order of the seed until that is used up.
 */
const huntsMs = isLong ? 180_000 : 45_000
const hunts = 27
const huntMsMax = isWhole ? Number.POSITIVE_INFINITY : huntsMs / hunts

/** What is not answered by then is named in the report, and left behind. */
const answerMsMax = isWhole ? 20_000 : huntMsMax / 2

interface HuntOptions {
  /** Most cases compute as long as one document may take. */
  readonly stretches?: 'sql' | 'documents'
  /** What is too much for a turn is computed in a thread: none is refused as too much work. */
  readonly computes?: boolean
  /** The cases are right as they are: an error is a fault of theirs. */
  readonly succeeds?: boolean
  readonly prepare?: readonly StallCase[]
  /** Sent before each try: it makes again what a case before may have changed. */
  readonly restore?: (one: StallCase) => StallCase | undefined
  readonly settings?: Readonly<Record<string, string>>
}

interface Finding {
  readonly name: string
  readonly writes: boolean
  readonly answer: string
  readonly units: number
  readonly ms: number
}

/** Throws nothing: each case above its bound is a failed assertion that names it. */
export async function hunt(
  t: Test,
  cases: readonly StallCase[],
  options: HuntOptions = {},
): Promise<void> {
  const beganAt = Date.now()
  const chosen = inTurn(cases, t.name)
  if (chosen.length === 0) {
    t.pass(`none of ${cases.length} cases is chosen`)
    return
  }
  const gateway = await startGateway(t, { RATE_LIMITS: 'off', ...options.settings })
  const { ports, key, uri } = gateway
  const client = new Client({
    uri: uri.replace(/\/main$/, '/?authSource=main'),
    key,
    redisPort: ports.redis ?? 0,
    sqlPort: ports.sql ?? 0,
    httpPort: ports.http ?? 0,
    answerMsMax,
  })
  const meter = new TurnMeter()
  const findings: Finding[] = []
  try {
    for (const one of options.prepare ?? []) {
      await client.ready(one)
      await client.send()
    }
    // On a slow machine preparing uses up the share: a third of it is for cases all the same.
    const endsAt = Math.max(beganAt + huntMsMax, Date.now() + huntMsMax / 3)
    for (const { one, at } of chosen) {
      if (Date.now() > endsAt) break
      const finding = await measured(client, meter, one, options)
      findings.push(finding)
      note({ title: t.name, at, ...finding })
    }
  } finally {
    meter.close()
    await client.close()
  }
  t.comment(`seed ${seed}, ${findings.length} of ${cases.length} cases`)
  t.ok(findings.length > 0, 'a case was tried')
  judge(t, findings, options)
  if (options.succeeds === true) {
    t.same(
      findings.filter(({ answer }) => answer !== 'ok'),
      [],
      'each is answered',
    )
  }
  const refused = findings.filter(({ answer }) => answer.includes('too much work'))
  const names = refused.map(({ name }) => name)
  if (options.computes === true) t.same(names, [], 'none is too much work')
  else if (names.length > 0) t.comment(`too much work: ${names.join(', ')}`)
}

async function measured(
  client: Client,
  meter: TurnMeter,
  one: StallCase,
  options: HuntOptions,
): Promise<Finding> {
  const tries: Finding[] = []
  do {
    const before = options.restore?.(one)
    if (before !== undefined) {
      await client.ready(before)
      await client.send()
    }
    await client.ready(one)
    work.resetLongest()
    meter.reset()
    const answer = await client.send()
    const ms = await meter.longest()
    const finding = { name: one.name, writes: writes(one), answer, units: work.longest, ms }
    tries.push(finding)
    const isShort = ms <= msMaxOf(finding, options)
    if (isShort && process.env.STALL_CASES === undefined) return finding
  } while (isWhole && tries.length < 3)
  return tries.sort((a, b) => a.ms - b.ms)[Math.floor(tries.length / 2)] as Finding
}

function msMaxOf({ writes }: Finding, { stretches }: HuntOptions): number {
  if (writes) return writeMsMax
  if (stretches === 'sql') return sqlStretchMsMax
  return stretches === 'documents' ? stretchMsMax : turnMsMax
}

interface Chosen {
  readonly one: StallCase
  /** Its place among all cases. */
  readonly at: number
}

/** By hand as they stand; else in the order of the seed, so that all have their turn. */
function inTurn(all: readonly StallCase[], title: string): readonly Chosen[] {
  const known = logged(title)
  const cases = all
    .map((one, at) => ({ one, at }))
    .filter(({ one, at }) => only.test(one.name) && at % shares === share - 1 && !known.has(at))
  if (isWhole) return cases
  const next = seededRandom(seed)
  return cases
    .map((one) => ({ one, order: next() }))
    .sort((a, b) => a.order - b.order)
    .map(({ one }) => one)
}

interface Line extends Finding {
  readonly title: string
  readonly at: number
}

/** Places of the cases of this test that stand in the log. */
function logged(title: string): ReadonlySet<number> {
  if (log === undefined || !existsSync(log)) return new Set()
  const lines = readFileSync(log, 'utf8').split('\n').filter(Boolean)
  return new Set(
    lines
      .map((line) => JSON.parse(line) as Line)
      .filter((line) => line.title === title)
      .map(({ at }) => at),
  )
}

function note(line: Line): void {
  if (log !== undefined) appendFileSync(log, `${JSON.stringify(line)}\n`)
}

function judge(t: Test, findings: readonly Finding[], options: HuntOptions): void {
  const worst = [...findings].sort((a, b) => b.ms - a.ms).slice(0, 20)
  t.comment('the longest turns, ms and units:')
  for (const { name, ms, units, answer } of worst) {
    t.comment(`${ms.toFixed(1)} ${units} ${name}: ${answer.replaceAll(/\s+/g, ' ')}`)
  }
  const far = findings.filter(({ writes, units }) => units > (writes ? writeUnitsMax : unitsMax))
  t.same(far, [], `no turn above ${unitsMax} units, of a write above ${writeUnitsMax}`)
  if (!isWhole) return
  const long = findings.filter((finding) => finding.ms > msMaxOf(finding, options))
  t.same(long, [], 'no turn above its bound of processor time')
}

/** The thread that sends: one case at a time. */
class Client {
  private readonly thread: Worker

  constructor(address: ClientAddress) {
    this.thread = new Worker(new URL('./client-thread.js', import.meta.url), {
      workerData: address,
    })
  }

  /** The thread has the case. */
  ready(one: StallCase): Promise<string> {
    return this.told(one)
  }

  /** Answers what the server did. */
  send(): Promise<string> {
    return this.told('send')
  }

  private told(message: StallCase | 'send'): Promise<string> {
    return new Promise((resolve, reject) => {
      this.thread.once('error', reject)
      this.thread.once('message', (answer: string) => {
        this.thread.off('error', reject)
        resolve(answer)
      })
      this.thread.postMessage(message)
    })
  }

  close(): Promise<unknown> {
    const gone = new Promise((resolve) => this.thread.once('exit', resolve))
    this.thread.postMessage('close')
    return gone
  }
}
