// What is asked of every collection at once: a start asks it of none, a check finds a count that is
// wrong, and figures over all are exact and read in turns.

import t from 'tap'
import type { Bytes } from '../../../../src/base/bytes/bytes.js'
import { silentLog } from '../../../../src/base/log.js'
import { checkStore } from '../../../../src/engine/check/check.js'
import {
  createAnyNamespace,
  dropNamespace,
  findNamespace,
  renameNamespace,
  saveAccess,
} from '../../../../src/engine/collection/catalog/catalog.js'
import { countOwners } from '../../../../src/engine/collection/catalog/catalog-upgrade-job.js'
import { emptyDocument } from '../../../../src/engine/collection/catalog/descriptors.js'
import {
  addHolding,
  holdingOf,
  replacementPrefix,
} from '../../../../src/engine/collection/catalog/holdings.js'
import { homeOf } from '../../../../src/engine/collection/catalog/homes.js'
import { uuidOfName } from '../../../../src/engine/collection/catalog/server-collections.js'
import { Totals } from '../../../../src/engine/collection/catalog/totals.js'
import { Engine } from '../../../../src/engine/engine.js'
import { parseIndexSpecs } from '../../../../src/engine/index/index-spec.js'
import { declareIndexes } from '../../../../src/engine/index/indexes.js'
import type { Namespace } from '../../../../src/engine/types.js'
import { keyClass } from '../../../../src/store/layout.js'
import { PassingTx } from '../../../../src/store/passing-tx.js'
import type { KeyRange, Program, Store, Tx } from '../../../../src/store/store.js'
import {
  countingRandom,
  createOptions,
  indexSpecs,
  ManualClock,
  Room,
  tickPace,
} from '../../../support/engine-room.js'
import { eachStore } from '../../../support/stores.js'

const alice = '0x52908400098527886E0F7030069857D2E4169EE7'
const bob = '0x8617E340B3D01FA5F11F306F4090FD50E238070D'
const homes = 30

async function make(store: Store, db: string, name: string, owner: string | null): Promise<void> {
  const options = { mode: 'private', now: 0, options: emptyDocument } as const
  await store.write(function* (tx) {
    yield* createAnyNamespace(tx, db, name, { ...options, owner, uuid: uuidOfName(db, name) })
  })
}

const isDescriptor = (key: Bytes) => key[0] === keyClass.catalog && key[1] === 0x01

/** Notes which descriptors are read, and whether by a walk. */
class WatchedTx extends PassingTx {
  constructor(
    inner: Tx,
    private readonly seen: string[],
  ) {
    super(inner)
  }

  override get(key: Bytes) {
    if (isDescriptor(key)) this.seen.push(Buffer.from(key.subarray(2)).toString())
    return super.get(key)
  }

  override scan(range: KeyRange, limit: number) {
    if (isDescriptor(range.start) && limit > 1) this.seen.push('walk')
    return super.scan(range, limit)
  }

  override scanOwn(range: KeyRange, limit: number) {
    if (isDescriptor(range.start) && limit > 1) this.seen.push('walk')
    return super.scanOwn(range, limit)
  }
}

