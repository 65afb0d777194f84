// A process that reads stores whose pages were damaged and says what it got: LMDB may end the
// process that walks over a damaged page. A line of JSON in is a request, a line out the answer.

import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { systemClock } from '../../src/base/clock.js'
import { toGatewayError } from '../../src/base/errors.js'
import { silentLog } from '../../src/base/log.js'
import { openLmdbStore } from '../../src/store/lmdb.js'
import type { Entry, Store } from '../../src/store/store.js'
import { type FlipFinding, type FlipRequest, flippedPairs } from './flips.js'

const options = { durability: 'commit', clock: systemClock, log: silentLog } as const
const pairs = flippedPairs()
const stepPairs = 100
let running: Store[] = []

async function answer(request: FlipRequest): Promise<FlipFinding[]> {
  if (request.kind === 'stopped') return [await stopped(request.path)]
  if (request.kind === 'open') {
    running = request.paths.map((path) => openLmdbStore({ path, ...options }))
    const findings: FlipFinding[] = []
    for (const store of running) findings.push(await look(store, false))
    return findings
  }
  const findings: FlipFinding[] = []
  for (const store of running) {
    const before = store.stats().log?.scrubs ?? 0
    while (store.stats().refusing === undefined) {
      if ((store.stats().log?.scrubs ?? 0) >= before + 2) break
      await pause(20)
    }
    findings.push(await look(store))
    await store.close()
  }
  return findings
}

async function stopped(path: string): Promise<FlipFinding> {
  let store: Store
  try {
    store = openLmdbStore({ path, ...options })
  } catch (error) {
    return { wrong: [], named: [toGatewayError(error).message] }
  }
  try {
    return await look(store)
  } finally {
    await store.close()
  }
}

/** Everything by ranges, some of it by key; and a write and a backup. */
async function look(store: Store, isWhole = true): Promise<FlipFinding> {
  const wrong: string[] = []
  const named: string[] = []
  const note = (error: unknown) => {
    const { message } = toGatewayError(error)
    if (/damaged/.test(message)) named.push(message)
    else wrong.push(message)
  }
  for (let from = 0; from < pairs.length; from += stepPairs) {
    try {
      compare(await scan(store, from), from, wrong)
    } catch (error) {
      note(error)
    }
  }
  for (let at = 0; at < pairs.length; at += 7) {
    const { key, value } = pairs[at] as Entry
    try {
      const found = await store.read(function* (tx) {
        return yield* tx.get(key)
      })
      if (!isSame(found, value))
        wrong.push(`pair ${at} is ${found === undefined ? 'gone' : 'other'}`)
    } catch (error) {
      note(error)
    }
  }
  if (!isWhole) return { wrong, named }
  try {
    const { key, value } = pairs[1] as Entry
    await store.write(function* (tx) {
      tx.put(key, value)
    })
    for await (const _ of await backupOf(store));
  } catch (error) {
    note(error)
  }
  return { wrong, named: [...new Set(named)] }
}

function backupOf(store: Store) {
  if (store.backup === undefined) throw new Error('a store in a folder has backups')
  return store.backup({ sigil: 'test', bytesPerSecond: 1e12 })
}

async function scan(store: Store, from: number): Promise<Entry[]> {
  const start = (pairs[from] as Entry).key
  const last = (pairs[Math.min(from + stepPairs, pairs.length) - 1] as Entry).key
  const end = new Uint8Array(last.length + 1)
  end.set(last)
  return store.read(function* (tx) {
    return yield* tx.scan({ start, end }, 2 * stepPairs)
  })
}

function compare(entries: Entry[], from: number, wrong: string[]): void {
  const wanted = pairs.slice(from, from + stepPairs)
  if (entries.length !== wanted.length) {
    wrong.push(`a scan from ${from} answers ${entries.length} of ${wanted.length}`)
    return
  }
  for (const [at, { key, value }] of wanted.entries()) {
    const found = entries[at]
    if (!isSame(found?.key, key) || !isSame(found?.value, value))
      wrong.push(`pair ${from + at} is other`)
  }
}

function isSame(found: Uint8Array | undefined, wanted: Uint8Array): boolean {
  return found !== undefined && Buffer.compare(found, wanted) === 0
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await answer(JSON.parse(line) as FlipRequest))}\n`)
}
