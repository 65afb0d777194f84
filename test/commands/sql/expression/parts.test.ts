// A large expression that was worked on in parts means the same as one that was not, and nothing
// is worked on for long between two pauses.

import fc from 'fast-check'
import t from 'tap'
import { turnUnits } from '../../../../src/base/work/work-figures.js'
import { compile } from '../../../../src/commands/sql/expression/compile.js'
import { compiledParts } from '../../../../src/commands/sql/expression/compile-parts.js'
import {
  keysInParts,
  sameExpression,
} from '../../../../src/commands/sql/expression/expression-key.js'
import { operandsOf } from '../../../../src/commands/sql/expression/expression-tree.js'
import { Parts } from '../../../../src/commands/sql/expression/parts.js'
import type { Scope } from '../../../../src/commands/sql/expression/scope.js'
import { bindSelect } from '../../../../src/commands/sql/select/binding.js'
import { Names } from '../../../../src/commands/sql/select/names.js'
import { parsedStatement } from '../../../../src/commands/sql/statement-cache.js'
import { typingOf } from '../../../../src/commands/sql/typing/operand-types.js'
import type { Expression } from '../../../../src/protocol/sql/ast.js'
import { nothing } from '../../../../src/store/steps.js'
import type { Program, ReadTx } from '../../../../src/store/store.js'
import { documentFrom } from '../../../../src/value/literal.js'
import { runs } from '../../../support/runs.js'
import { inStretch } from '../../../support/stretch.js'
import { conditions, documents, parameters } from './arbitrary.js'
import { expressionOf, scopeOf, shown } from './evaluate.js'

/** A transaction that only pauses, and notes the units before each pause. */
class Pauses {
  readonly units: number[] = []
  readonly tx = { pause: (units: number) => this.pause(units) } as unknown as ReadTx

  private pause(units: number): typeof nothing {
    this.units.push(units)
    return nothing
  }
}

function finished<T>(program: Program<T>): T {
  const { done, value } = program.next()
  if (done !== true) throw new Error('it waits')
  return value as T
}

const scope = scopeOf(parameters)