function watched(store: Store, seen: string[]): Store {
  const run = (method: 'read' | 'write') => {
    return (program: (tx: Tx) => never, ...rest: never[]) =>
      store[method]((tx) => program(new WatchedTx(tx as Tx, seen)), ...rest)
  }
  return new Proxy(store, {
    get(target, name) {
      if (name === 'read' || name === 'write') return run(name)
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

await eachStore(
  t,
  'a start reads what is unfinished, whatever else there is',
  async (t, { store }) => {
    for (let i = 0; i < homes; i++) {
      await make(store, homeOf(`0x${i.toString(16).padStart(40, 'a')}`), 'notes', null)
    }
    const start = async (on: Store): Promise<void> => {
      const engine = new Engine({
        ...{ store: on, clock: new ManualClock(), random: countingRandom },
        ...{ log: silentLog, pace: tickPace },
      })
      await engine.start()
      await engine.close()
    }
    await start(store)
    const seen: string[] = []
    await start(watched(store, seen))
    t.same(seen, [], 'nothing is unfinished')

    const room = new Room(store)
    await room.insert({ _id: 1, a: 1 })
    const specs = parseIndexSpecs(indexSpecs([{ a: 1 }]))
    await store.write((tx) => declareIndexes(tx, 'main', 'things', specs, createOptions))
    await make(store, 'main', `${replacementPrefix}1`, alice)
    await start(watched(store, seen))
    t.notOk(seen.includes('walk'), 'no walk finds them')
    t.same(new Set(seen), new Set(['main\0things', `main\0${replacementPrefix}1`]))
    const left = await store.read((tx) => findNamespace(tx, 'main', `${replacementPrefix}1`))
    t.equal(left, undefined, 'a replacement that a crash has left is dropped')
  },
)

await eachStore(t, 'how many collections an owner has moves with them', async (t, { store }) => {
  const engine = new Engine({
    ...{ store, clock: new ManualClock(), random: countingRandom, log: silentLog, pace: tickPace },
  })
  await engine.start()
  await engine.close()
  const held = async () => [
    (await store.read((tx) => holdingOf(tx, alice))).collections,
    (await store.read((tx) => holdingOf(tx, bob))).collections,
  ]
  const change = (name: string, program: (tx: Tx, ns: Namespace) => Program<unknown>) =>
    store.write(function* (tx) {
      const ns = yield* findNamespace(tx, 'main', name)
      if (ns !== undefined) yield* program(tx, ns)
    })
  for (const name of ['a', 'b', 'kv3', `${replacementPrefix}2`])
    await make(store, homeOf(alice), name, alice)
  for (const name of ['a', 'b']) await make(store, 'main', name, alice)
  t.same(await held(), [4, 0], 'key-value databases and replacements are none')
  await change('a', (tx, ns) => renameNamespace(tx, ns, 'main', 'b', true))
  t.same(await held(), [3, 0], 'renamed over another')
  await change('b', (tx, ns) => saveAccess(tx, ns, { ...ns.access, owner: bob }))
  t.same(await held(), [2, 1], 'given to another')
  await change('b', (tx, ns) => dropNamespace(tx, ns))
  t.same(await held(), [2, 0], 'dropped')
  t.same(await checkStore(store), [])
  await store.write(function* (tx) {
    addHolding(tx, { name: 'x', access: { owner: alice, mode: 'private', roles: {} } }, 1)
  })
  const text = `${alice} has 2 collections and 0 graphs, counted as 3 and 0`
  t.match(await checkStore(store), [{ kind: 'count', text }], 'a wrong count is found')
})

await eachStore(
  t,
  'figures over all are exact, and a long walk is not made for each',
  async (t, { store }) => {
    const room = new Room(store)
    await room.insert({ _id: 1 }, { _id: 2 })
    const clock = new ManualClock()
    const totals = new Totals(store, clock)
    t.match(await totals.read(), { documents: 2 })
    await room.insert({ _id: 3 })
    t.match(await totals.read(), { documents: 3 }, 'at once')
    const slow = new Totals(store, { now: clock.now, elapsed: () => (elapsed += 100) })
    let elapsed = 0
    t.match(await slow.read(), { documents: 3 })
    await room.insert({ _id: 4 })
    t.match(await slow.read(), { documents: 3 }, 'a walk took long: its figures stand for a while')
    elapsed += 20_000
    t.match(await slow.read(), { documents: 4 })
  },
)

const many = 1_200

await eachStore(t, 'a folder of before is counted page by page', async (t, { store }) => {
  for (let from = 0; from < many; from += 100) {
    await store.write(function* (tx) {
      for (let i = from; i < from + 100; i++) {
        const [db, name] = ['main', `c${i}`]
        const options = { mode: 'private', now: 0, options: emptyDocument } as const
        const made = { ...options, owner: alice, uuid: uuidOfName(db, name) }
        const ns = yield* createAnyNamespace(tx, db, name, made)
        // As an older Sigil has made it.
        addHolding(tx, ns, -1)
      }
    })
  }
  const interrupted = new Error('a crash')
  let writes = 0
  const crashing: Store = new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        if (name === 'write' && ++writes > 3) throw interrupted
        return value.apply(target, args)
      }
    },
  })
  await t.rejects(countOwners(crashing), interrupted, 'between two pages')
  await countOwners(store)
  await countOwners(store)
  t.same(await store.read((tx) => holdingOf(tx, alice)), { collections: many, graphs: 0 })
  t.same(await checkStore(store), [])
})
