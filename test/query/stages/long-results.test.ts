// Results of groups, buckets and windows that are longer than one turn can put together, save to
// the disk, or read from there.

import t from 'tap'
import { work } from '../../../src/base/work/work-budget.js'
import { turnUnits } from '../../../src/base/work/work-figures.js'
import { isPure } from '../../../src/query/pipeline.js'
import type { Workspace } from '../../../src/query/spill.js'
import { Chain } from '../../../src/query/stages/chain.js'
import { documentFrom } from '../../../src/value/literal.js'
import { spilling } from '../../support/spilling.js'
import { inStretch } from '../../support/stretch.js'
import { plansOf } from './stage-table.js'

const count = 20_000
const text = 'a'.repeat(200)
const documents = Array.from({ length: count }, (_, i) => documentFrom({ i, text }))

const sortBy = { i: -1 }
/** A field of its own for each document. */
const fields = { $arrayToObject: [[{ k: { $toString: '$i' }, v: '$text' }]] }
const operands = {
  $topN: { n: count, sortBy, output: '$text' },
  $bottomN: { n: count, sortBy, output: '$text' },
  $minN: { n: count, input: '$i' },
  $maxN: { n: count, input: '$i' },
  $firstN: { n: count, input: '$text' },
  $lastN: { n: count, input: '$text' },
  $push: '$text',
  $addToSet: { i: '$i', text: '$text' },
  $mergeObjects: fields,
  $percentile: { input: '$i', p: [0.5], method: 'approximate' },
}

/** The most units of one step, once all documents are there; while they come too, if it spills. */
function longestOf(stage: object, workspace?: Workspace): number {
  const found: Uint8Array[] = []
  const chain = new Chain(
    plansOf([stage, { $limit: 1 }])
      .filter(isPure)
      .map((plan) => plan.create(workspace)),
    (document) => found.push(document),
  )
  work.resetLongest()
  for (const document of documents) {
    inStretch(() => chain.push(document))
    while (inStretch(() => chain.step()));
  }
  chain.end()
  while (inStretch(() => chain.step()));
  if (found.length !== 1) throw new Error('no result')
  return work.longest
}

for (const [name, operand] of Object.entries(operands)) {
  t.test(`results of ${name} are put together in turns`, async (t) => {
    const output = { r: { [name]: operand } }
    const stages = [
      { $group: { _id: null, ...output } },
      { $bucketAuto: { groupBy: '$i', buckets: 1, output } },
      ...(name === '$mergeObjects' ? [] : [{ $setWindowFields: { sortBy: { i: 1 }, output } }]),
    ]
    for (const stage of stages) {
      const units = longestOf(stage)
      t.ok(units < 2 * turnUnits, `${Object.keys(stage)}: ${units}`)
    }
  })

  t.test(`${name} spills in turns`, async (t) => {
    const units = longestOf({ $group: { _id: null, r: { [name]: operand } } }, workspace())
    t.ok(units < 2 * turnUnits, `${units}`)
  })
}

/** With memory for some of the results. */
function workspace(): Workspace {
  return spilling(4_000_000).workspace
}
