// Regular expressions: the reference server's dialect on a linear-time engine. What means the same
// in both is tried on examples; what cannot be matched in linear time must be refused, never run.

import fc from 'fast-check'
import t from 'tap'
import { work } from '../../src/base/work/work-budget.js'
import { requestUnits } from '../../src/base/work/work-figures.js'
import { compileRegex } from '../../src/query/regex.js'
import { stringValue } from '../../src/value/value.js'
import { refuses } from '../support/query.js'
import { runs } from '../support/runs.js'

type Row = readonly [pattern: string, options: string, text: string, matches: boolean]

function table(name: string, rows: readonly Row[]): void {
  t.test(name, async (t) => {
    for (const [pattern, options, text, expected] of rows) {
      const regex = compileRegex(pattern, options)
      const title = `/${pattern}/${options} on ${JSON.stringify(text)}`
      t.equal(regex.testValue(stringValue(text)), expected, title)
      t.equal(regex.test(text), expected, `${title}, as text`)
    }
  })
}

table('plain text is found where its anchors allow', [
  ['', '', '', true],
  ['b', '', 'abc', true],
  ['^b', '', 'abc', false],
  ['^ab', '', 'abc', true],
  ['bc$', '', 'abc', true],
  ['bc$', '', 'abc\n', true],
  ['bc$', '', 'abc\n\n', false],
  ['^abc$', '', 'abc', true],
  ['^abc$', '', 'abc\n', true],
  ['^abc$', '', 'abcd', false],
  ['a\\.b', '', 'axb', false],
  ['é', '', 'café', true],
  ['^😀', '', '😀!', true],
])

table('options i, m, s, x and u', [
  ['ABC', 'i', 'xabcx', true],
  ['É', 'i', 'é', true],
  ['^b', 'm', 'a\nb', true],
  ['a$', 'm', 'a\nb', true],
  ['a$', '', 'a\nb', false],
  ['a.b', '', 'a\nb', false],
  ['a.b', 's', 'a\nb', true],
  ['a.b', '', 'a\rb', true],
  ['a b # comment\n c', 'x', 'abc', true],
  ['a\\ b', 'x', 'a b', true],
  ['[a b]c', 'x', ' c', true],
  ['a', 'u', 'a', true],
])

table('inline options hold to the end of their group', [
  ['(?i)abc', '', 'ABC', true],
  ['a(?i)b', '', 'aB', true],
  ['a(?i)b', '', 'AB', false],
  ['(?:(?i)a)b', '', 'AB', false],
  ['(?i:a)b', '', 'Ab', true],
  ['(?x) a b ', '', 'ab', true],
  ['(?x: a b )c d', '', 'abc d', true],
  ['(?s).', '', '\n', true],
  ['(?-i)a', 'i', 'A', false],
])

table('escapes and classes', [
  ['\\Aab\\z', '', 'ab', true],
  ['\\Aab\\z', '', 'ab\n', false],
  ['ab\\Z', '', 'ab\n', true],
  ['\\d\\D\\w\\W\\s\\S', '', '1aa- b', true],
  ['^\\s$', '', '\v', true],
  ['^\\h$', '', '\u00a0', true],
  ['^\\R$', '', '\r\n', true],
  ['^\\N+$', '', 'ab', true],
  ['^[\\d-z]$', '', '-', true],
  ['^[]a]$', '', ']', true],
  ['^[^]a]$', '', 'b', true],
  ['^[[:alpha:]]+$', '', 'abc', true],
  ['^[a\\-z]$', '', 'b', false],
  ['^[\\w.]+$', '', 'a.b', true],
  ['\\x41\\x{1f600}\\t\\012', '', 'A😀\t\n', true],
  ['\\Qa.b\\E+', '', 'a.bb', true],
  ['\\p{Lu}\\pL', '', 'Éa', true],
  ['\\bfoo\\b', '', 'a foo.', true],
  ['^[\\b]$', '', '\b', true],
])

