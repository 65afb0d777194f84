import fc from 'fast-check'
import t from 'tap'
import { runs } from '../../support/runs.js'
import { double, evaluate, long, refused, shown, table } from './expression-table.js'

const document = {
  s: 'Hello',
  u: 'żółw🐢x',
  n: null,
  i: 5,
  date: new Date('2024-03-10T12:34:56.789Z'),
}

t.test('$concat joins strings and nothing else', async (t) => {
  table(t, document, [
    [{ $concat: ['$s', ' ', 'you'] }, 'Hello you'],
    [{ $concat: [] }, ''],
    [{ $concat: ['$s', '$n'] }, null],
    [{ $concat: ['$missing', 'x'] }, null],
    [{ $concat: ['$s', '$i'] }, refused(16702, '$concat only supports strings, not int')],
  ])
})

t.test('case changes ASCII letters, after converting numbers and dates', async (t) => {
  table(t, document, [
    [{ $toLower: '$s' }, 'hello'],
    [{ $toUpper: '$s' }, 'HELLO'],
    [{ $toUpper: 'żaB' }, 'żAB'],
    [{ $toLower: '$n' }, ''],
    [{ $toLower: '$missing' }, ''],
    [{ $toUpper: '$i' }, '5'],
    [{ $toUpper: double(1.5) }, '1.5'],
    [{ $toLower: '$date' }, '2024-03-10t12:34:56.789z'],
    [{ $toLower: { $literal: [] } }, refused(16007)],
    [{ $strcasecmp: ['abc', 'ABD'] }, -1],
    [{ $strcasecmp: ['$n', ''] }, 0],
  ])
})

t.test('$substrBytes, $substrCP and lengths count bytes and code points', async (t) => {
  table(t, document, [
    [{ $substrBytes: ['$s', 1, 3] }, 'ell'],
    [{ $substr: ['$s', 1, -1] }, 'ello'],
    [{ $substrBytes: ['$s', 9, 1] }, ''],
    [{ $substrBytes: ['$n', 0, 1] }, ''],
    [{ $substrBytes: ['$u', 0, 2] }, 'ż'],
    [{ $substrBytes: ['$u', 1, 2] }, refused(28656)],
    [{ $substrBytes: ['$u', 0, 1] }, refused(28657)],
    [{ $substrBytes: ['$s', -1, 1] }, refused(50752)],
    [{ $substrBytes: ['$s', 'x', 1] }, refused(16034)],
    [{ $substrBytes: ['$s', 0, 'x'] }, refused(16035)],
    [{ $substrCP: ['$u', 3, 2] }, 'w🐢'],
    [{ $substrCP: ['$u', 9, 2] }, ''],
    [{ $substrCP: ['$s', 'x', 1] }, refused(34450)],
    [{ $substrCP: ['$s', 0.5, 1] }, refused(34451)],
    [{ $substrCP: ['$s', 0, 'x'] }, refused(34452)],
    [{ $substrCP: ['$s', 0, 0.5] }, refused(34453)],
    [{ $substrCP: ['$s', 0, -1] }, refused(34454)],
    [{ $substrCP: ['$s', -1, 1] }, refused(34455)],
    [{ $strLenBytes: '$u' }, 12],
    [{ $strLenCP: '$u' }, 6],
    [{ $strLenBytes: '$n' }, refused(34473)],
    [{ $strLenCP: '$missing' }, refused(34471)],
  ])
})

t.test('$split, $trim and $indexOf', async (t) => {
  table(t, document, [
    [{ $split: ['a-b--c', '-'] }, ['a', 'b', '', 'c']],
    [{ $split: ['$n', '-'] }, null],
    [{ $split: ['$i', '-'] }, refused(40085)],
    [{ $split: ['a', '$i'] }, refused(40086)],
    [{ $split: ['a', ''] }, refused(40087)],
    [{ $trim: { input: ' \t a b\u00a0 ' } }, 'a b'],
    [{ $ltrim: { input: '  a ' } }, 'a '],
    [{ $rtrim: { input: ' a  ' } }, ' a'],
    [{ $trim: { input: 'xyaxy', chars: 'yx' } }, 'a'],
    [{ $trim: { input: '$n' } }, null],
    [{ $trim: { input: 'a', chars: '$n' } }, null],
    [{ $trim: 'a' }, refused(50696)],
    [{ $trim: { chars: 'a' } }, refused(50695)],
    [{ $trim: { input: 'a', z: 1 } }, refused(50694)],
    [{ $trim: { input: 5 } }, refused(50699)],
    [{ $trim: { input: 'a', chars: 5 } }, refused(50700)],
    [{ $indexOfBytes: ['$u', 'w'] }, 6],
    [{ $indexOfCP: ['$u', 'x'] }, 5],
    [{ $indexOfCP: ['$u', 'ż', 1] }, -1],
    [{ $indexOfCP: ['abcabc', 'c', 3, 5] }, -1],
    [{ $indexOfCP: ['abcabc', 'c', 3, 6] }, 5],
    [{ $indexOfCP: ['abc', 'a', 9] }, -1],
    [{ $indexOfCP: ['$n', 'a'] }, null],
    [{ $indexOfCP: [5, 'a'] }, refused(40093)],
    [{ $indexOfCP: ['a', 5] }, refused(40094)],
    [{ $indexOfBytes: [5, 'a'] }, refused(40091)],
    [{ $indexOfBytes: ['a', 5] }, refused(40092)],
    [{ $indexOfCP: ['a', 'a', 'x'] }, refused(40096)],
    [{ $indexOfCP: ['a', 'a', -1] }, refused(40097)],
  ])
})

