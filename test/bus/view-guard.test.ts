// What a view reads is behind the guard for the view's own stages: a stage that the reader has sent
// does not reach it, even if the row should overlook what that stage names.

import t from 'tap'
import { CommandReadTx, type Guard } from '../../src/bus/document/command-tx.js'
import { readable } from '../../src/commands/document/reading/view-reads.js'
import { resolveView, stagesOver } from '../../src/engine/collection/kinds/views.js'
import { openPipeline } from '../../src/engine/sources/pipeline-source.js'
import type { Namespace } from '../../src/engine/types.js'
import { compilePipeline } from '../../src/query/pipeline.js'
import { valueFrom } from '../../src/value/literal.js'
import { eachRoom } from '../support/command-room.js'
import { context } from '../support/reading.js'

/** Every caller may do everything: only undeclared resources are refused. */
const guard: Guard = {
  now: 0,
  resources: [readable('test', 'v')],
  bypassesValidation: false,
  isBlind: false,
  checkRevocation: () => undefined,
  authorize: () => {},
  may: () => true,
  authorizeOwner: () => {},
  noteInvalid: () => {},
  creating: () => {},
  makingHome: () => undefined,
  requireSpace: undefined,
  requireStaging: undefined,
  payer: undefined,
}

const named = { from: 'c', as: 'found' }
const fields = { localField: 'a', foreignField: 'a' }

await eachRoom(t, 'what a view reads serves its own stages alone', async (t, room) => {
  await room.insert('c', { _id: 1, a: 1 })
  await room.insert('open', { _id: 1, a: 1 })
  await room.run({ create: 'v', viewOn: 'open', pipeline: [{ $lookup: { ...named, ...fields } }] })
  const read = async (stages: readonly object[]) =>
    room.store.read(function* (reading) {
      const tx = new CommandReadTx(reading, guard)
      yield* tx.enter()
      const place = yield* resolveView(tx, tx.namespace() as Namespace, context)
      const own = compilePipeline(valueFrom(stages), context)
      const source = openPipeline(place.ns, stagesOver(place, own), { db: 'test', context })
      let count = 0
      while (!source.drained) count += (yield* source.pull(tx, 10)).length
      return count
    })
  t.equal(await read([]), 1, 'the view joins')
  t.equal(await read([{ $unionWith: 'v' }]), 2, 'also where a stage names the view')
  for (const stage of [
    { $unionWith: 'c' },
    { $lookup: { ...named, ...fields } },
    { $lookup: { ...named, pipeline: [] } },
    { $graphLookup: { ...named, startWith: 1, connectFromField: 'a', connectToField: 'a' } },
    { $facet: { a: [{ $lookup: { ...named, ...fields } }] } },
    { $unionWith: { coll: 'v', pipeline: [{ $unionWith: 'c' }] } },
  ]) {
    const refused = { message: 'the command did not declare test.c' }
    await t.rejects(read([stage]), refused, JSON.stringify(stage))
  }
  await t.rejects(read([{ $unionWith: 'open' }]), /did not declare/, 'nor what it lies over')
})