table('quantifiers, groups and branches', [
  ['^a{2,3}$', '', 'aaa', true],
  ['^a{2}$', '', 'a', false],
  ['^a{,3}$', '', 'a{,3}', true],
  ['^a{x$', '', 'a{x', true],
  ['^(?:ab)+?c', '', 'ababc', true],
  ['^(?<year>\\d{4})-(?P<m>\\d\\d)$', '', '2026-11', true],
  ["^(?'n'a)$", '', 'a', true],
  ['a(?#comment)b', '', 'ab', true],
  ['^(cat|dog)s?$', '', 'dogs', true],
  ['^a|b$', '', 'xb', true],
  ['(*UTF8)é', '', 'é', true],
])

table('look-ahead behind a leading anchor', [
  ['^(?!system\\.)', '', 'system.users', false],
  ['^(?!system\\.)', '', 'users.system.', true],
  ['^(?=.*\\d)(?=.*[a-z])(?!.* ).{4,}$', '', 'abc1', true],
  ['^(?=.*\\d)(?=.*[a-z])(?!.* ).{4,}$', '', 'ab 1', false],
  ['^(?!(?:a|b$))[ab]', '', 'ba', true],
  ['^(?!a|b$)[ab]', '', 'b', false],
  ['^(?!AB)a', 'i', 'abc', false],
  ['^ (?= a b ) a', 'x', 'abc', true],
  ['^(?!a.b)', 's', 'a\nb', false],
  ['^(?!a$)', '', 'a\n', false],
  ['^(?!)a', '', 'a', false],
  ['^(?=)a', '', 'a', true],
  ['^(?![)])a', '', 'a', true],
])

t.test('what needs backtracking is refused with 51091', async (t) => {
  const rows: readonly (readonly [string, string])[] = [
    ['(?=a)b', 'look-around'],
    ['(?!a)b', 'look-around'],
    ['(?<=a)b', 'look-around'],
    ['(?<!a)b', 'look-around'],
    ['^a(?=b)', 'look-around'],
    ['^(?=a)|b', 'look-around'],
    ['^(?=a)*b', 'look-around'],
    ['^(?!^(?=a))', 'look-around'],
    ['(^(?=a))', 'look-around'],
    ['^(?<=a)', 'look-around'],
    ['^(?!a', 'missing closing'],
    ['^(?!(a)', 'missing closing'],
    ['(a)\\1', 'back references'],
    ['(?<n>a)\\k<n>', 'back references'],
    ['(?P=n)', 'groups of this kind'],
    ['a++', 'possessive'],
    ['(?>a+)b', 'groups of this kind'],
    ['(?(1)a|b)', 'groups of this kind'],
    ['(?R)', 'groups of this kind'],
    ['a\\Kb', '\\K'],
    ['(*COMMIT)a', 'verbs'],
    ['(', 'missing closing'],
    [')', 'unmatched'],
    ['[a', 'missing terminating ]'],
    ['[z-a]', 'range out of order'],
    ['*a', 'missing argument'],
    ['a\\', '\\ at end of pattern'],
    ['\\y', 'unrecognized character follows'],
    ['x'.repeat(40_000), 'too large'],
    // Of 9 characters a count makes 1,000 instructions: the first took 1.8 s to compile.
    ['(a{1000})'.repeat(1_000), 'too large'],
    [`^(?!${'(?:[ab]{1,1000}?)'.repeat(60)})a`, 'too large'],
    [`(?:(?<x>ab|c$){0,30}d){30}${'e{900,}'.repeat(55)}`, 'too large'],
  ]
  for (const [pattern, text] of rows) refuses(t, () => compileRegex(pattern, ''), 51091, text)
  refuses(t, () => compileRegex('a', 'g'), 51108, 'invalid flag in regex options: g')
})

