import fc from 'fast-check'
import t from 'tap'
import { equalValues } from '../../src/value/compare.js'
import { documentFrom, valueFrom } from '../../src/value/literal.js'
import { expressionValue, keyValues, parsePath, valueAt, walkPath } from '../../src/value/path.js'
import { shellText } from '../../src/value/shell.js'
import { int32Value, type Value } from '../../src/value/value.js'
import { runs } from '../support/runs.js'
import { documentOfFields, numbers } from './arbitrary.js'

type Fields = Record<string, unknown>

/** The leaves that a filter sees: texts, `-` for a missing one, `#` before one by position. */
function leaves(fields: Fields, path: string): string[] {
  const seen: string[] = []
  walkPath(documentFrom(fields), parsePath(path), (leaf, isElement) => {
    seen.push((isElement ? '#' : '') + (leaf === undefined ? '-' : shellText(leaf)))
    return false
  })
  return seen
}

function keys(fields: Fields, path: string): string {
  const { values, isArray } = keyValues(documentFrom(fields), parsePath(path))
  return `${values.map(shellText).join(' ')}${isArray ? ' *' : ''}`
}

function expression(fields: Fields, path: string): string {
  const value = expressionValue(valueFrom(fields), parsePath(path))
  return value === undefined ? 'missing' : shellText(value)
}

t.test('a path is split, and a part is a position only in its plain form', async (t) => {
  const path = parsePath('a.0.10.01.+1.4294967296.')
  t.same(path.parts, ['a', '0', '10', '01', '+1', '4294967296', ''])
  t.same(path.positions, [-1, 0, 10, -1, -1, -1, -1])
  t.equal(parsePath('a.0.10.01.+1.4294967296.'), path, 'the same object, from the cache')
})

t.test('valueAt goes through objects alone', async (t) => {
  const document = documentFrom({ a: { b: { c: 1 } }, l: [{ b: 1 }] })
  const at = (path: string) => valueAt(document, parsePath(path))
  t.equal(shellText(at('a.b.c') as Value), '1')
  for (const path of ['a.b.c.d', 'a.x', 'l.b', 'l.0', 'x']) t.equal(at(path), undefined, path)
})

t.test('of fields of one name the first is found', async (t) => {
  const document = documentOfFields([
    ['a', int32Value(1)],
    ['a', int32Value(2)],
  ])
  t.equal(shellText(valueAt(document, parsePath('a')) as Value), '1')
})

t.test('a filter sees objects, the objects of arrays, and positions', async (t) => {
  t.same(leaves({ a: { b: 1 } }, 'a.b'), ['1'])
  t.same(leaves({ a: [{ b: 1 }, { b: 2 }] }, 'a.b'), ['1', '2'])
  t.same(leaves({ a: [1, 2] }, 'a'), ['[ 1, 2 ]'], 'a leaf array is handed whole')
  t.same(leaves({ a: [{ b: [1, 2] }] }, 'a.b'), ['[ 1, 2 ]'])
  t.same(leaves({ a: [5, 7, 3] }, 'a.1'), ['#7'])
  t.same(leaves({ a: [5, [2, 4], 3] }, 'a.1'), ['#[ 2, 4 ]'])
  t.same(leaves({ a: { 0: 1 } }, 'a.0'), ['1'], 'on an object a number is a name')
})

t.test('a filter tries both readings of a number', async (t) => {
  t.same(leaves({ a: [5, { 1: 4 }, 3] }, 'a.1'), ['4', '#{ 1: 4 }'])
  t.same(leaves({ a: [5, { b: 4 }, 3] }, 'a.1.b'), ['-', '4'])
  t.same(leaves({ a: [5, [{ b: 4 }], 3] }, 'a.1.b'), ['4'])
  t.same(leaves({ a: [{ b: [2, 3] }, { b: [4, 5] }] }, 'a.0.b'), ['-', '[ 2, 3 ]', '-'])
})

t.test('a filter does not enter an array nested directly in an array', async (t) => {
  t.same(leaves({ a: [[{ b: 1 }]] }, 'a.b'), [])
  t.same(leaves({ a: [[{ b: 1 }]] }, 'a.0.b'), ['1'])
  t.same(leaves({ a: [[1, 2]] }, 'a.0.1'), ['#2'])
  t.same(leaves({ a: [[[7]]] }, 'a.0.0'), ['#[ 7 ]'])
})