t.test('$replaceOne and $replaceAll take their strings literally', async (t) => {
  const replace = (input: unknown, find: unknown, replacement: unknown) => ({
    input,
    find,
    replacement,
  })
  table(t, document, [
    [{ $replaceOne: replace('a.a', 'a', { $literal: '$&' }) }, '$&.a'],
    [{ $replaceAll: replace('a.a', 'a', 'b') }, 'b.b'],
    [{ $replaceAll: replace('aaa', '.', 'b') }, 'aaa'],
    [{ $replaceAll: replace('$n', '.', 'b') }, null],
    [{ $replaceAll: replace('a', '$missing', 'b') }, null],
    [{ $replaceAll: 1 }, refused(51751)],
    [{ $replaceAll: { input: 'a', find: 'a', replacement: 'a', z: 1 } }, refused(51750)],
    [{ $replaceAll: { find: 'a', replacement: 'a' } }, refused(51749)],
    [{ $replaceAll: { input: 'a', replacement: 'a' } }, refused(51748)],
    [{ $replaceAll: { input: 'a', find: 'a' } }, refused(51747)],
    [{ $replaceAll: replace(5, 'a', 'a') }, refused(51746)],
    [{ $replaceAll: replace('a', 5, 'a') }, refused(51745)],
    [{ $replaceAll: replace('a', 'a', 5) }, refused(51744)],
  ])
})

t.test('patterns are found at code points, with their groups', async (t) => {
  table(t, document, [
    [{ $regexMatch: { input: '$s', regex: '^h', options: 'i' } }, true],
    [{ $regexMatch: { input: '$s', regex: /^h/i } }, true],
    [{ $regexMatch: { input: '$n', regex: /x/ } }, false],
    [
      { $regexFind: { input: '$u', regex: /(x)|(y)/ } },
      { match: 'x', idx: 5, captures: ['x', null] },
    ],
    [{ $regexFind: { input: '$u', regex: /z/ } }, null],
    [
      { $regexFindAll: { input: 'a🐢aa', regex: /a/ } },
      [
        { match: 'a', idx: 0, captures: [] },
        { match: 'a', idx: 2, captures: [] },
        { match: 'a', idx: 3, captures: [] },
      ],
    ],
    [
      { $regexFindAll: { input: '🐢', regex: '' } },
      [
        { match: '', idx: 0, captures: [] },
        { match: '', idx: 1, captures: [] },
      ],
    ],
    [{ $regexFindAll: { input: '$n', regex: /x/ } }, []],
    [{ $regexMatch: { input: '$s', regex: { $concat: ['$s', ''] } } }, true],
    [{ $regexMatch: { input: '$s', regex: '$n' } }, false],
    [{ $regexMatch: 'x' }, refused(51103)],
    [{ $regexMatch: { input: 'a', regex: 'a', z: 1 } }, refused(31024)],
    [{ $regexMatch: { regex: 'a' } }, refused(31022)],
    [{ $regexMatch: { input: 'a' } }, refused(31023)],
    [{ $regexMatch: { input: 5, regex: 'a' } }, refused(51104)],
    [{ $regexMatch: { input: 'a', regex: 5 } }, refused(51105)],
    [{ $regexMatch: { input: 'a', regex: 'a', options: 5 } }, refused(51106)],
    [{ $regexMatch: { input: 'a', regex: /a/i, options: 'i' } }, refused(51107)],
    [{ $regexMatch: { input: 'a', regex: 'a', options: 'q' } }, refused(51108)],
  ])
})

t.test('joining what was split gives the text again', async () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.constantFrom('a', ' ', '-'), (text, by) => {
      const document = { text: text.replaceAll('\0', ''), by }
      const joined = {
        $reduce: {
          input: { $split: ['$text', '$by'] },
          initialValue: null,
          in: {
            $cond: [
              { $eq: ['$$value', null] },
              '$$this',
              { $concat: ['$$value', '$by', '$$this'] },
            ],
          },
        },
      }
      return shown(evaluate(joined, document)) === shown(evaluate('$text', document))
    }),
    { numRuns: runs(100) },
  )
})

t.test('numbers become text as they are written', async (t) => {
  table(t, {}, [
    [{ $substr: [long(2n ** 60n), 0, -1] }, '1152921504606846976'],
    [{ $substr: [double(2), 0, -1] }, '2'],
  ])
})
