import fc from 'fast-check'
import t from 'tap'
import { runs } from '../../support/runs.js'
import { double, evaluate, refused, shown, table } from './expression-table.js'

const document = {
  o: { a: 1, b: 2 },
  'dot.ted': 3,
  n: null,
  i: 5,
  pairs: [
    ['x', 1],
    ['y', 2],
  ],
  objects: [
    { k: 'x', v: 1 },
    { k: 'x', v: 2 },
  ],
}

t.test('$mergeObjects replaces fields in their place', async (t) => {
  table(t, document, [
    [{ $mergeObjects: ['$o', { b: 3, c: 4 }] }, { a: 1, b: 3, c: 4 }],
    [{ $mergeObjects: ['$n', '$missing'] }, {}],
    [{ $mergeObjects: '$o' }, { a: 1, b: 2 }],
    [{ $mergeObjects: ['$i'] }, refused(40400)],
  ])
})

t.test('$getField, $setField and $unsetField reach odd names', async (t) => {
  table(t, document, [
    [{ $getField: 'dot.ted' }, 3],
    [{ $getField: { field: 'a', input: '$o' } }, 1],
    [{ $getField: { field: 'z', input: '$o' } }, undefined],
    [{ $getField: { field: 'a', input: '$i' } }, undefined],
    [{ $getField: { field: 'a', input: '$n' } }, null],
    [{ $getField: { field: 5, input: '$o' } }, refused(5654602)],
    [{ $getField: { input: '$o' } }, refused(3041702)],
    [{ $getField: { field: 'a' } }, refused(3041703)],
    [{ $getField: { field: 'a', input: '$o', z: 1 } }, refused(3041701)],
    [{ $setField: { field: 'x.y', input: '$o', value: 9 } }, { a: 1, b: 2, 'x.y': 9 }],
    [{ $setField: { field: 'a', input: '$o', value: 9 } }, { a: 9, b: 2 }],
    [{ $setField: { field: 'a', input: '$o', value: '$$REMOVE' } }, { b: 2 }],
    [{ $unsetField: { field: 'a', input: '$o' } }, { b: 2 }],
    [{ $unsetField: { field: 'a', input: '$n' } }, null],
    [{ $setField: { field: '$i', input: '$o', value: 1 } }, refused(4161106)],
    [{ $setField: { field: 5, input: '$o', value: 1 } }, refused(4161107)],
    [{ $setField: { field: 'a', input: '$i', value: 1 } }, refused(4161105)],
    [{ $setField: { field: 'a', input: '$o' } }, refused(4161103)],
  ])
})

t.test('objects become arrays of pairs and come back', async (t) => {
  table(t, document, [
    [
      { $objectToArray: '$o' },
      [
        { k: 'a', v: 1 },
        { k: 'b', v: 2 },
      ],
    ],
    [{ $objectToArray: '$n' }, null],
    [{ $objectToArray: '$i' }, refused(40390)],
    [{ $arrayToObject: '$pairs' }, { x: 1, y: 2 }],
    [{ $arrayToObject: '$objects' }, { x: 2 }],
    [{ $arrayToObject: '$n' }, null],
    [{ $arrayToObject: '$i' }, refused(40386)],
    [{ $arrayToObject: [[5]] }, refused(40398)],
    [{ $arrayToObject: [[['a']]] }, refused(40397)],
    [{ $arrayToObject: [[[5, 1]]] }, refused(40395)],
    [{ $arrayToObject: [[['a', 1], { k: 'b', v: 1 }]] }, refused(40391)],
    [{ $arrayToObject: [[{ k: 'b', v: 1 }, ['a', 1]]] }, refused(40396)],
    [{ $arrayToObject: [[{ k: 'b' }]] }, refused(40392)],
    [{ $arrayToObject: [[{ k: 'b', w: 1 }]] }, refused(40393)],
    [{ $arrayToObject: [[{ k: 5, v: 1 }]] }, refused(40394)],
  ])
})

t.test('sizes are those of the bytes', async (t) => {
  table(t, document, [
    [{ $bsonSize: '$o' }, 19],
    [{ $bsonSize: '$n' }, null],
    [{ $bsonSize: '$i' }, refused(31393)],
    [{ $binarySize: 'abc' }, 3],
    [{ $binarySize: '$i' }, refused(51276)],
  ])
})

t.test('sets have no order and no repetition', async (t) => {
  const sets = { a: [3, 1, 1], b: [double(1), 2], n: null, i: 1, f: [0, null], e: [] }
  table(t, sets, [
    [{ $setUnion: ['$a', '$b'] }, [1, 2, 3]],
    [{ $setUnion: ['$a', '$n'] }, null],
    [{ $setUnion: ['$a', '$i'] }, refused(17043)],
    [{ $setUnion: [] }, []],
    [{ $setIntersection: ['$a', '$b'] }, [1]],
    [{ $setIntersection: ['$a', '$missing'] }, null],
    [{ $setIntersection: ['$a', '$i'] }, refused(17047)],
    [{ $setDifference: ['$a', '$b'] }, [3]],
    [{ $setDifference: ['$n', '$b'] }, null],
    [{ $setDifference: ['$i', '$b'] }, refused(17048)],
    [{ $setDifference: ['$a', '$i'] }, refused(17049)],
    [{ $setIsSubset: [[1], '$a'] }, true],
    [{ $setIsSubset: [[9], '$a'] }, false],
    [{ $setIsSubset: ['$n', '$a'] }, refused(17046)],
    [{ $setIsSubset: ['$a', '$n'] }, refused(17042)],
    [{ $setEquals: [[1, 3], '$a'] }, true],
    [{ $setEquals: [[1], '$a'] }, false],
    [{ $setEquals: ['$a', '$n'] }, refused(17044)],
    [{ $setEquals: ['$a'] }, refused(17045)],
    [{ $anyElementTrue: ['$a'] }, true],
    [{ $anyElementTrue: ['$f'] }, false],
    [{ $anyElementTrue: ['$n'] }, refused(17041)],
    [{ $allElementsTrue: ['$e'] }, true],
    [{ $allElementsTrue: ['$f'] }, false],
    [{ $allElementsTrue: ['$i'] }, refused(17040)],
  ])
})

t.test('union, intersection and difference fit together', async () => {
  const numbers = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 8 })
  fc.assert(
    fc.property(numbers, numbers, (a, b) => {
      const whole = {
        $setUnion: [{ $setDifference: ['$a', '$b'] }, { $setIntersection: ['$a', '$b'] }],
      }
      const equal = { $setEquals: [whole, '$a'] }
      return shown(evaluate(equal, { a, b })) === 'bool true'
    }),
    { numRuns: runs(100) },
  )
})