t.test('counted items of usual size are accepted', async (t) => {
  const rows = ['(?:[a-z]{1,63}\\.){1,15}', 'a{1000}'.repeat(30), 'x'.repeat(30_000), 'a{b}\\{9}']
  for (const pattern of rows) t.doesNotThrow(() => compileRegex(pattern, 'i'), pattern.slice(0, 20))
})

t.test('a request compiles some hundreds of patterns, and refuses thousands', async (t) => {
  const patterns = (from: number, count: number) =>
    work.within(requestUnits, () => {
      for (let i = from; i < from + count; i++) compileRegex(`^a${i}[0-9]+(foo|bar)?$`, 'i')
    })
  t.doesNotThrow(() => patterns(0, 300))
  t.throws(() => patterns(300, 1_000), { message: /too much work/ })
  t.doesNotThrow(() => compileRegex('x'.repeat(32_000), 'i'))
})

t.test(
  'what takes long to compile is compiled for the first text, and refused there',
  async (t) => {
    const patterns = [
      '\\pL'.repeat(10_000),
      `(?i)${'\\pL'.repeat(1_000)}`,
      `[${'\\PL\\pN'.repeat(5_000)}]`,
      '\\pL{1000}',
      '.'.repeat(32_000),
      '^(?=\\pL{500})(?=a).*b',
    ]
    for (const pattern of patterns) {
      const begun = process.cpuUsage()
      work.within(requestUnits, () => {
        const regex = compileRegex(pattern, '')
        t.throws(() => regex.test('ab'), { message: /too much work/ }, pattern.slice(0, 20))
        t.throws(() => regex.matcher('ab'), { message: /too much work/ }, 'nor is a part of it')
      })
      const ms = process.cpuUsage(begun).user / 1_000
      t.ok(ms < 200, `${ms} ms instead of up to 5 s`)
    }
    const regex = compileRegex('^(?=\\pL{500})(?=a).*b', '')
    t.notOk(regex.test('ab'), 'without a bound it has all of its parts')
  },
)

t.test('what a match computes counts, on a short text too', async (t) => {
  // No text repeats a state of the automaton; the last character is tried last.
  const text = Array.from({ length: 500 }, (_, i) => 'abcdefghijklmnopqrstuvw'[i % 23]).join('')
  const shown = `${text}x`
  for (const pattern of ['(?:[a-z][a-z]?){500}x', '(?:[a-z]{1,2}){480}[a-z]?x']) {
    const regex = compileRegex(pattern, '')
    work.within(requestUnits, () => {
      t.throws(() => regex.test(shown), { message: /too much work/ }, `${pattern}: test`)
    })
    work.within(requestUnits, () => {
      t.throws(() => regex.matcher(shown).find(0), { message: /too much work/ }, 'find')
    })
  }
  const usual = compileRegex('^[a-z]+(?:foo|bar)?[a-z]+x$', '')
  const { spent } = work
  t.ok(usual.test(shown) && usual.matcher(shown).find(0) !== undefined)
  t.ok(work.spent - spent < 15_000, `${work.spent - spent} units`)
})

t.test('hostile patterns come to an end on long texts', async (t) => {
  const hostile = `${'a'.repeat(50_000)}b`
  for (const pattern of [
    '^(a+)+$',
    '(a|a)*c',
    '(a|aa)+$',
    '^(.*)*(.*)*[^b]$',
    '(?:a?){50}a{50}c',
    '^(?=(a+)+$)(?!(a|aa)+$)b',
  ]) {
    t.equal(compileRegex(pattern, '').test(hostile), false, pattern)
  }
})

