// Histories of concurrent transactions that append to lists, as Elle checks them: what each one has
// read must fit one order of commits. Transactions and plain writes run against each other, on one
// store and on two gateways over one state.

import t, { type Test } from 'tap'
import { hasKind } from '../../../src/base/errors.js'
import { ObservedStore } from '../../../src/engine/observed-store.js'
import { keyClass } from '../../../src/store/layout.js'
import { openMemoryStore } from '../../../src/store/memory.js'
import type { Program, ReadTx, Store, Tx } from '../../../src/store/store.js'
import { beginTransaction, type Isolation } from '../../../src/store/transactions/transaction.js'
import { LateStore } from '../../support/late-store.js'
import { isLong, seed } from '../../support/seed.js'
import { seededRandom } from '../../support/seeded-random.js'

const lists = 4
const workers = 6
const rounds = isLong ? 200 : 25

const listKey = (list: number) => Uint8Array.of(keyClass.record, list)

/** The ids in a list, in order. */
function* read(tx: ReadTx, list: number): Program<number[]> {
  const bytes = (yield* tx.get(listKey(list))) ?? new Uint8Array()
  return Array.from({ length: bytes.length / 2 }, (_, i) => {
    return (bytes[2 * i] as number) * 256 + (bytes[2 * i + 1] as number)
  })
}

function* append(tx: Tx, list: number, id: number): Program<number[]> {
  const found = yield* read(tx, list)
  const bytes = [...found, id].flatMap((one) => [one >> 8, one & 255])
  tx.put(listKey(list), Uint8Array.from(bytes))
  return found
}

interface Event {
  readonly id: number
  readonly isCommitted: boolean
  readonly isSerializable: boolean
  /** What it has read, by list. */
  readonly reads: ReadonlyMap<number, readonly number[]>
  readonly appended: ReadonlySet<number>
}

interface Workload {
  readonly stores: readonly Store[]
  readonly random: () => number
  readonly events: Event[]
  nextId: number
}

const tick = () => new Promise((resolve) => setImmediate(resolve))

async function transact(work: Workload, store: Store, isolation: Isolation): Promise<void> {
  const { random, events } = work
  const id = ++work.nextId
  const reads = new Map<number, readonly number[]>()
  const appended = new Set<number>()
  const pick = () => Math.floor(random() * lists)
  const transaction = await beginTransaction(store, { isolation })
  let isCommitted = false
  try {
    for (let steps = 1 + Math.floor(random() * 4); steps > 0; steps--) {
      const list = pick()
      if (appended.has(list)) continue
      if (random() < 0.5) reads.set(list, await transaction.read((tx) => read(tx, list)))
      else {
        reads.set(list, await transaction.write((tx) => append(tx, list, id)))
        appended.add(list)
      }
      if (random() < 0.5) await tick()
    }
    if (random() < 0.1) transaction.abort()
    else {
      await transaction.commit()
      isCommitted = true
    }
  } catch (error) {
    if (!hasKind(error, 'WriteConflict')) throw error
  }
  events.push({ id, isCommitted, isSerializable: isolation === 'serializable', reads, appended })
}

/** A plain write of two lists, or of one twice. */
async function write(work: Workload, store: Store): Promise<void> {
  const id = ++work.nextId
  const chosen = new Set([0, 1].map(() => Math.floor(work.random() * lists)))
  const reads = await store.write(function* (tx) {
    const found = new Map<number, readonly number[]>()
    for (const list of chosen) found.set(list, yield* append(tx, list, id))
    return found
  })
  const isSerializable = true
  work.events.push({ id, isCommitted: true, isSerializable, reads, appended: chosen })
}

async function run(stores: readonly Store[], random: () => number): Promise<Workload> {
  const work: Workload = { stores, random, events: [], nextId: 0 }
  const worker = async (n: number) => {
    const store = stores[n % stores.length] as Store
    for (let round = 0; round < rounds; round++) {
      if (random() < 0.2) await write(work, store)
      else await transact(work, store, random() < 0.5 ? 'snapshot' : 'serializable')
    }
  }
  await Promise.all(Array.from({ length: workers }, (_, n) => worker(n)))
  return work
}

