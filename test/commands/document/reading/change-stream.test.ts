// Change streams over the command bus, on every store: nothing is recorded without a watcher, and
// the events of a database, replayed, give its state.

import { Long } from 'bson'
import t from 'tap'
import { newestTime } from '../../../../src/engine/changes/recording.js'
import { changeRange } from '../../../../src/store/layout.js'
import type { Store } from '../../../../src/store/store.js'
import { type CommandRoom, eachRoom, type Reply } from '../../../support/command-room.js'
import { seed } from '../../../support/seed.js'
import { seededRandom } from '../../../support/seeded-random.js'

const router = { services: { topology: 'router' } } as const

/** A stream that is read until the log has no more. */
class Watcher {
  private constructor(
    private readonly room: CommandRoom,
    private readonly id: Long,
    private readonly ns: string,
  ) {}

  static async open(room: CommandRoom, collection?: string, options = {}): Promise<Watcher> {
    const pipeline = [{ $changeStream: options }]
    const { cursor } = await room.run({ aggregate: collection ?? 1, pipeline, cursor: {} })
    const id = Long.fromNumber(Number(cursor.id))
    return new Watcher(room, id, collection ?? '$cmd.aggregate')
  }

  async read(): Promise<Reply[]> {
    const events: Reply[] = []
    for (;;) {
      const more = { getMore: this.id, collection: this.ns, maxTimeMS: 1 }
      const { cursor } = await this.room.run(more)
      events.push(...cursor.nextBatch)
      if (cursor.nextBatch.length === 0 || Number(cursor.id) === 0) return events
    }
  }
}

async function recordsIn(store: Store): Promise<number> {
  const found = await store.read(function* (tx) {
    return yield* tx.scan(changeRange, 1_000)
  })
  return found.length
}

async function everyKindOfWrite(room: CommandRoom, collection: string): Promise<void> {
  await room.insert(collection, { _id: 1 }, { _id: 2 })
  const updates = [{ q: { _id: 1 }, u: { $set: { n: 1 } } }]
  await room.run({ update: collection, updates })
  await room.run({ update: collection, updates: [{ q: { _id: 1 }, u: { n: 2 } }] })
  await room.run({ delete: collection, deletes: [{ q: { _id: 2 }, limit: 1 }] })
  const target = `${collection}2`
  const to = { renameCollection: `test.${collection}`, to: `test.${target}` }
  await room.run(to, 'admin')
  await room.run({ aggregate: target, pipeline: [{ $out: 'made' }], cursor: {} })
  await room.run({ drop: target })
  await room.run({ drop: 'made' })
}

eachRoom(
  t,
  'no record is written while nothing is watched, nor beside what is watched',
  async (t, room, { store }) => {
    await everyKindOfWrite(room, 'free')
    t.equal(await recordsIn(store), 0)
    await Watcher.open(room, 'watched')
    t.equal(await recordsIn(store), 1, 'the beginning')
    await everyKindOfWrite(room, 'free')
    t.equal(await recordsIn(store), 1)
    await room.insert('watched', { _id: 1 })
    t.equal(await recordsIn(store), 3, 'its creation and the document')
    await room.run({ aggregate: 1, pipeline: [{ $changeStream: {} }], cursor: {} }, 'other')
    await everyKindOfWrite(room, 'free')
    t.equal(await recordsIn(store), 4, 'the beginning of another database')
  },
  router,
)

eachRoom(t, 'a standalone server refuses the stage', async (t, room) => {
  const watch = { aggregate: 'c', pipeline: [{ $changeStream: {} }], cursor: {} }
  t.same((await room.fails(watch))[0], 40573)
})

eachRoom(
  t,
  'the events of a database, replayed, give its state',
  async (t, room) => {
    const random = seededRandom(seed)
    const upTo = (n: number) => Math.floor(random() * n)
    const names = ['a', 'b', 'c']
    await room.insert('a', { _id: 0, n: 0 })
    const watcher = await Watcher.open(room)
    const model = new Map<string, Map<number, Reply>>([['a', new Map([[0, { _id: 0, n: 0 }]])]])
    for (let step = 0; step < 150; step++) {
      const name = names[upTo(names.length)] as string
      await oneWrite(room, name, upTo)
      if (random() < 0.2) replay(model, await watcher.read())
    }
    replay(model, await watcher.read())
    for (const name of names) {
      const state = await room.all(name)
      const replayed = [...(model.get(name)?.values() ?? [])]
      t.same(
        replayed.sort((one, other) => one._id - other._id),
        state,
        `${name}, seed ${seed}`,
      )
    }
  },
  router,
)