t.test('the text that every match begins with bounds an index', async (t) => {
  const rows: readonly (readonly [string, string, string | undefined, boolean])[] = [
    ['^abc', '', 'abc', true],
    ['^abc.*', '', 'abc', false],
    ['^abc$', '', 'abc', false],
    ['^abc?', '', 'ab', false],
    ['^ab{0,2}c', '', 'a', false],
    ['^ab|c', '', undefined, false],
    ['^(ab)', '', undefined, false],
    ['^abc(d|e)', '', 'abc', false],
    ['^abc', 'i', undefined, false],
    ['^abc', 'm', undefined, false],
    ['^a(?i)b', '', 'a', false],
    ['abc', '', undefined, false],
    ['^a\\.b', '', 'a.b', true],
    ['^\\Qa+b\\E', '', 'a+b', true],
    ['^', '', undefined, false],
    ['^(?!abd)ab', '', 'ab', false],
    ['^(?=a)(?!b)', '', undefined, false],
  ]
  for (const [pattern, options, prefix, isPrefixOnly] of rows) {
    const regex = compileRegex(pattern, options)
    t.equal(regex.prefix, prefix, pattern)
    t.equal(regex.isPrefixOnly, isPrefixOnly, pattern)
  }
})

t.test('a matcher gives offsets and groups in UTF-16', async (t) => {
  const regex = compileRegex('(b)(x)?(c)', '')
  t.same(regex.matcher('😀abc').find(0), { index: 3, text: 'bc', groups: ['b', undefined, 'c'] })
  t.equal(regex.matcher('abc').find(2), undefined)
})

t.test('plain patterns agree with the language’s own engine', async (t) => {
  const atom = fc.constantFrom(
    'a',
    'b',
    '.',
    '[ab]',
    '[^a]',
    '\\d',
    '\\w',
    '(?:a|b)',
    '^',
    '$',
    '1',
  )
  const quantifier = fc.constantFrom('', '', '', '*', '+', '?', '{1,2}')
  const pattern = fc
    .array(
      fc.tuple(atom, quantifier).map(([a, q]) => (a === '^' || a === '$' ? a : a + q)),
      { maxLength: 5 },
    )
    .map((parts) => parts.join(''))
  const text = fc.array(fc.constantFrom('a', 'b', '1', 'é', ' '), { maxLength: 8 })
  fc.assert(
    fc.property(pattern, text, fc.boolean(), (source, characters, ignoresCase) => {
      const options = ignoresCase ? 'i' : ''
      const subject = characters.join('')
      const expected = new RegExp(source, `${options}u`).test(subject)
      return compileRegex(source, options).testValue(stringValue(subject)) === expected
    }),
    { numRuns: runs(500) },
  )
  t.pass('held')
})

t.test('look-ahead at the start agrees with the language’s own engine, groups too', async (t) => {
  // A group in a loop is left out: it keeps what an earlier turn has found in one engine alone.
  const atom = fc.constantFrom(
    'a',
    'b',
    'a?',
    'b*',
    '.+',
    '[ab]',
    '(a)',
    '(a|b)',
    '(?:b|(a)b)',
    '$',
  )
  const part = fc.array(atom, { maxLength: 3 }).map((parts) => parts.join(''))
  const ahead = fc.tuple(fc.constantFrom('=', '!'), part, part)
  const pattern = fc
    .tuple(fc.array(ahead, { minLength: 1, maxLength: 3 }), part)
    .map(([all, rest]) => `^${all.map(([kind, a, b]) => `(?${kind}${a}|${b})`).join('')}${rest}`)
  const text = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 6 })
  fc.assert(
    fc.property(pattern, text, (source, characters) => {
      const subject = characters.join('')
      const regex = compileRegex(source, '')
      const found = new RegExp(source, 'u').exec(subject)
      const [whole, ...groups] = found ?? []
      const match = found === null ? undefined : { index: 0, text: whole, groups }
      t.equal(regex.testValue(stringValue(subject)), found !== null, `/${source}/ on ${subject}`)
      t.same(regex.matcher(subject).find(0), match, `/${source}/ on ${subject}, with its groups`)
      t.equal(regex.matcher(`${subject}a`).find(1), undefined, 'at the start alone')
    }),
    { numRuns: runs(100) },
  )
})
