// Updates and deletes as commands run them: what is found, what is left alone, and what happens
// when another client is faster.

import fc from 'fast-check'
import t from 'tap'
import { systemClock } from '../../../src/base/clock.js'
import { checkStore } from '../../../src/engine/check/check.js'
import { dropNamespace, findNamespace } from '../../../src/engine/collection/catalog/catalog.js'
import {
  deleteFirst,
  deleteMany,
  deleteOne,
  updateFirst,
  updateMany,
  updateOne,
} from '../../../src/engine/modify/modify.js'
import type { Changed, UpdateResult, UpdateSpec } from '../../../src/engine/modify/modify-spec.js'
import { compileUpdate } from '../../../src/query/update.js'
import { openMemoryStore } from '../../../src/store/memory.js'
import type { Store } from '../../../src/store/store.js'
import type { Sweep } from '../../../src/store/sweep.js'
import { valueFrom } from '../../../src/value/literal.js'
import { createOptions } from '../../support/engine-room.js'
import { toJs, toObject } from '../../support/literal.js'
import { compiled, context, type PlainQuery, ReadingRoom } from '../../support/reading.js'
import { runs } from '../../support/runs.js'
import { eachStore } from '../../support/stores.js'

type Plain = Readonly<Record<string, unknown>>

const target = { db: 'main', name: 'things', creation: createOptions }

function specOf(query: PlainQuery, update: unknown, upsert = false): UpdateSpec {
  const inner = { ...context, objectId: () => new Uint8Array(12).fill(1) }
  return {
    ...compiled(query),
    update: compileUpdate(valueFrom(update), { context: inner, isUpsert: upsert }),
    upsert,
    context: inner,
  }
}

/** Runs a sweep to its end; `between` runs after each phase, with the number of phases done. */
async function run<T>(
  store: Store,
  sweep: Sweep<T>,
  between: (done: number) => Promise<unknown> = async () => {},
): Promise<T> {
  let next = sweep.next()
  for (let done = 1; next.done !== true; done++) {
    const phase = next.value
    let result: unknown
    try {
      result =
        phase.mode === 'read' ? await store.read(phase.program) : await store.write(phase.program)
      await between(done)
    } catch (error) {
      next = sweep.throw(error)
      continue
    }
    next = sweep.next(result)
  }
  return next.value
}

function shown(changed: Changed | undefined): unknown {
  if (changed === undefined) return undefined
  const { before, after, upsertedId } = changed
  return {
    before: before === undefined ? undefined : toObject(before),
    after: after === undefined ? undefined : toObject(after),
    ...(upsertedId === undefined ? {} : { upsertedId: toJs(upsertedId) }),
  }
}

async function all(room: ReadingRoom): Promise<unknown[]> {
  return (await room.ask({ hint: { $natural: 1 } })).documents
}

const figures = ({ matched, modified, upsertedId }: UpdateResult): unknown =>
  upsertedId === undefined ? [matched, modified] : [matched, modified, toJs(upsertedId)]

await eachStore(
  t,
  'one update finds its document by _id, by a unique key, or by search',
  async (t, { store }) => {
    const room = new ReadingRoom(store)
    await room.insert({ _id: 1, u: 'a', n: 1 }, { _id: 2, u: 'b', n: 1 }, { _id: 3, u: 'c', n: 1 })
    await room.index([{ u: 1 }, { unique: true }])
    const set = { $set: { n: 2 } }
    t.same(
      figures(await run(store, updateOne(target, specOf({ filter: { _id: 2 } }, set)))),
      [1, 1],
    )
    t.same(
      figures(await run(store, updateOne(target, specOf({ filter: { _id: 2 } }, set)))),
      [1, 0],
    )
    t.same(
      figures(await run(store, updateOne(target, specOf({ filter: { u: 'c' } }, set)))),
      [1, 1],
    )
    t.same(figures(await run(store, updateOne(target, specOf({ filter: { n: 1 } }, set)))), [1, 1])
    t.same(figures(await run(store, updateOne(target, specOf({ filter: { n: 1 } }, set)))), [0, 0])
    t.same(
      figures(await run(store, updateOne(target, specOf({ filter: { _id: 9 } }, set)))),
      [0, 0],
    )
    t.same(await all(room), [
      { _id: 1, u: 'a', n: 2 },
      { _id: 2, u: 'b', n: 2 },
      { _id: 3, u: 'c', n: 2 },
    ])
    t.same(await checkStore(store), [])
  },
)

