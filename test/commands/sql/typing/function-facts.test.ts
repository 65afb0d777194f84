// The facts of SQL functions: each function has them, or Sigil does not start.

import t from 'tap'

import { functionFacts, functionTable } from '../../../../src/commands/sql/typing/function-facts.js'

t.test('a function without facts keeps Sigil from starting', async (t) => {
  t.throws(() => functionTable([['lower nosuch', 1]]), /the SQL function nosuch has no facts/)
  t.same(
    [...functionTable([['lower upper', 1]])],
    [
      ['lower', 1],
      ['upper', 1],
    ],
  )
})

t.test('the type of a result is told by the types of the arguments', async (t) => {
  const typeOf = (name: string, ...types: string[]): string | undefined => {
    const { returns } = functionFacts(name)
    return typeof returns === 'function' ? returns(types) : returns
  }
  t.equal(typeOf('sum', 'int4'), 'int8')
  t.equal(typeOf('sum', 'int8'), 'numeric')
  t.equal(typeOf('avg', 'int2'), 'numeric')
  t.equal(typeOf('avg', 'float4'), 'float8')
  t.equal(typeOf('round', 'int4'), 'float8')
  t.equal(typeOf('nullif', 'unknown', 'int4'), 'int4')
  t.equal(typeOf('nullif', 'int2', 'int8'), 'int2')
  t.equal(typeOf('greatest', 'int2', 'int8'), 'int8')
  t.equal(typeOf('array_agg', 'unknown'), 'text[]')
  t.equal(typeOf('max', 'varchar'), 'text')
  t.equal(typeOf('abs', 'text'), undefined)
})
