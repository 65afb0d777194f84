// The engine as one thing: what a start takes up and what a close leaves.

import { setImmediate as tick } from 'node:timers/promises'
import t from 'tap'
import { silentLog } from '../../src/base/log.js'
import { checkStore } from '../../src/engine/check/check.js'
import { dropNamespace } from '../../src/engine/collection/catalog/catalog.js'
import { Engine } from '../../src/engine/engine.js'
import { parseIndexSpecs } from '../../src/engine/index/index-spec.js'
import { declareIndexes } from '../../src/engine/index/indexes.js'
import { keyClass } from '../../src/store/layout.js'
import {
  countingRandom,
  createOptions,
  indexSpecs,
  keysOfClasses,
  ManualClock,
  Room,
  tickPace,
} from '../support/engine-room.js'
import { eachStore } from '../support/stores.js'

await eachStore(
  t,
  'a start finishes builds and deletions of the process before',
  async (t, { store }) => {
    const room = new Room(store)
    const gone = new Room(store, 'main', 'gone')
    for (let id = 0; id < 20; id++) {
      await room.insert({ _id: id, a: id % 3 })
      await gone.insert({ _id: id })
    }
    const specs = parseIndexSpecs(indexSpecs([{ a: 1 }]))
    await store.write((tx) => declareIndexes(tx, 'main', 'things', specs, createOptions))
    const dropped = await gone.get()
    await store.write((tx) => dropNamespace(tx, dropped))
    const clock = new ManualClock()
    const parts = { store, clock, random: countingRandom, log: silentLog, pace: tickPace }
    const engine = new Engine(parts)
    await engine.start()
    while ((await room.get()).indexes[0]?.state !== 'ready') await tick()
    while ((await keysOfClasses(store, keyClass.garbage)).length > 0) await tick()
    await engine.close()
    t.equal((await keysOfClasses(store, keyClass.record)).length, 20)
    t.equal((await keysOfClasses(store, keyClass.entry)).length, 20)
    t.same(await checkStore(store), [])
  },
)

await eachStore(
  t,
  'a closed engine leaves the store open and its data sound',
  async (t, { store }) => {
    const engine = new Engine({
      store,
      clock: new ManualClock(),
      random: countingRandom,
      log: silentLog,
      pace: tickPace,
    })
    await engine.start()
    const made = await engine.builds.ensure('main', 'things', indexSpecs([{ a: 1 }]))
    t.same(made, { before: 1, after: 2, created: true })
    await engine.close()
    await new Room(store).insert({ _id: 1, a: 1 })
    t.same(await checkStore(store), [])
  },
)
