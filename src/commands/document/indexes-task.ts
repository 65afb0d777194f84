// createIndexes waits for its builds, so it is a task: the descriptors are put behind the call's
// fence, then the engine's build makes them ready. dropIndexes and listIndexes stand beside it.

import { anyValue, arrayOf, collection, ignored } from '../../bus/params.js'
import { reply } from '../../bus/reply.js'
import { documentRow } from '../../bus/row.js'
import { parseIndexSpecs } from '../../engine/index-spec.js'
import { declareIndexes, dropIndexes as dropIndexesOf } from '../../engine/indexes.js'
import { touchesTarget } from './arguments.js'

const createIndexes = documentRow({
  name: 'createIndexes',
  grain: 'task',
  access: 'identity',
  stable: true,
  target: collection,
  params: {
    indexes: arrayOf(anyValue),
    commitQuorum: ignored,
    ignoreUnknownIndexOptions: ignored,
  },
  touches: touchesTarget('write'),
  help: 'Makes indexes, and the collection if it is missing; answers when they are ready.',
  async run(call) {
    const { db, target, args } = call
    const specs = parseIndexSpecs(args.indexes)
    const declared = await call.write((tx) =>
      declareIndexes(tx, db, target, specs, call.creation()),
    )
    if (declared.building.length > 0) {
      await call.engine.builds.ensure(db, target, args.indexes, call.creation())
    }
    const { before, after, created } = declared
    return reply((writer) => {
      writer.int32('numIndexesBefore', before).int32('numIndexesAfter', after)
      writer.bool('createdCollectionAutomatically', created)
      if (before === after) writer.string('note', 'all indexes already exist')
    })
  },
})

const dropIndexes = documentRow({
  name: 'dropIndexes',
  aliases: ['deleteIndexes'],
  grain: 'point',
  access: 'identity',
  stable: true,
  target: collection,
  params: { index: anyValue },
  touches: touchesTarget('write'),
  help: 'Drops indexes by name, by key pattern, or all but the one on _id.',
  *run(tx, { db, target, args }) {
    const before = yield* dropIndexesOf(tx, db, target, args.index)
    return reply((writer) => writer.int32('nIndexesWas', before))
  },
})

export const indexRows = [createIndexes, dropIndexes]