/** Over declared columns: text literals take types, and some have no meaning between them. */
const typedConditions = fc.oneof(
  {
    weight: 400,
    arbitrary: fc.constantFrom(
      ...["a = '1'", 'a IS NULL', "b IN ('1', a, 2)", "arr = '{1}'", "a BETWEEN '1' AND b"],
      ...["a = ANY ('{1,2}')", "a + '1' > 2", "coalesce(a, '3') = b", "n @> '{}'", 'b <> 0.5'],
      ...["CASE WHEN a = 1 THEN '2' ELSE b END > 1", "a IS DISTINCT FROM '4'", "(a > '1') = 't'"],
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom("a = 'x'", "arr = 'x'", "(a + 'x') IS NULL") },
)

/** Forms of many conditions in one expression. */
function largeOf(each: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(
      fc.array(each, { minLength: 80, maxLength: 120 }),
      fc.constantFrom<(each: readonly string[]) => string>(
        (each) => `CASE ${each.map((one, i) => `WHEN ${one} THEN ${i} + a`).join(' ')} ELSE -1 END`,
        (each) => `concat(${each.map((one) => `CASE WHEN ${one} THEN 'x' END`).join(', ')})`,
        (each) => each.map((one) => `(${one})`).join(' AND '),
        (each) => each.map((one) => `((${one}) IS NULL)`).join(' OR '),
        (each) => `1 + CASE WHEN ${each.map((one) => `NOT (${one})`).join(' AND ')} THEN 1 END`,
        (each) => `ARRAY[${each.map((one) => `(${one}) IS TRUE`).join(', ')}] IS NULL`,
        (each) => `a IN (${each.map((one) => `CASE WHEN ${one} THEN 1 END`).join(', ')})`,
      ),
    )
    .map(([parts, form]) => form(parts))
}

function answerOf(expression: Expression, within: Scope, rows: readonly object[]): string[] {
  try {
    const { value } = compile(expression, within)
    return rows.map((row) => inStretch(() => shown(value([documentFrom({ ...row })]))))
  } catch (thrown) {
    return [String(thrown)]
  }
}

t.test('compiled in parts', async (t) => {
  let parted = 0
  const property = fc.property(
    largeOf(conditions),
    fc.array(documents, { maxLength: 4 }),
    (text, rows) => {
      const expression = expressionOf(text)
      const pauses = new Pauses()
      const within = finished(compiledParts(pauses.tx, [expression], scope))
      if (within !== scope) parted++
      t.ok(pauses.units.every((units) => units <= 3_000))
      t.same(answerOf(expression, within, rows), answerOf(expression, scope, rows))
    },
  )
  fc.assert(property, { numRuns: runs(100) })
  t.ok(parted > 0, 'large ones were among them')
})

t.test('bound and typed in parts', async (t) => {
  const tables = {
    tables: ['t'],
    known: [
      {
        ...{ isDeclared: true, required: new Set(['a']), defaults: new Map() },
        columns: new Map([
          ...(['a', 'b', '_id', 'missing'] as const).map((name) => [name, 'int4'] as const),
          ['n', 'jsonb'],
          ['arr', 'int4[]'],
        ]),
      },
    ],
  }
  let typed = 0
  const property = fc.property(largeOf(typedConditions), (text) => {
    const expression = expressionOf(text)
    const names = new Names(tables.tables, tables.known as never)
    const [plain, parted] = [typingOf(names), typingOf(names)]
    if (plain === undefined || parted === undefined) throw new Error('only rows tell types')
    const outcome = (make: () => Expression): unknown => {
      try {
        return make()
      } catch (thrown) {
        return String(thrown)
      }
    }
    const bound = outcome(() => names.bound(expression))
    if (typeof bound === 'string') return
    const tree = bound as Expression
    finished(parted.parts.make(new Pauses().tx, [tree], (part) => parted.typed(part)))
    if (parted.parts.of(tree) !== undefined) typed++
    t.same(
      outcome(() => parted.typed(tree)),
      outcome(() => plain.typed(tree)),
    )
  })
  fc.assert(property, { numRuns: runs(100) })
  t.ok(typed > 0, 'some have no error')
})

t.test('an expression of any form is made once, part by part', async (t) => {
  const many = (count: number, each: (i: number) => string, by: string): string =>
    Array.from({ length: count }, (_, i) => each(i)).join(by)
  const texts = [
    `CASE ${many(2_000, (i) => `WHEN a = ${i} THEN b + ${i}`, ' ')} END`,
    `coalesce(${many(3_000, (i) => `nullif(a, ${i})`, ', ')})`,
    many(900, (i) => `a * ${i}`, ' + '),
    many(900, (i) => `a <> ${i}`, ' AND '),
    `1 - (CASE WHEN a = 1 THEN ${many(900, (i) => `b * ${i}`, ' + ')} END)`,
  ]
  for (const text of texts) {
    const expression = expressionOf(text)
    const pauses = new Pauses()
    const parts = new Parts<number>()
    let between = 0
    let longest = 0
    const work = (part: Expression): number => {
      const made = parts.of(part)
      if (made !== undefined) return made
      between++
      return operandsOf(part).reduce((sum, operand) => sum + work(operand), 1)
    }
    const tx = {
      pause: (units: number) => {
        longest = Math.max(longest, between)
        between = 0
        return pauses.tx.pause(units)
      },
    } as unknown as ReadTx
    const [nodes] = finished(parts.make(tx, [expression], work))
    const plain = new Parts<number>()
    const count = (part: Expression): number =>
      operandsOf(part).reduce((sum, operand) => sum + count(operand), 1)
    t.equal(nodes, count(expression))
    t.equal(plain.of(expression), undefined)
    // Operands of the node itself are looked up.
    t.ok(longest < 7_000, `${longest} of ${nodes}: ${text.slice(0, 30)}`)
  }
})

t.test('a wide expression counts less than a turn at once, and begins one', async (t) => {
  const list = (each: (i: number) => string, by: string): string =>
    Array.from({ length: 5_000 }, (_, i) => each(i)).join(by)
  const wide = [
    `CASE ${list((i) => `WHEN a = ${i} THEN b + ${i}`, ' ')} END`,
    `ARRAY[${list((i) => `a + ${i}`, ', ')}]`,
  ]
  for (const expression of wide.map(expressionOf)) {
    const { units, tx } = new Pauses()
    let before = 0
    const parts = new Parts<number>()
    const make = (part: Expression): number => {
      if (part === expression) before = units.at(-1) ?? 0
      return 1
    }
    finished(parts.make(tx, [expression], make))
    t.equal(Math.max(...units), turnUnits)
    t.equal(before, turnUnits)
    t.ok(parts.nodes >= 15_000, `${parts.nodes} nodes`)
  }
})

t.test('the key of a wide expression is made in turns, and is the same', async (t) => {
  const whens = Array.from({ length: 5_000 }, (_, i) => `WHEN a = ${i} THEN 'é${i}'`)
  const text = `1 + coalesce(CASE ${whens.join(' ')} END, 2)`
  const [parted, plain] = [expressionOf(text), expressionOf(text)]
  const { units, tx } = new Pauses()
  finished(keysInParts(tx, [parted]))
  t.ok(Math.max(...units) <= 3_000, `${Math.max(...units)} units at once`)
  t.ok(sameExpression(parted, plain))
  const other = expressionOf(text.replace('é4999', 'e4999'))
  finished(keysInParts(tx, [other]))
  t.notOk(sameExpression(parted, other))
})

t.test('a statement of large expressions pauses between the phases of binding', async (t) => {
  const whens = Array.from({ length: 300 }, (_, i) => `WHEN a = ${i} THEN b + ${i}`)
  const { statement } = parsedStatement(`SELECT sum(CASE ${whens.join(' ')} END) FROM t`)
  if (statement.kind !== 'select') throw new Error('no SELECT')
  const { units, tx } = new Pauses()
  const { largeNodes } = finished(bindSelect(tx, statement, [undefined]))
  t.ok(largeNodes >= 1_800, `${largeNodes} nodes`)
  t.equal(units.filter((each) => each === largeNodes * 2).length, 2)
})

t.test('errors of parts are left to the whole', async (t) => {
  const expression = expressionOf(
    `CASE ${Array.from({ length: 300 }, () => "WHEN now() > now() - interval '1 day' THEN 1").join(' ')} END`,
  )
  const within = finished(compiledParts(new Pauses().tx, [expression], scope))
  t.equal(shown(compile(expression, within).value([])), 'integer 1')
  const parts = new Parts<number>()
  let tried = 0
  const failing = (): number => {
    tried++
    throw new Error('no')
  }
  t.same(finished(parts.make(new Pauses().tx, [expression], failing)), [])
  t.ok(tried < 30, `${tried} tries`)
})
