// Functions and operators over texts that are made to cost: linear, or refused.

import t from 'tap'
import { work } from '../../../../src/base/work/work-budget.js'
import { stretchUnits, turnUnits } from '../../../../src/base/work/work-figures.js'
import { jsonOfText } from '../../../../src/commands/sql/expression/cast.js'
import { compile } from '../../../../src/commands/sql/expression/compile.js'
import { textFunctions } from '../../../../src/commands/sql/expression/functions/text-functions.js'
import { matchesLike, parseLike } from '../../../../src/commands/sql/expression/texts/like.js'
import { compileOrderKey } from '../../../../src/commands/sql/select/order.js'
import { resultNames } from '../../../../src/commands/sql/select/result.js'
import { documentFrom } from '../../../../src/value/literal.js'
import { int32Value, stringValue, type Value } from '../../../../src/value/value.js'
import { expressionOf, scopeOf } from './evaluate.js'

const text = 'a'.repeat(120_000)
const needle = `${'a'.repeat(15_000)}b${'a'.repeat(15_000)}`

const times = { now: 0, statement: 0, clock: () => 0 }

/** Units that it spends in one row. */
function spent(run: () => void): number {
  const before = work.spent
  work.begin(turnUnits, stretchUnits)
  try {
    run()
  } finally {
    work.end()
  }
  return work.spent - before
}

t.test('written patterns are compiled with their statement, once', async (t) => {
  const patterns = Array.from({ length: 100 }, (_, i) => `s ~ '^x${i}[0-9]+(foo|bar)?$'`)
  const { value } = compile(expressionOf(patterns.join(' OR ')), scopeOf())
  const row = [documentFrom({ s: 'none' })]
  value(row)
  const { spent: before } = work
  for (let i = 0; i < 20; i++) value(row)
  t.ok(work.spent - before < 20_000, `${work.spent - before} units`)
})

t.test('a needle that nearly matches everywhere is searched for in linear time', async (t) => {
  const call = (name: string, ...args: Value[]) =>
    textFunctions.find(({ names }) => names.includes(name))?.run(args, times)
  const [whole, part] = [stringValue(text), stringValue(needle)]
  for (const name of ['strpos', 'position']) {
    const units = spent(() => call(name, whole, part))
    t.ok(units > 1_000 && units < stretchUnits, `${name}: ${units} units`)
  }
  const replacing = spent(() => call('replace', whole, part, stringValue('x')))
  t.ok(replacing < stretchUnits, `replace: ${replacing} units`)
  const splitting = spent(() => call('split_part', whole, part, int32Value(1)))
  t.ok(splitting < stretchUnits, `split_part: ${splitting} units`)
  t.same(
    call('replace', stringValue('abcabc'), stringValue('b'), stringValue('xx')),
    stringValue('axxcaxxc'),
  )
})

t.test('what cannot be done within a row is refused', async (t) => {
  const like = parseLike(`%${'_a'.repeat(240)}b%${'_a'.repeat(240)}c`, '', false)
  t.throws(() => spent(() => matchesLike(like, text)), /too much in one row/)
  const json = `[${'1,'.repeat(200_000)}1]`
  t.throws(() => spent(() => jsonOfText(stringValue(json))), /too much work/)
})

t.test('thousands of results of one name get names of their own at once', async (t) => {
  const expression = { kind: 'parameter', index: 1, at: 0 } as never
  const names = resultNames(Array.from({ length: 20_000 }, () => ({ expression })))
  t.equal(names.at(-1), '?column?_20000')
  t.equal(new Set(names).size, 20_000)
})

t.test('a row costs as much as its keys of ORDER BY are many', async (t) => {
  const scope = { tables: [], parameters: [int32Value(7)] } as never
  const keyOf = (count: number) => {
    const expression = { kind: 'parameter', index: 0, at: 0 }
    const items = Array.from({ length: count }, () => ({ expression, descends: false }))
    return compileOrderKey(items as never, scope)
  }
  const [few, many] = [keyOf(10), keyOf(1_500)]
  t.equal(
    spent(() => few([])),
    0,
  )
  const units = spent(() => many([]))
  t.ok(units >= 1_500, `${units} units`)
})
