// A store process is killed while it writes: what it had acknowledged is there, and every program is
// there as a whole or not at all. Killed again and again in one folder, so that what one round
// leaves is the next one's beginning.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { systemClock } from '../../src/base/clock.js'
import { silentLog } from '../../src/base/log.js'
import { keyClass } from '../../src/store/layout.js'
import { openLmdbStore } from '../../src/store/lmdb.js'
import type { Durability } from '../../src/store/log/log-sync.js'
import type { KeyRange, Program, ReadTx } from '../../src/store/store.js'
import { Examiner } from '../support/power-cut/examiner.js'
import { holds } from '../support/power-cut/ledger.js'
import { keepLedger } from '../support/power-cut/ledger-process.js'
import { runs } from '../support/runs.js'
import { childCounter, childKey } from '../support/store-child.js'
import { temporaryFolder } from '../support/stores.js'
import { toldLines } from '../support/told-lines.js'

const childPath = fileURLToPath(new URL('../support/store-child.js', import.meta.url))

for (const durability of ['commit', 'interval'] as const) {
  t.test(`kill -9 loses nothing acknowledged and tears nothing (${durability})`, async (t) => {
    const rounds = runs(3)
    for (let round = 0; round < rounds; round++) {
      const path = await temporaryFolder(t)
      const acknowledged = await writeUntilKilled(path, durability, 50 + 100 * round)
      const { kept, torn, count } = await readAll(path, durability)
      t.same(torn, [])
      t.equal(acknowledged.filter((number) => !kept.has(number)).length, 0)
      t.equal(count, kept.size, 'the counter was committed with its programs')
    }
  })
}

t.test('kill -9 under mixed load, round after round in one folder', async (t) => {
  const room = await temporaryFolder(t)
  const examiner = new Examiner()
  t.teardown(() => examiner.close())
  const rounds = runs(10)
  const durabilities = ['commit', 'interval', 'none'] as const
  for (let round = 0; round < rounds; round++) {
    const durability = durabilities[round % durabilities.length] ?? 'commit'
    const operations = 1 + ((round * 83) % 250)
    const run = { room, durability, operations, isKilled: true, secondMs: 50 }
    const acknowledged = await keepLedger(run)
    const finding = await examiner.examine({ what: 'store', path: join(room, 'store') })
    t.equal(finding.refused, undefined, `round ${round} (${durability})`)
    t.same(finding.problems, [])
    const { head } = finding
    const lost = acknowledged.filter((done) => head === undefined || !holds(head, done))
    t.same(lost, [], `${acknowledged.length} acknowledged operations are there`)
  }
})

/** The numbers that the child said it had written, up to its last line before it was killed. */
async function writeUntilKilled(path: string, durability: Durability, lines: number) {
  const child = spawn(process.execPath, [childPath, path, 'write', durability], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const acknowledged: number[] = []
  for await (const line of toldLines(child)) {
    if (line !== 'open') acknowledged.push(Number(line))
    if (acknowledged.length === lines) child.kill('SIGKILL')
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return acknowledged
}

/** Numbers whose two records are both there and alike, and those where they are not. */
async function readAll(path: string, durability: Durability) {
  const store = openLmdbStore({ path, durability, clock: systemClock, log: silentLog })
  const [first, second] = await Promise.all(
    [0, 1].map(async (half) => store.read((tx) => numbersOf(tx, half))),
  )
  const count = await store.read(function* (tx) {
    return (yield* tx.count(childCounter)).documents
  })
  await store.close()
  const kept = first ?? new Map<number, string>()
  const torn = [...kept].filter(([number, seen]) => second?.get(number) !== seen)
  return { kept, torn: [...torn, ...(kept.size === second?.size ? [] : ['one side'])], count }
}

function* numbersOf(tx: ReadTx, half: number): Program<Map<number, string>> {
  const found = new Map<number, string>()
  const end = Uint8Array.of(keyClass.record, half + 1)
  for (let start = childKey(half, 0); ; ) {
    const range: KeyRange = { start, end }
    const entries = yield* tx.scan(range, 1_000)
    for (const { key, value } of entries) {
      const number = ((key[2] ?? 0) << 16) | ((key[3] ?? 0) << 8) | (key[4] ?? 0)
      const whole = value.every((byte) => byte === (number & 0xff))
      found.set(number, `${value.length} ${whole}`)
    }
    const last = entries.at(-1)
    if (last === undefined) return found
    start = Uint8Array.of(...last.key, 0)
  }
}