await eachStore(
  t,
  'many are updated, each once, whatever index leads to them',
  async (t, { store }) => {
    for (const hint of [{ $natural: 1 }, { a: 1 }, undefined]) {
      const room = new ReadingRoom(store, 'main', 'things')
      for (const { _id } of (await room.ask({})).documents) await room.remove(_id)
      await room.insert(...Array.from({ length: 700 }, (_, i) => ({ _id: i, a: i })))
      await room.index([{ a: 1 }])
      // The Halloween problem: every change moves the document forward in the index that found it.
      const spec = specOf({ filter: { a: { $gte: 50 } }, hint }, { $inc: { a: 1_000 } })
      t.same(figures(await run(store, updateMany(target, spec))), [650, 650])
      const values = (await all(room)).map((one) => (one as { a: number }).a)
      t.same(
        values,
        Array.from({ length: 700 }, (_, i) => (i < 50 ? i : i + 1_000)),
      )
      t.same(await checkStore(store), [])
    }
  },
)

await eachStore(t, 'a pipeline update moves documents only once', async (t, { store }) => {
  const room = new ReadingRoom(store)
  await room.insert(...Array.from({ length: 600 }, (_, i) => ({ _id: i, a: i })))
  await room.index([{ a: 1 }])
  const pipeline = [{ $set: { a: { $add: ['$a', 10] } } }]
  const result = await run(
    store,
    updateMany(target, specOf({ filter: { a: { $gte: 0 } } }, pipeline)),
  )
  t.same(figures(result), [600, 600])
  t.same(
    (await all(room)).map((one) => (one as { a: number }).a),
    Array.from({ length: 600 }, (_, i) => i + 10),
  )
})

await eachStore(t, 'many are deleted, by filter or all', async (t, { store }) => {
  const room = new ReadingRoom(store)
  await room.insert(...Array.from({ length: 230 }, (_, i) => ({ _id: i, a: i % 2, b: [i, i + 1] })))
  await room.index([{ b: 1 }])
  t.equal(await run(store, deleteMany(target, compiled({ filter: { a: 1 } }))), 115)
  t.equal(await run(store, deleteMany(target, compiled({ filter: { b: { $gte: 200 } } }))), 15)
  t.equal(await room.count({}), 100)
  t.equal(await run(store, deleteMany(target, compiled({}))), 100)
  t.equal(await run(store, deleteMany(target, compiled({}))), 0)
  t.same(await all(room), [])
  t.same(await checkStore(store), [])
})

await eachStore(t, 'an error in a multi update keeps what came before it', async (t, { store }) => {
  const room = new ReadingRoom(store)
  await room.insert({ _id: 1, n: 1 }, { _id: 2, n: 1 }, { _id: 3, n: 'x' }, { _id: 4, n: 1 })
  const sweep = updateMany(target, specOf({}, { $inc: { n: 1 } }))
  await t.rejects(run(store, sweep), { code: 14 })
  t.same(await all(room), [
    { _id: 1, n: 2 },
    { _id: 2, n: 2 },
    { _id: 3, n: 'x' },
    { _id: 4, n: 1 },
  ])
  await room.index([{ u: 1 }])
  await room.insert({ _id: 5, u: 1 })
  t.same(await checkStore(store), [])
})

await eachStore(t, 'a duplicate in a multi update stops there', async (t, { store }) => {
  const room = new ReadingRoom(store)
  await room.insert(...[1, 2, 3].map((i) => ({ _id: i, u: i, n: 0 })))
  await room.index([{ u: 1 }, { unique: true }])
  const sweep = updateMany(target, specOf({}, { $set: { u: 9 }, $inc: { n: 1 } }))
  await t.rejects(run(store, sweep), { code: 11000 })
  t.same(
    (await all(room)).map((one) => (one as { n: number }).n),
    [1, 0, 0],
  )
  t.same(await checkStore(store), [])
})

await eachStore(
  t,
  'findAndModify takes the first by sort, and gives before and after',
  async (t, { store }) => {
    const room = new ReadingRoom(store)
    await room.insert(
      { _id: 1, p: 2, s: 'new' },
      { _id: 2, p: 5, s: 'new' },
      { _id: 3, p: 3, s: 'new' },
    )
    const next = { filter: { s: 'new' }, sort: { p: -1 } }
    const claim = { $set: { s: 'taken' } }
    t.same(shown(await run(store, updateFirst(target, specOf(next, claim)))), {
      before: { _id: 2, p: 5, s: 'new' },
      after: { _id: 2, p: 5, s: 'taken' },
    })
    await room.index([{ s: 1, p: 1 }])
    t.same(shown(await run(store, updateFirst(target, specOf(next, claim)))), {
      before: { _id: 3, p: 3, s: 'new' },
      after: { _id: 3, p: 3, s: 'taken' },
    })
    t.same(shown(await run(store, deleteFirst(target, compiled({ filter: {}, sort: { p: 1 } })))), {
      before: { _id: 1, p: 2, s: 'new' },
      after: undefined,
    })
    t.equal(await run(store, updateFirst(target, specOf(next, claim))), undefined)
    t.equal(await run(store, deleteOne(target, compiled({ filter: { s: 'taken' } }))), 1)
  },
)