async function check(t: Test, { stores, events }: Workload): Promise<void> {
  const final: number[][] = []
  for (let list = 0; list < lists; list++) {
    final.push(await (stores[0] as Store).read((tx) => read(tx, list)))
  }
  const committed = events.filter(({ isCommitted }) => isCommitted)
  const byId = new Map(committed.map((event) => [event.id, event]))
  const problems: string[] = []
  for (const [list, ids] of final.entries()) {
    const expected = committed.filter(({ appended }) => appended.has(list)).map(({ id }) => id)
    const isWhole = [...ids].sort(byNumber).join() === expected.sort(byNumber).join()
    if (!isWhole) problems.push(`list ${list} has ${ids}, not ${expected}`)
  }
  for (const { id, reads, appended, isCommitted } of events) {
    for (const [list, seen] of reads) {
      const whole = final[list] as number[]
      // Nothing dirty is read, and nothing in another order.
      if (seen.join() !== whole.slice(0, seen.length).join()) {
        problems.push(`${id} read ${seen} of list ${list}, which is ${whole}`)
      }
      // No update is lost: it stands right behind what it has read.
      if (isCommitted && appended.has(list) && whole[seen.length] !== id) {
        problems.push(`${id} read ${seen} of list ${list}, and stands elsewhere in ${whole}`)
      }
      problems.push(...tornReads(id, list, seen, { reads, byId }))
    }
  }
  problems.push(...cycles(committed, final))
  const text = `SIGIL_SEED=${seed}: ${committed.length} of ${events.length} committed`
  t.same(problems, [], text)
}

const byNumber = (a: number, b: number) => a - b

/** What it saw of another transaction in one list it must see of it in every list. */
function tornReads(
  id: number,
  list: number,
  seen: readonly number[],
  { reads, byId }: Pick<Event, 'reads'> & { readonly byId: ReadonlyMap<number, Event> },
): string[] {
  const torn: string[] = []
  for (const other of seen) {
    for (const also of byId.get(other)?.appended ?? []) {
      const there = reads.get(also)
      if (there !== undefined && !there.includes(other)) {
        torn.push(`${id} saw ${other} in list ${list}, and not in list ${also}`)
      }
    }
  }
  return torn
}

/** Serializable ones and plain writes have an order that explains all that they read. */
function cycles(committed: readonly Event[], final: readonly number[][]): string[] {
  const strict = committed.filter(({ isSerializable }) => isSerializable)
  const known = new Set(strict.map(({ id }) => id))
  const after = new Map<number, Set<number>>(strict.map(({ id }) => [id, new Set()]))
  const edge = (from: number | undefined, to: number | undefined) => {
    if (from === undefined || to === undefined || from === to) return
    if (known.has(from) && known.has(to)) after.get(from)?.add(to)
  }
  for (const ids of final) for (const [i, id] of ids.entries()) edge(id, ids[i + 1])
  for (const { id, reads } of strict) {
    for (const [list, seen] of reads) {
      edge(seen.at(-1), id)
      // What was appended behind what it read comes after it.
      for (const later of (final[list] ?? []).slice(seen.length)) edge(id, later)
    }
  }
  const state = new Map<number, 'open' | 'done'>()
  const found: string[] = []
  const visit = (id: number): void => {
    if (state.get(id) === 'done') return
    if (state.get(id) === 'open') {
      found.push(`${id} comes before itself`)
      return
    }
    state.set(id, 'open')
    for (const next of after.get(id) ?? []) visit(next)
    state.set(id, 'done')
  }
  for (const id of known) visit(id)
  return found
}

t.test('a history of one store has an order', async (t) => {
  const store = openMemoryStore()
  t.teardown(() => store.close())
  await check(t, await run([new ObservedStore(store)], seededRandom(seed)))
})

t.test('a history of two gateways has an order', async (t) => {
  const first = new LateStore({ seed, conflictChance: 0.2 })
  const second = new LateStore({ seed: seed + 1, conflictChance: 0.2, beside: first })
  t.teardown(() => Promise.all([first.close(), second.close()]))
  const stores = [new ObservedStore(first), new ObservedStore(second)]
  await check(t, await run(stores, seededRandom(seed)))
})