async function oneWrite(
  room: CommandRoom,
  name: string,
  upTo: (n: number) => number,
): Promise<void> {
  const _id = upTo(8)
  const update = (u: unknown, upsert = false) =>
    room.run({ update: name, updates: [{ q: { _id }, u, upsert }] })
  switch (upTo(11)) {
    case 0:
      await room.run({ insert: name, documents: [{ _id, n: upTo(9) }, { _id: _id + 1 }] })
      return
    case 1:
      await update({ $set: { [`f${upTo(3)}`]: { x: upTo(9), list: [1, upTo(3)] } } }, true)
      return
    case 2:
      await update({ $set: { [`f${upTo(3)}.x`]: upTo(9) } })
      return
    case 3:
      await update({ $unset: { [`f${upTo(3)}`]: 1 } })
      return
    case 4:
      await update({ n: upTo(9), text: 'replaced' }, true)
      return
    case 5:
      await room.run({ update: name, updates: [{ q: {}, u: { $inc: { n: 1 } }, multi: true }] })
      return
    case 6:
      await room.run({ delete: name, deletes: [{ q: { _id }, limit: 1 }] })
      return
    case 7:
      await room.run({ findAndModify: name, query: { _id }, remove: true })
      return
    case 8: {
      if (upTo(3) > 0) return
      await room.run({ drop: name })
      return
    }
    case 9: {
      const to = { renameCollection: `test.${name}`, to: 'test.c', dropTarget: true }
      if (name !== 'c') await room.run(to, 'admin').catch(() => undefined)
      return
    }
    default:
      await room.run({ aggregate: name, pipeline: [{ $out: 'b' }], cursor: {} })
  }
}

function replay(model: Map<string, Map<number, Reply>>, events: readonly Reply[]): void {
  for (const event of events) {
    const documents = model.get(event.ns.coll) ?? new Map<number, Reply>()
    model.set(event.ns.coll, documents)
    const id = event.documentKey?._id
    switch (event.operationType) {
      case 'insert':
      case 'replace':
        documents.set(id, event.fullDocument)
        break
      case 'update':
        documents.set(id, updated(documents.get(id) as Reply, event.updateDescription))
        break
      case 'delete':
        documents.delete(id)
        break
      case 'drop':
        model.delete(event.ns.coll)
        break
      case 'rename':
        model.delete(event.ns.coll)
        model.set(event.to.coll, documents)
        break
      default:
        throw new Error(`an unexpected event: ${event.operationType}`)
    }
  }
}

function updated(before: Reply, { updatedFields, removedFields, truncatedArrays }: Reply): Reply {
  const after = structuredClone(before)
  const at = (path: string) => {
    const parts = path.split('.')
    const last = parts.pop() as string
    return { holder: parts.reduce((inner, name) => inner[name], after), last }
  }
  for (const { field, newSize } of truncatedArrays) {
    const { holder, last } = at(field)
    holder[last].length = newSize
  }
  for (const path of removedFields) delete at(path).holder[at(path).last]
  for (const [path, value] of Object.entries(updatedFields)) {
    const { holder, last } = at(path)
    holder[last] = value
  }
  return after
}

eachRoom(
  t,
  'large documents stay in the log after they were replaced and removed',
  async (t, room, { store }) => {
    const watcher = await Watcher.open(room, 'large')
    const text = 'x'.repeat(400_000)
    await room.insert('large', { _id: 1, text })
    await room.run({ update: 'large', updates: [{ q: { _id: 1 }, u: { other: text } }] })
    await room.run({ delete: 'large', deletes: [{ q: { _id: 1 }, limit: 1 }] })
    const events = await watcher.read()
    t.same(
      events.map(({ operationType }) => operationType),
      ['insert', 'replace', 'delete'],
    )
    t.equal(events[0]?.fullDocument.text, text)
    t.equal(events[1]?.fullDocument.other, text)
    t.ok((await store.read(newestTime)) !== undefined)
  },
  router,
)

eachRoom(
  t,
  'a stage that has one read concern takes no other',
  async (t, room) => {
    const only = { $changeStream: 'majority', $currentOp: 'local', $listLocalSessions: 'local' }
    for (const [stage, level] of Object.entries(only)) {
      const target = stage === '$currentOp' ? 'admin' : 'test'
      const asked = { aggregate: 1, pipeline: [{ [stage]: {} }], cursor: {} }
      for (const other of ['local', 'majority', 'linearizable'].filter((one) => one !== level)) {
        const refused = await room.refusal({ ...asked, readConcern: { level: other } }, target)
        const text = `Aggregation stage ${stage} cannot run with a readConcern other than '${level}'. `
        t.match(refused, { code: 72, message: `${text}Current readConcern: ${other}` })
      }
      for (const readConcern of [{}, { level }]) {
        t.match(await room.run({ ...asked, readConcern }, target), { ok: 1 })
      }
    }
  },
  router,
)