await eachStore(
  t,
  'a candidate that changes before its write is looked for again',
  async (t, { store }) => {
    const room = new ReadingRoom(store)
    await room.insert({ _id: 1, n: 1 }, { _id: 2, n: 1 }, { _id: 3, n: 1 })
    const searched = specOf({ filter: { n: 1 } }, { $set: { n: 2 } })
    let disturbed = false
    const result = await run(store, updateFirst(target, searched), async () => {
      if (disturbed) return
      disturbed = true
      await room.replace({ _id: 1, n: 7 })
      await room.remove(2)
    })
    t.match(shown(result), { after: { _id: 3, n: 2 } })
    t.same(await all(room), [
      { _id: 1, n: 7 },
      { _id: 3, n: 2 },
    ])
  },
)

await eachStore(
  t,
  'by sort, a candidate whose place has changed is chosen anew',
  async (t, { store }) => {
    const room = new ReadingRoom(store)
    await room.insert({ _id: 1, p: 1, n: 1 }, { _id: 2, p: 2, n: 1 })
    let disturbed = false
    const sorted = specOf({ filter: { n: 1 }, sort: { p: 1 } }, { $set: { n: 2 } })
    const result = await run(store, updateFirst(target, sorted), async () => {
      if (!disturbed) await room.replace({ _id: 1, p: 3, n: 1 })
      disturbed = true
    })
    t.match(shown(result), { after: { _id: 2, n: 2 } })
  },
)

await eachStore(
  t,
  'a collection that is replaced under a sweep is left alone',
  async (t, { store }) => {
    const room = new ReadingRoom(store)
    await room.insert({ _id: 1, n: 1 })
    let disturbed = false
    const changed = await run(store, deleteMany(target, compiled({})), async () => {
      if (disturbed) return
      disturbed = true
      await store.write(function* (tx) {
        const ns = yield* findNamespace(tx, 'main', 'things')
        if (ns !== undefined) yield* dropNamespace(tx, ns)
      })
      await room.insert({ _id: 1, n: 2 })
    })
    t.equal(changed, 0)
    t.same(await all(room), [{ _id: 1, n: 2 }])
  },
)

await eachStore(t, 'an upsert inserts what the filter and the update say', async (t, { store }) => {
  const room = new ReadingRoom(store)
  const upsert = (filter: Plain, update: unknown) =>
    run(store, updateOne(target, specOf({ filter }, update, true)))
  t.same(figures(await upsert({ _id: 5, a: 1 }, { $set: { b: 2 } })), [0, 0, 5])
  t.same(figures(await upsert({ _id: 5 }, { $set: { b: 3 } })), [1, 1])
  t.match(await upsert({ c: 'x' }, { $setOnInsert: { d: 1 }, $inc: { n: 1 } }), { matched: 0 })
  t.same(figures(await upsert({ c: 'x' }, { $setOnInsert: { d: 1 }, $inc: { n: 1 } })), [1, 1])
  const documents = await all(room)
  t.same(documents[0], { _id: 5, a: 1, b: 3 })
  t.match(documents[1], { c: 'x', d: 1, n: 2 })
  t.equal(documents.length, 2)
  await t.rejects(upsert({ _id: 5, a: 9 }, { $set: { b: 1 } }), { code: 11000 })
})

await eachStore(t, 'two upserts of one key make one document', async (t, { store }) => {
  const room = new ReadingRoom(store)
  await room.create()
  await room.index([{ k: 1 }, { unique: true }])
  const upsert = (i: number): Promise<UpdateResult> => {
    const spec = specOf({ filter: { k: 'x' } }, { $inc: { n: 1 } }, true)
    const objectId = () => new Uint8Array(12).fill(i)
    return run(store, updateOne(target, { ...spec, context: { ...context, objectId } }))
  }
  const results = await Promise.all(Array.from({ length: 12 }, (_, i) => upsert(i)))
  t.equal(results.filter(({ upsertedId }) => upsertedId !== undefined).length, 1)
  t.match(await all(room), [{ k: 'x', n: 12 }])
  t.same(await checkStore(store), [])
})

