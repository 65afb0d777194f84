// A collection that is written beside the one whose place it takes: what ends it early, and what a
// crash leaves of it.

import t from 'tap'
import { silentLog } from '../../../src/base/log.js'
import {
  findNamespace,
  listNamespaces,
  shownNamespaces,
} from '../../../src/engine/collection/catalog/catalog.js'
import {
  beginReplacement,
  finishReplacement,
  type Replaced,
  temporaryName,
} from '../../../src/engine/collection/replacement.js'
import { Engine } from '../../../src/engine/engine.js'
import { countingRandom, createOptions, ManualClock, tickPace } from '../../support/engine-room.js'
import { ReadingRoom } from '../../support/reading.js'
import { eachStore } from '../../support/stores.js'

const temporary = temporaryName(new Uint8Array(16).fill(7))
const replaced: Replaced = { db: 'main', name: 'things', temporary, creation: createOptions }

await eachStore(
  t,
  'what a crash leaves is not listed, and gone at the next start',
  async (t, { store }) => {
    const room = new ReadingRoom(store)
    await room.insert({ _id: 1 })
    await store.write((tx) => beginReplacement(tx, replaced))
    const named = async (list: typeof listNamespaces) =>
      (await store.read((tx) => list(tx))).map(({ name }) => name)
    t.same(await named(listNamespaces), [temporary, 'things'].sort())
    t.same(await named(shownNamespaces), ['things'])
    const random = countingRandom
    const engine = new Engine({
      ...{ store, random, log: silentLog, pace: tickPace, clock: new ManualClock() },
    })
    await engine.start()
    // On a store that gateways share, that of the crash counts as alive for a while.
    const left = store.gateways === undefined ? [] : [temporary]
    t.same(await named(listNamespaces), [...left, 'things'].sort())
    await engine.close()
  },
)

await eachStore(t, 'indexes that change meanwhile end it', async (t, { store }) => {
  const room = new ReadingRoom(store)
  await room.insert({ _id: 1, a: 1 })
  await room.index([{ a: 1 }])
  const before = await store.write((tx) => beginReplacement(tx, replaced))
  t.equal(before.length, 1)
  await room.index([{ b: 1 }])
  await t.rejects(
    store.write((tx) => finishReplacement(tx, replaced, before)),
    { code: 28769 },
  )
  t.same(await room.ids({}), [1])
})

await eachStore(
  t,
  'the owner, the mode and the roles are those of the collection',
  async (t, { store }) => {
    const room = new ReadingRoom(store)
    await room.insert({ _id: 1 })
    const access = (await room.get()).access
    const creation = { ...createOptions, owner: '0x1111111111111111111111111111111111111111' }
    const before = await store.write((tx) => beginReplacement(tx, { ...replaced, creation }))
    await store.write((tx) => finishReplacement(tx, replaced, before))
    t.same((await room.get()).access, access)
    t.same(await room.ids({}), [])
    t.equal(await store.read((tx) => findNamespace(tx, 'main', temporary)), undefined)
  },
)
