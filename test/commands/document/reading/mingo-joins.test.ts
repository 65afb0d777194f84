// Stages that read another collection against mingo: an engine of others, on documents drawn from a
// seed, over every store.

import { aggregate } from 'mingo'
import t from 'tap'
import { eachRoom } from '../../../support/command-room.js'
import { agree, copyDocument, copyOf, Judge, outcomeOf } from '../../../support/mingo/decisions.js'
import { joinDecisions } from '../../../support/mingo/join-decisions.js'
import { joinOf } from '../../../support/mingo/joins.js'
import { Draw, type Plain, typedDocumentOf } from '../../../support/mingo/values.js'
import { runs } from '../../../support/runs.js'
import { seed } from '../../../support/seed.js'

await eachRoom(t, 'joins give what mingo gives, or the difference is decided', async (t, room) => {
  const judge = new Judge(joinDecisions)
  const draw = new Draw(seed)
  // Several collections: the share that agrees depends on the documents that are joined.
  const others = Array.from({ length: 12 }, (_, at) => ({
    from: `f${at}`,
    documents: Array.from({ length: 15 }, (_, id) => typedDocumentOf(draw, id)),
  }))
  for (const { from, documents } of others) await room.insert(from, ...documents)
  const count = runs(180)
  let same = 0
  for (let i = 0; i < count; i++) {
    if (i === count >> 1) {
      const indexes = ['n', 's', 'g'].map((name) => ({ key: { [name]: 1 }, name }))
      for (const { from } of others) await room.run({ createIndexes: from, indexes })
    }
    const { from, documents: foreign } = others[i % others.length] as (typeof others)[number]
    const each = new Draw(seed + i)
    const documents = Array.from({ length: 3 }, (_, id) => typedDocumentOf(each, id))
    const stage = joinOf(each, from)
    const name = Object.keys(stage)[0] ?? ''
    const pipeline = [{ $documents: documents }, stage]
    const found = await room.drain({ aggregate: 1, pipeline, cursor: {} })
    const theirs = outcomeOf(() => mingoOf(documents, stage, foreign))
    const sigil = { value: inOrder(stage, found) }
    if (agree(sigil, theirs)) same++
    else
      judge.judge(
        { name, operands: [stage[name], foreign], document: documents, sigil, mingo: theirs },
        seed + i,
      )
  }
  t.comment(`SIGIL_SEED=${seed}: ${same} of ${count} agree`)
  judge.tell(t, seed)
  t.ok(same > 0.6 * count, 'most agree')
})

function mingoOf(documents: readonly Plain[], stage: Plain, foreign: readonly Plain[]): unknown {
  const collectionResolver = () => foreign.map(copyDocument)
  const found = aggregate(documents.map(copyDocument), [copyOf(stage)], { collectionResolver })
  return inOrder(stage, found)
}

/** By `_id`, what is found by equality or by a search: an index gives another order. */
function inOrder(stage: Plain, documents: readonly Plain[]): Plain[] {
  const spec = Object.values(stage)[0] as { as?: string; pipeline?: unknown }
  const { as, pipeline } = spec
  if (as === undefined || pipeline !== undefined) return [...documents]
  return documents.map((each) => {
    const found = each[as] as { _id: number }[]
    return { ...each, [as]: found.toSorted((a, b) => a._id - b._id) }
  })
}