t.test('a leaf is missing where an object lacks it or a scalar is in the way', async (t) => {
  t.same(leaves({}, 'a'), ['-'])
  t.same(leaves({}, 'a.b'), ['-'])
  t.same(leaves({ a: 5 }, 'a.b'), ['-'])
  t.same(leaves({ a: null }, 'a.b'), ['-'])
  t.same(leaves({ a: {} }, 'a.b'), ['-'])
  t.same(leaves({ a: [{}, { b: 1 }] }, 'a.b'), ['-', '1'])
})

t.test('an empty array and scalars in arrays have no leaf, not a missing one', async (t) => {
  t.same(leaves({ a: [] }, 'a.b'), [])
  t.same(leaves({ a: [1, 'x', null] }, 'a.b'), [])
  t.same(leaves({ a: [] }, 'a.0'), [])
  t.same(leaves({ a: [1] }, 'a.5'), [])
  t.same(leaves({ a: [{ b: [] }, { b: [] }] }, 'a.b.x'), [])
})

t.test('a walk ends with the first leaf that is taken', async (t) => {
  let count = 0
  const found = walkPath(documentFrom({ a: [{ b: 1 }, { b: 2 }] }), parsePath('a.b'), () => {
    count++
    return true
  })
  t.same([found, count], [true, 1])
})

t.test('keys: one for each element, null for missing, undefined for an empty array', async (t) => {
  t.equal(keys({ a: 1 }, 'a'), '1')
  t.equal(keys({}, 'a'), 'null')
  t.equal(keys({ a: [1, 2] }, 'a'), '1 2 *')
  t.equal(keys({ a: [] }, 'a'), 'undefined *')
  t.equal(keys({ a: [[]] }, 'a'), '[] *')
  t.equal(keys({ a: [[1, 2], 3] }, 'a'), '[ 1, 2 ] 3 *')
  t.equal(keys({ a: { b: 1 } }, 'a.b'), '1')
  t.equal(keys({ a: [{ b: 1 }, { b: [2, 3] }, {}] }, 'a.b'), '1 2 3 null *')
  t.equal(keys({ a: [{ b: 1 }, 5] }, 'a.b'), '1 null *')
  t.equal(keys({ a: [] }, 'a.b'), 'null *')
  t.equal(keys({ a: 5 }, 'a.b'), 'null')
  t.equal(keys({ a: [[{ b: 1 }]] }, 'a.b'), 'null *')
})

t.test('keys by position are not multikey until an array is spread', async (t) => {
  t.equal(keys({ a: [5, 6] }, 'a.1'), '6')
  t.equal(keys({ a: [5] }, 'a.1'), 'null')
  t.equal(keys({ a: [5, [6, 7]] }, 'a.1'), '6 7 *')
  t.equal(keys({ a: [{ b: 1 }, { b: 2 }] }, 'a.1.b'), '2')
  t.equal(keys({ a: [{ 1: 'x' }, 6] }, 'a.1'), 'x 6 *'.replace('x', '"x"'))
})

t.test('equal values make one key, in the order of their first', async (t) => {
  t.equal(keys({ a: [3, 1, 3, 1] }, 'a'), '3 1 *')
  const many = Array.from({ length: 100 }, (_, i) => i % 10)
  t.equal(keys({ a: many }, 'a'), '0 1 2 3 4 5 6 7 8 9 *')
  const check = (items: Value[]) => {
    const { values } = keyValues(documentFrom({ a: items }), parsePath('a'))
    const isDistinct = values.every((v, i) => values.findIndex((w) => equalValues(v, w)) === i)
    return isDistinct && items.every((v) => values.some((w) => equalValues(v, w)))
  }
  const items = fc.array(numbers, { minLength: 1, maxLength: 20 })
  fc.assert(fc.property(items, check), { numRuns: runs(500) })
})

t.test('an expression maps over arrays, and a number is a name', async (t) => {
  t.equal(expression({ a: { b: 1 } }, 'a.b'), '1')
  t.equal(expression({ a: [{ b: 1 }, { b: 2 }, 3] }, 'a.b'), '[ 1, 2 ]')
  t.equal(expression({ a: [{ b: [1] }, {}, [{ b: 4 }]] }, 'a.b'), '[ [ 1 ] ]')
  t.equal(expression({ a: [1, 2] }, 'a.0'), '[]')
  t.equal(expression({ a: [{ 0: 'x' }] }, 'a.0'), '[ "x" ]')
  t.equal(expression({ a: [] }, 'a.b'), '[]')
  t.equal(expression({ a: 1 }, 'a.b'), 'missing')
  t.equal(expression({}, 'a'), 'missing')
  const rest = expressionValue(valueFrom([{ b: 1 }]), parsePath('this.b'), 1)
  t.equal(shellText(rest as Value), '[ 1 ]')
})