await eachStore(
  t,
  'an update makes a document large or small, with and without chunks',
  async (t, { store }) => {
    const room = new ReadingRoom(store)
    await room.insert({ _id: 1, a: 1 }, { _id: 2, a: 1 }, { _id: 3, a: 1 })
    const text = 'z'.repeat(600_000)
    const grow = await run(
      store,
      updateMany(target, specOf({ filter: { a: 1 } }, { $set: { text } })),
    )
    t.same(figures(grow), [3, 3])
    t.equal((await room.read(3))?.text, text)
    const shrink = await run(store, updateMany(target, specOf({}, { $unset: { text: 1 } })))
    t.same(figures(shrink), [3, 3])
    t.same(await all(room), [
      { _id: 1, a: 1 },
      { _id: 2, a: 1 },
      { _id: 3, a: 1 },
    ])
    t.same(await checkStore(store), [])
  },
)

await t.test('random updates and deletes leave what a plain list would hold', async (t) => {
  const small = fc.integer({ min: 0, max: 3 })
  const step = fc.record({
    filter: fc.oneof(
      fc.record({ a: small }),
      fc.record({ b: fc.record({ $gte: small }) }),
      fc.record({ _id: small }),
      fc.constant({}),
    ),
    value: small,
    many: fc.boolean(),
    removes: fc.boolean(),
  })
  const property = fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
    const store = openMemoryStore(systemClock)
    const room = new ReadingRoom(store)
    let model = Array.from({ length: 8 }, (_, i) => ({ _id: i, a: i % 4, b: i % 3 }))
    await room.insert(...model)
    await room.index([{ a: 1 }], [{ b: -1, a: 1 }])
    for (const { filter, value, many, removes } of steps) {
      const matched = (await room.ids({ filter, hint: { $natural: 1 } })) as number[]
      if (many) {
        if (removes) await run(store, deleteMany(target, compiled({ filter })))
        else
          await run(store, updateMany(target, specOf({ filter }, { $set: { a: value, b: value } })))
        model = model
          .filter(({ _id }) => !removes || !matched.includes(_id))
          .map((one) => (matched.includes(one._id) ? { ...one, a: value, b: value } : one))
      } else {
        const changed = removes
          ? await run(store, deleteFirst(target, compiled({ filter })))
          : await run(store, updateFirst(target, specOf({ filter }, { $set: { b: value } })))
        const id = changed?.before === undefined ? undefined : toObject(changed.before)._id
        if ((id === undefined) !== (matched.length === 0)) throw new Error('nothing was found')
        model = model
          .filter(({ _id }) => !removes || _id !== id)
          .map((one) => (one._id === id ? { ...one, b: value } : one))
      }
      if (JSON.stringify(await all(room)) !== JSON.stringify(model)) {
        throw new Error(`${JSON.stringify(await all(room))} is not ${JSON.stringify(model)}`)
      }
    }
    if ((await checkStore(store)).length > 0) throw new Error('the indexes are wrong')
    await store.close()
  })
  await fc.assert(property, { numRuns: runs(40) })
  t.pass()
})

t.test('many workers empty one queue, and none of them is refused', async (t) => {
  const jobs = 400
  for (const isIndexed of [false, true]) {
    const store = openMemoryStore(systemClock)
    t.teardown(() => store.close())
    const room = new ReadingRoom(store)
    await room.insert(
      ...Array.from({ length: jobs }, (_, _id) => ({ _id, at: (_id * 7) % jobs, state: 'new' })),
    )
    if (isIndexed) await room.index([{ state: 1, at: 1 }])
    const spec = specOf({ filter: { state: 'new' }, sort: { at: 1 } }, { $set: { state: 'taken' } })
    const taken: unknown[] = []
    const worker = async () => {
      for (;;) {
        const changed = await run(store, updateFirst(target, spec))
        if (changed?.before === undefined) return
        taken.push(toObject(changed.before)._id)
      }
    }
    await Promise.all(Array.from({ length: 50 }, worker))
    t.equal(taken.length, jobs)
    t.equal(new Set(taken).size, jobs, 'each job has one worker')
  }
})

t.test('an upsert beside large documents does not read them all in its write', async (t) => {
  const store = openMemoryStore(systemClock)
  t.teardown(() => store.close())
  const room = new ReadingRoom(store)
  // The filter looks at each of these: together they are more than a write program may read.
  const list = Array.from({ length: 20_000 }, (_, i) => i)
  await room.insert(...Array.from({ length: 40 }, (_, _id) => ({ _id, list })))
  const spec = specOf({ filter: { list: -1 } }, { $set: { made: 1 } }, true)
  const { matched, upsertedId } = await run(store, updateOne(target, spec))
  t.equal(matched, 0)
  t.not(upsertedId, undefined)
})
