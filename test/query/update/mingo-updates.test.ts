// Updates, projections and sorts against mingo: an engine of others, on documents drawn from a
// seed.

import * as mingo from 'mingo'
import t from 'tap'
import { compileProjection } from '../../../src/query/projection.js'
import { compileSort } from '../../../src/query/sort.js'
import { documentFrom } from '../../../src/value/literal.js'
import { toObject } from '../../support/literal.js'
import { agree, copyDocument, Judge, outcomeOf } from '../../support/mingo/decisions.js'
import { projectionDecisions, updateDecisions } from '../../support/mingo/update-decisions.js'
import {
  findProjectionOf,
  findSortOf,
  type UpdateCase,
  updateOf,
  updateOperators,
} from '../../support/mingo/updates.js'
import { Draw, documentOf, type Plain, typedDocumentOf } from '../../support/mingo/values.js'
import { testContext } from '../../support/query.js'
import { runs } from '../../support/runs.js'
import { seed } from '../../support/seed.js'
import { apply } from '../../support/updates.js'

function sigilUpdate({ update, arrayFilters }: UpdateCase, document: Plain): Plain {
  return toObject(apply(update, document, { arrayFilters }))
}

function mingoUpdate({ update, arrayFilters }: UpdateCase, document: Plain): Plain {
  const documents = [copyDocument(document)]
  const filters = arrayFilters.map(copyDocument)
  mingo.updateOne(documents, {}, copyDocument(update), { arrayFilters: filters })
  return documents[0] as Plain
}

t.test('updates make what mingo makes, or the difference is decided', async (t) => {
  const judge = new Judge(updateDecisions)
  const count = runs(500)
  let same = 0
  const seen = new Set<string>()
  for (let i = 0; i < count; i++) {
    const draw = new Draw(seed + i)
    const document = typedDocumentOf(draw, i)
    const drawn = updateOf(draw)
    const name = Object.keys(drawn.update)[0] ?? ''
    seen.add(name)
    const sigil = outcomeOf(() => sigilUpdate(drawn, document))
    const theirs = outcomeOf(() => mingoUpdate(drawn, document))
    if (agree(sigil, theirs)) same++
    else
      judge.judge(
        { name, operands: [drawn.update[name]], document, sigil, mingo: theirs },
        seed + i,
      )
  }
  t.comment(`SIGIL_SEED=${seed}: ${same} of ${count} agree`)
  judge.tell(t, seed)
  t.ok(same > 0.7 * count, 'most agree')
  t.same([...seen].sort(), Object.keys(updateOperators).sort(), 'every operator was tried')
})

t.test('projections and sorts are what mingo says, or decided', async (t) => {
  const judge = new Judge(projectionDecisions)
  const count = runs(500)
  let same = 0
  for (let i = 0; i < count; i++) {
    const draw = new Draw(seed + i)
    const documents = Array.from({ length: 4 }, (_, id) => documentOf(draw, id))
    const projection = findProjectionOf(draw)
    const [document = {}] = documents
    const cut = outcomeOf(() => {
      const compiled = compileProjection(documentFrom(projection), undefined, testContext)
      return toObject(compiled.apply(documentFrom(document)))
    })
    const theirs = outcomeOf(
      () => mingo.find([copyDocument(document)], {}, copyDocument(projection) as never).all()[0],
    )
    if (agree(cut, theirs)) same++
    else
      judge.judge(
        { name: 'projection', operands: [projection], document, sigil: cut, mingo: theirs },
        seed + i,
      )
    const sort = findSortOf(draw)
    const sorted = outcomeOf(() => sortedIds(documents, sort))
    const theirOrder = outcomeOf(() =>
      mingo
        .find(documents.map(copyDocument), {})
        .sort(sort as never)
        .all()
        .map(({ _id }) => _id),
    )
    if (agree(sorted, theirOrder)) same++
    else
      judge.judge(
        { name: 'sort', operands: [sort], document: documents, sigil: sorted, mingo: theirOrder },
        seed + i,
      )
  }
  t.comment(`SIGIL_SEED=${seed}: ${same} of ${2 * count} agree`)
  judge.tell(t, seed)
  t.ok(same > 1.2 * count, 'most agree')
})

function sortedIds(documents: readonly Plain[], sort: Plain): unknown[] {
  const compiled = compileSort(documentFrom(sort))
  const keyed = documents.map(
    (each) => [compiled.key(documentFrom(each)).slice(), each._id] as const,
  )
  return keyed.sort(([a], [b]) => Buffer.compare(a, b)).map(([, id]) => id)
}
