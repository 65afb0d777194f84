// Filters against mingo: an engine of others, on documents and filters drawn from a seed.

import * as mingo from 'mingo'
import t from 'tap'
import { compileFilter } from '../../../src/query/filter.js'
import { documentFrom } from '../../../src/value/literal.js'
import {
  agree,
  copyDocument,
  Judge,
  type Outcome,
  outcomeOf,
} from '../../support/mingo/decisions.js'
import { filterDecisions } from '../../support/mingo/filter-decisions.js'
import { matchesByRules } from '../../support/mingo/filter-model.js'
import { type FilterPart, filterOf, filterOfPart, partsOf } from '../../support/mingo/filters.js'
import { Draw, documentOf, type Plain } from '../../support/mingo/values.js'
import { testContext } from '../../support/query.js'
import { runs } from '../../support/runs.js'
import { seed } from '../../support/seed.js'

function sigilMatches(filter: Plain, document: Plain): Outcome {
  return outcomeOf(() =>
    compileFilter(documentFrom(filter), testContext).matches(documentFrom(document)),
  )
}

function mingoMatches(filter: Plain, document: Plain): Outcome {
  return outcomeOf(() => new mingo.Query(copyDocument(filter)).test(copyDocument(document)))
}

/** What has a rule must be as the rule says, whatever mingo says. */
function checkRules(judge: Judge, part: FilterPart, document: Plain, sigil: Outcome, seed: number) {
  const value = matchesByRules(document, part)
  if (value === undefined || agree(sigil, { value })) return
  const operands = [part.path, part.operand]
  judge.judge(
    { name: 'rules', operands: [part.name, ...operands], document, sigil, mingo: { value } },
    seed,
  )
}

function compare(judge: Judge, filter: Plain, document: Plain, seed: number): boolean {
  const whole = { sigil: sigilMatches(filter, document), mingo: mingoMatches(filter, document) }
  for (const part of partsOf(filter)) {
    checkRules(judge, part, document, sigilMatches(filterOfPart(part), document), seed)
  }
  if (agree(whole.sigil, whole.mingo)) return true
  let isExplained = false
  for (const part of partsOf(filter)) {
    const one = filterOfPart(part)
    const sigil = sigilMatches(one, document)
    const theirs = mingoMatches(one, document)
    if (agree(sigil, theirs)) continue
    isExplained = true
    const operands = [part.path, part.operand]
    judge.judge({ name: part.name, operands, document, sigil, mingo: theirs }, seed)
  }
  if (!isExplained) judge.judge({ name: 'filter', operands: [filter], document, ...whole }, seed)
  return false
}

t.test('filters match what mingo says, or the difference is decided', async (t) => {
  const judge = new Judge(filterDecisions)
  const count = runs(900)
  let same = 0
  for (let i = 0; i < count; i++) {
    const draw = new Draw(seed + i)
    const filter = filterOf(draw)
    const documents = Array.from({ length: 4 }, (_, id) => documentOf(draw, id))
    for (const document of documents) if (compare(judge, filter, document, seed + i)) same++
  }
  t.comment(`SIGIL_SEED=${seed}: ${same} of ${4 * count} agree`)
  judge.tell(t, seed)
  t.ok(same > 0.85 * 4 * count, 'nearly all agree')
})
