// Patterns of a command that are compiled before it begins: its filter then finds them, and costs
// next to nothing.

import { serialize } from 'bson'
import t from 'tap'
import { work } from '../../src/base/work/work-budget.js'
import { requestUnits } from '../../src/base/work/work-figures.js'
import { compileFilter } from '../../src/query/filter.js'
import { compileAhead, hasManyPatterns } from '../../src/query/regex-ahead.js'
import type { Document } from '../../src/value/value.js'
import { testContext } from '../support/query.js'

const count = 300

/** In memory of its own, as a message is. */
function doc(given: object): Document {
  return new Uint8Array(serialize(given))
}

function patterns(form: string): string[] {
  return Array.from({ length: count }, (_, i) => `^${form}${i}[0-9]+(foo|bar)?$`)
}

const forms: Readonly<Record<string, object>> = {
  $in: { v: { $in: patterns('a').map((one) => new RegExp(one)) } },
  $or: { $or: patterns('b').map(($regex) => ({ v: { $regex, $options: 'i' } })) },
  $not: { $and: patterns('c').map((one) => ({ v: { $not: new RegExp(one) } })) },
  $all: { v: { $all: patterns('d').map((one) => new RegExp(one)) } },
  $elemMatch: { v: { $elemMatch: { $in: patterns('e').map((one) => new RegExp(one)) } } },
  $regexMatch: {
    $expr: { $or: patterns('f').map((regex) => ({ $regexMatch: { input: '$v', regex } })) },
  },
  pattern: {
    $jsonSchema: { anyOf: patterns('g').map((pattern) => ({ properties: { v: { pattern } } })) },
  },
  patternProperties: {
    $jsonSchema: {
      patternProperties: Object.fromEntries(patterns('h').map((name) => [name, {}])),
      additionalProperties: false,
    },
  },
}

t.test('a filter finds the patterns that were compiled before it', async (t) => {
  for (const [name, given] of Object.entries(forms)) {
    const command = doc(given)
    t.ok(hasManyPatterns(command), name)
    let steps = 0
    for (const _ of compileAhead(command)) steps++
    t.ok(steps >= count, 'a step for each')
    const { spent } = work
    work.within(requestUnits, () => compileFilter(command, testContext))
    t.ok(work.spent - spent < 20_000, `${name}: ${work.spent - spent} units`)
  }
})

t.test('few patterns, and bad ones, are left to the command', async (t) => {
  t.notOk(hasManyPatterns(doc({ find: 'c', filter: { v: /a.b/, w: { $regex: 'b' } } })))
  const bad = doc({ v: { $in: Array.from({ length: 40 }, () => ({ $regex: '(' })) } })
  t.doesNotThrow(() => [...compileAhead(bad)])
  const long = doc({ v: Array.from({ length: 40 }, (_, i) => ({ $regex: `\\pL{1000}${i}` })) })
  const { spent } = work
  for (const _ of compileAhead(long));
  t.ok(work.spent - spent < 40_000, 'a long one is compiled for its first text')
})
