// Lists of aggregates that are longer than one turn can put together.

import t from 'tap'
import { work } from '../../../../src/base/work/work-budget.js'
import { turnUnits } from '../../../../src/base/work/work-figures.js'
import { RowsState, ValuesState } from '../../../../src/commands/sql/select/list-states.js'
import { type Accumulator, resultInTurns } from '../../../../src/query/expressions/accumulator.js'
import { valueFrom } from '../../../../src/value/literal.js'
import { binaryValue, type Value } from '../../../../src/value/value.js'
import { writeArray } from '../../../../src/value/writer.js'
import { inStretch } from '../../../support/stretch.js'

const count = 25_000

function rowOf(i: number): Value {
  const key = Buffer.from(String((i * 7_919) % count).padStart(6, '0'))
  return writeArray([valueFrom(`t${i}`), valueFrom(','), binaryValue(0, key)])
}

const states: Readonly<Record<string, [Accumulator, (i: number) => Value]>> = {
  'of values': [new ValuesState('array_agg', false), valueFrom],
  'of distinct values': [new ValuesState('array_agg', true), (i) => valueFrom(`t${i}`)],
  'of texts': [new RowsState('string_agg', 'none', true), rowOf],
  'in the order of a key': [new RowsState('array_agg', 'key', false), rowOf],
  'of texts in their order': [new RowsState('string_agg', 'value', true), rowOf],
}

for (const [name, [state, row]] of Object.entries(states)) {
  t.test(`a list ${name} is put together in turns`, async (t) => {
    for (let i = 0; i < count; i++) state.add(row(i))
    work.resetLongest()
    const before = work.spent
    const turns = resultInTurns(state)
    let turn = inStretch(() => turns.next())
    while (turn.done !== true) turn = inStretch(() => turns.next())
    t.ok(work.longest < 1.5 * turnUnits, `${work.longest} of ${work.spent - before} units`)
    t.ok(turn.value.end - turn.value.start > count)
    t.same(state.result(), turn.value, 'as at once')
  })
}
