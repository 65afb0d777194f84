// Expressions against mingo: an engine of others, on documents and expressions drawn from a seed.

import * as theirOperators from 'mingo/operators/expression'
import t from 'tap'
import { Judge } from '../../support/mingo/decisions.js'
import { compareExpression, evaluate } from '../../support/mingo/expression-compare.js'
import { expressionDecisions } from '../../support/mingo/expression-decisions.js'
import { anyExpressionOf, expressionNames } from '../../support/mingo/expressions.js'
import { Draw, typedDocumentOf } from '../../support/mingo/values.js'
import { runs } from '../../support/runs.js'
import { seed } from '../../support/seed.js'

t.test('expressions give what mingo gives, or the difference is decided', async (t) => {
  const judge = new Judge(expressionDecisions)
  const count = runs(2000)
  let differing = 0
  let computed = 0
  const seen = new Set<string>()
  for (let i = 0; i < count; i++) {
    const draw = new Draw(seed + i)
    const expression = anyExpressionOf(draw)
    const document = typedDocumentOf(draw, i % 7)
    const outcome = evaluate(expression, document)
    if ('value' in outcome && outcome.value !== null) {
      computed++
      for (const name of JSON.stringify(expression)?.match(/\$\w+(?=":)/g) ?? []) seen.add(name)
    }
    if (compareExpression(judge, expression, document, seed + i)) differing++
  }
  t.comment(`SIGIL_SEED=${seed}: ${count - differing} of ${count} agree, ${computed} with a value`)
  judge.tell(t, seed)
  t.ok(differing < 0.3 * count, 'most agree')
  t.ok(computed > count / 2, 'most have a value')
  t.ok(seen.size > 0.9 * expressionNames.length, `${seen.size} operators gave values`)
})

/** Of mingo's operators, those that are not drawn, and why. */
const notDrawn: Readonly<Record<string, string>> = {
  $function: 'scripts are refused: test/query/rules-aggregation.test.ts',
  $rand: 'another number each time',
  $sampleRate: 'another answer each time',
  $sigmoid: 'of 8.1, not of 7.0',
  $toHashedIndexKey: 'the hash of hashed indexes',
}

t.test('every expression that mingo has is drawn, or left out for a reason', async (t) => {
  const known = new Set([...expressionNames, ...Object.keys(notDrawn)])
  t.same(
    Object.keys(theirOperators).filter((name) => name.startsWith('$') && !known.has(name)),
    [],
  )
})
