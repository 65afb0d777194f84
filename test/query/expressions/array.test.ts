import fc from 'fast-check'
import t from 'tap'
import { runs } from '../../support/runs.js'
import { double, evaluate, long, refused, shown, table } from './expression-table.js'

const document = {
  a: [1, 2, 3],
  empty: [],
  n: null,
  i: 5,
  o: [
    { k: 2, x: 'b' },
    { k: 1, x: 'c' },
    { k: 2, x: 'a' },
  ],
}

t.test('$arrayElemAt, $first and $last leave out what is outside', async (t) => {
  table(t, document, [
    [{ $arrayElemAt: ['$a', 0] }, 1],
    [{ $arrayElemAt: ['$a', -1] }, 3],
    [{ $arrayElemAt: ['$a', 3] }, undefined],
    [{ $arrayElemAt: ['$a', -4] }, undefined],
    [{ $arrayElemAt: ['$n', 0] }, null],
    [{ $arrayElemAt: ['$i', 0] }, refused(28689)],
    [{ $arrayElemAt: ['$a', 'x'] }, refused(28690)],
    [{ $arrayElemAt: ['$a', 0.5] }, refused(28691)],
    [{ $first: '$a' }, 1],
    [{ $last: '$a' }, 3],
    [{ $first: '$empty' }, undefined],
    [{ $last: '$missing' }, null],
    [{ $first: '$i' }, refused(28689, "$first's argument must be an array, but is int")],
  ])
})

t.test('$size, $isArray and $in ask about arrays', async (t) => {
  table(t, document, [
    [{ $size: '$a' }, 3],
    [
      { $size: '$n' },
      refused(17124, 'The argument to $size must be an array, but was of type: null'),
    ],
    [
      { $size: '$missing' },
      refused(17124, 'The argument to $size must be an array, but was of type: missing'),
    ],
    [{ $isArray: '$a' }, true],
    [{ $isArray: [['x']] }, true],
    [{ $isArray: '$missing' }, false],
    [{ $in: [double(2), '$a'] }, true],
    [{ $in: [9, '$a'] }, false],
    [{ $in: ['$missing', '$a'] }, false],
    [{ $in: [1, '$n'] }, refused(40081)],
  ])
})

t.test('$slice takes from either end', async (t) => {
  table(t, document, [
    [{ $slice: ['$a', 2] }, [1, 2]],
    [{ $slice: ['$a', -2] }, [2, 3]],
    [{ $slice: ['$a', 1, 1] }, [2]],
    [{ $slice: ['$a', -2, 1] }, [2]],
    [{ $slice: ['$a', -9, 2] }, [1, 2]],
    [{ $slice: ['$a', 9, 2] }, []],
    [{ $slice: ['$n', 2] }, null],
    [{ $slice: ['$a', '$n'] }, null],
    [{ $slice: ['$i', 2] }, refused(28724)],
    [{ $slice: ['$a', 'x'] }, refused(28725)],
    [{ $slice: ['$a', 0.5] }, refused(28726)],
    [{ $slice: ['$a', 1, 'x'] }, refused(28727)],
    [{ $slice: ['$a', 1, 0.5] }, refused(28728)],
    [{ $slice: ['$a', 1, 0] }, refused(28729)],
  ])
})

