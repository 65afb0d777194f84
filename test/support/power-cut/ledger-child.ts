// A process that keeps a ledger in a store, for tests that record it, fail its calls or kill it.
// What it was told goes to a file beside the store, so that a journal has it in order, and to
// standard output: lines `done <count> <lane> <number>`, `refused <lane> <code>: <text>`, `head`,
// `read` and `refusing` of what it found, and `closed`.
//
// Usage: ledger-child <room> <durability> <operations> [ms]
// The store is <room>/store, the lines are <room>/told. Timers of a second or more take `ms`
// instead, so that what happens once in a second happens often, or never.

import { openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../../src/base/clock.js'
import { GatewayError } from '../../../src/base/errors.js'
import { silentLog } from '../../../src/base/log.js'
import { openLmdbStore } from '../../../src/store/lmdb.js'
import type { Durability } from '../../../src/store/log/log-sync.js'
import type { Store } from '../../../src/store/store.js'
import { tell } from '../told-lines.js'
import { type Done, lanes, makeLedger, readLedger, runNext } from './ledger.js'

/** A lane gives up after so many refusals in a row. */
const refusalsMax = 4

class Teller {
  private readonly handle: number

  constructor(path: string) {
    this.handle = openSync(path, 'a')
  }

  say(line: string): void {
    writeSync(this.handle, `${line}\n`)
    tell(line)
  }

  refused(lane: string, error: unknown): void {
    const name = error instanceof GatewayError ? error.codeName : 'Error'
    const text = error instanceof Error ? error.message : String(error)
    this.say(`refused ${lane} ${name}: ${text}`)
  }
}

async function keep(store: Store, operations: number, teller: Teller): Promise<void> {
  let left = operations
  const run = async (lane: number) => {
    for (let refusals = 0; left > 0 && refusals < refusalsMax; ) {
      left--
      let done: Done
      try {
        done = await runNext(store, lane)
      } catch (error) {
        teller.refused(String(lane), error)
        refusals++
        continue
      }
      refusals = 0
      teller.say(`done ${done.count} ${done.lane} ${done.number}`)
    }
  }
  await Promise.all(Array.from({ length: lanes }, (_, lane) => run(lane)))
}

async function main(room: string, durability: Durability, operations: number, isWarm: boolean) {
  const teller = new Teller(join(room, 'told'))
  let store: Store
  try {
    store = openLmdbStore({
      path: join(room, 'store'),
      durability,
      clock: systemClock,
      log: silentLog,
    })
  } catch (error) {
    return teller.refused('open', error)
  }
  const found = await readLedger(store)
  teller.say(`head ${found?.head.count ?? -1}`)
  try {
    if (found === undefined) {
      await makeLedger(store)
      if (isWarm) await firstCheckpoint(store)
    }
    await keep(store, operations, teller)
  } catch (error) {
    teller.refused('begin', error)
  }
  await tellReads(store, teller)
  try {
    await store.close()
    teller.say('closed')
  } catch (error) {
    teller.refused('close', error)
  }
}

/** The worker's thread takes its time to start: a short run would be over before its first commit. */
async function firstCheckpoint(store: Store): Promise<void> {
  while (store.stats().log?.checkpoints === 0) await new Promise((resolve) => setImmediate(resolve))
}

/** Reads go on whatever happened to writes. */
async function tellReads(store: Store, teller: Teller): Promise<void> {
  const found = await readLedger(store)
  teller.say(`read ${found?.head.count ?? -1} ${found?.problems.length ?? 0}`)
  teller.say(`refusing ${store.stats().refusing}`)
}

const second = 1_000

function changeSeconds(ms: number): void {
  const { setTimeout: start } = globalThis
  const change = (body: () => void, delay = 0) => start(body, delay >= second ? ms : delay)
  globalThis.setTimeout = Object.assign(change, start) as typeof start
}

const [room, durability, operations, ms, warm] = process.argv.slice(2)
if (room !== undefined && durability !== undefined) {
  if (ms !== undefined) changeSeconds(Number(ms))
  await main(room, durability as Durability, Number(operations), warm === 'warm')
}