t.test('arrays are joined, counted up, turned and searched', async (t) => {
  table(t, document, [
    [{ $concatArrays: ['$a', [9], '$empty'] }, [1, 2, 3, 9]],
    [{ $concatArrays: ['$a', '$n'] }, null],
    [{ $concatArrays: ['$a', '$i'] }, refused(28664)],
    [{ $range: [0, 5, 2] }, [0, 2, 4]],
    [{ $range: [5, 0, -2] }, [5, 3, 1]],
    [{ $range: [0, 3] }, [0, 1, 2]],
    [{ $range: [3, 0] }, []],
    [{ $range: ['x', 1] }, refused(34443)],
    [{ $range: [0.5, 1] }, refused(34444)],
    [{ $range: [0, 'x'] }, refused(34445)],
    [{ $range: [0, 0.5] }, refused(34446)],
    [{ $range: [0, 1, 'x'] }, refused(34447)],
    [{ $range: [0, 1, 0.5] }, refused(34448)],
    [{ $range: [0, 1, 0] }, refused(34449)],
    [{ $range: [0, 2147483647] }, refused(146)],
    [{ $reverseArray: '$a' }, [3, 2, 1]],
    [{ $reverseArray: '$n' }, null],
    [{ $reverseArray: '$i' }, refused(34435)],
    [{ $indexOfArray: ['$a', 2] }, 1],
    [{ $indexOfArray: ['$a', 2, 2] }, -1],
    [{ $indexOfArray: ['$a', 3, 0, 2] }, -1],
    [{ $indexOfArray: ['$n', 2] }, null],
    [{ $indexOfArray: ['$i', 2] }, refused(40090)],
    [{ $indexOfArray: ['$a', 2, -1] }, refused(40097)],
  ])
})

t.test('$map, $filter and $reduce evaluate for each element', async (t) => {
  table(t, document, [
    [{ $map: { input: '$a', in: { $add: ['$$this', '$i'] } } }, [6, 7, 8]],
    [{ $map: { input: '$o', as: 'e', in: '$$e.x' } }, ['b', 'c', 'a']],
    [{ $map: { input: '$o', as: 'e', in: '$$e.nope' } }, [null, null, null]],
    [{ $map: { input: '$n', in: 1 } }, null],
    [{ $map: { input: '$i', in: 1 } }, refused(16883, 'input to $map must be an array not int')],
    [{ $map: 1 }, refused(16878)],
    [{ $map: { input: 1, in: 1, z: 1 } }, refused(16879)],
    [{ $map: { in: 1 } }, refused(16880)],
    [{ $map: { input: 1 } }, refused(16882)],
    [{ $filter: { input: '$a', cond: { $gt: ['$$this', 1] } } }, [2, 3]],
    [{ $filter: { input: '$a', as: 'x', cond: { $gt: ['$$x', 1] }, limit: 1 } }, [2]],
    [{ $filter: { input: '$a', cond: true, limit: '$n' } }, [1, 2, 3]],
    [{ $filter: { input: '$missing', cond: true } }, null],
    [{ $filter: { input: '$i', cond: true } }, refused(28651)],
    [{ $filter: 1 }, refused(28646)],
    [{ $filter: { input: 1, cond: 1, z: 1 } }, refused(28647)],
    [{ $filter: { cond: 1 } }, refused(28648)],
    [{ $filter: { input: 1 } }, refused(28650)],
    [{ $filter: { input: '$a', cond: 1, limit: 0 } }, refused(327392)],
    [{ $filter: { input: '$a', cond: 1, limit: 0.5 } }, refused(327391)],
    [{ $reduce: { input: '$a', initialValue: 10, in: { $add: ['$$value', '$$this'] } } }, 16],
    [{ $reduce: { input: '$empty', initialValue: 10, in: 0 } }, 10],
    [{ $reduce: { input: '$n', initialValue: 10, in: 0 } }, null],
    [{ $reduce: { input: '$i', initialValue: 10, in: 0 } }, refused(40080)],
    [{ $reduce: 1 }, refused(40075)],
    [{ $reduce: { input: 1, initialValue: 1, in: 1, z: 1 } }, refused(40076)],
    [{ $reduce: { initialValue: 1, in: 1 } }, refused(40077)],
    [{ $reduce: { input: 1, in: 1 } }, refused(40078)],
    [{ $reduce: { input: 1, initialValue: 1 } }, refused(40079)],
    [
      {
        $map: {
          input: '$a',
          as: 'x',
          in: { $map: { input: '$a', as: 'y', in: { $multiply: ['$$x', '$$y'] } } },
        },
      },
      [
        [1, 2, 3],
        [2, 4, 6],
        [3, 6, 9],
      ],
    ],
  ])
})

t.test('$zip and $sortArray', async (t) => {
  table(t, document, [
    [
      { $zip: { inputs: ['$a', ['x', 'y']] } },
      [
        [1, 'x'],
        [2, 'y'],
      ],
    ],
    [
      { $zip: { inputs: ['$a', ['x']], useLongestLength: true, defaults: [0, 'z'] } },
      [
        [1, 'x'],
        [2, 'z'],
        [3, 'z'],
      ],
    ],
    [{ $zip: { inputs: [['x'], '$n'] } }, null],
    [{ $zip: 1 }, refused(34460)],
    [{ $zip: { inputs: 1 } }, refused(34461)],
    [{ $zip: { inputs: [[1]], defaults: 1 } }, refused(34462)],
    [{ $zip: { inputs: [[1]], useLongestLength: 1 } }, refused(34463)],
    [{ $zip: { z: 1 } }, refused(34464)],
    [{ $zip: { inputs: [] } }, refused(34465)],
    [{ $zip: { inputs: [[1]], defaults: [1] } }, refused(34466)],
    [{ $zip: { inputs: [[1]], defaults: [1, 2], useLongestLength: true } }, refused(34467)],
    [{ $zip: { inputs: ['$i'] } }, refused(34468)],
    [{ $sortArray: { input: [3, 'a', 1, null], sortBy: 1 } }, [null, 1, 3, 'a']],
    [{ $sortArray: { input: '$a', sortBy: -1 } }, [3, 2, 1]],
    [
      { $sortArray: { input: '$o', sortBy: { k: -1, x: 1 } } },
      [
        { k: 2, x: 'a' },
        { k: 2, x: 'b' },
        { k: 1, x: 'c' },
      ],
    ],
    [{ $sortArray: { input: '$n', sortBy: 1 } }, null],
    [{ $sortArray: { input: '$i', sortBy: 1 } }, refused(2942504)],
    [{ $sortArray: { input: '$a', sortBy: 2 } }, refused(2)],
    [{ $sortArray: { input: '$a' } }, refused(2942503)],
  ])
})

t.test('the n first, last, least and greatest', async (t) => {
  table(t, document, [
    [{ $firstN: { n: 2, input: '$a' } }, [1, 2]],
    [{ $lastN: { n: 2, input: '$a' } }, [2, 3]],
    [{ $minN: { n: 2, input: [3, null, 1, 2] } }, [1, 2]],
    [{ $maxN: { n: 5, input: '$a' } }, [3, 2, 1]],
    [{ $firstN: { n: 0, input: '$a' } }, refused(5787908)],
    [{ $firstN: { n: 'x', input: '$a' } }, refused(5787902)],
    [{ $firstN: { n: 1.5, input: '$a' } }, refused(5787903)],
    [{ $firstN: { n: 1, input: '$i' } }, refused(5788200)],
  ])
})

t.test('sums and extremes as expressions take one array or several operands', async (t) => {
  table(t, document, [
    [{ $sum: '$a' }, 6],
    [{ $sum: ['$i', 2, 'x', '$missing'] }, 7],
    [{ $sum: ['$a', 1] }, 1],
    [{ $sum: '$missing' }, 0],
    [{ $avg: '$a' }, double(2)],
    [{ $avg: ['x'] }, null],
    [{ $min: '$a' }, 1],
    [{ $max: ['$a', 1] }, [1, 2, 3]],
    [{ $min: ['$n', '$missing'] }, null],
    [{ $stdDevPop: [1, 3] }, double(1)],
    [{ $stdDevSamp: [1] }, null],
    [{ $sum: [long(1), 2] }, long(3)],
  ])
})

t.test('sorting an array twice is sorting it once, and reversing twice is nothing', async () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.integer(), fc.string(), fc.constant(null))), (a) => {
      const once = { $sortArray: { input: '$a', sortBy: 1 } }
      const twice = { $sortArray: { input: once, sortBy: 1 } }
      const document = { a }
      const turned = { $reverseArray: { $reverseArray: '$a' } }
      return (
        shown(evaluate(once, document)) === shown(evaluate(twice, document)) &&
        shown(evaluate(turned, document)) === shown(evaluate('$a', document))
      )
    }),
    { numRuns: runs(100) },
  )
})
