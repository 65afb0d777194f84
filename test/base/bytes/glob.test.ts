// Patterns over bytes, compared with what a real server answers to KEYS: the expectations here were
// observed there (7.0.15), odd ones included.

import t, { type Test } from 'tap'
import { Glob } from '../../../src/base/bytes/glob.js'
import { Slice } from '../../../src/base/bytes/slice.js'
import { globStepsBase, globStepsPerByteMax } from '../../../src/base/limits/key-value.js'
import { work } from '../../../src/base/work/work-budget.js'
import { likeCharsPerUnit } from '../../../src/base/work/work-figures.js'

function matches(pattern: string, subject: string, ignoresCase = false): boolean {
  const bytes = (text: string) => Slice.of(Uint8Array.from(Buffer.from(text, 'latin1')))
  return new Glob(bytes(pattern), ignoresCase).matches(bytes(subject))
}

function all(t: Test, pattern: string, yes: readonly string[], no: readonly string[]): void {
  for (const each of yes) t.ok(matches(pattern, each), `${pattern} takes ${JSON.stringify(each)}`)
  for (const each of no) t.notOk(matches(pattern, each), `${pattern} leaves ${each}`)
}

t.test('a star takes any bytes, a line end and a slash too', async (t) => {
  all(t, 'a*', ['a', 'ab', 'a\n', 'a/b\0c'], ['', 'ba'])
  all(t, '*b', ['b', 'ab', 'bbb'], ['ba', ''])
  all(t, 'a*b*c', ['abc', 'axxbxxc', 'abcbc'], ['ab', 'acb'])
  all(t, 'a**', ['a', 'abc'], [''])
})

t.test('a question mark is one byte, not one character', async (t) => {
  all(t, 'a?', ['ab', 'a\xff'], ['a', 'abc'])
  all(t, '??', ['\xc3\xa9'], ['x'])
})

t.test('an empty subject matches the empty pattern alone', async (t) => {
  all(t, '', [''], ['a'])
  all(t, '*', ['a'], [''])
  all(t, '**', ['a'], [''])
  t.ok(new Glob(Slice.ofText('*')).isAll, 'commands take a single star for everything')
  t.notOk(new Glob(Slice.ofText('**')).isAll)
})

t.test('a set has ranges in either direction, and only a caret negates it', async (t) => {
  all(t, '[abc]', ['a', 'b'], ['d', '', 'ab'])
  all(t, '[a-c]', ['a', 'b', 'c'], ['d', '-'])
  all(t, '[c-a]', ['a', 'b', 'c'], ['d', '-'])
  all(t, '[^a-c]', ['d', '-'], ['a', 'b', 'c'])
  all(t, '[!b]', ['!', 'b'], ['a'])
  all(t, '[a\\]b]', ['a', ']', 'b'], ['\\'])
  all(t, '[]a', [], ['a', ']a', ''])
  all(t, '[^]', ['a', ']'], [''])
})

t.test('bytes above 7f are below the others in a range', async (t) => {
  all(t, '[a-\xff]', ['\xff', 'a', 'B', '\0'], ['b', '\xfe'])
  all(t, '[\x80-\xff]', ['\x80', '\xc0', '\xff'], ['\x7f', '\0'])
})

t.test('a set that is not closed runs to the end', async (t) => {
  all(t, 'a[b', ['ab'], ['a[b', 'a'])
  all(t, '[a', ['a'], ['[a'])
  all(t, 'a[', [], ['a', 'a['])
  all(t, 'a[^', ['ab', 'a['], ['a'])
  all(t, '[a-', ['a', '-'], ['b'])
  all(t, '[a-]', ['a', ']', '^'], ['b', '-'])
})

t.test('a backslash takes the next byte as it is', async (t) => {
  all(t, '\\*', ['*'], ['a', '\\*'])
  all(t, 'a\\', ['a\\'], ['a'])
  all(t, '\\a', ['a'], ['\\a'])
  all(t, '{a,b}', ['{a,b}'], ['a'])
})

t.test('case is folded where asked', async (t) => {
  t.ok(matches('ABC*', 'abcd', true))
  t.ok(matches('[A-C]', 'b', true))
  t.ok(matches('[a]', 'A', true))
  t.notOk(matches('ABC', 'abc'))
})

t.test('what every match begins with bounds a walk', async (t) => {
  const prefix = (pattern: string) => Buffer.from(new Glob(Slice.ofText(pattern)).prefix).toString()
  t.equal(prefix('user:*'), 'user:')
  t.equal(prefix('a\\*b?c'), 'a*b')
  t.equal(prefix('*a'), '')
  t.equal(prefix('plain'), 'plain')
})

t.test('patterns made to cost end soon', async (t) => {
  const before = work.spent
  t.notOk(matches(`${'a*'.repeat(40)}b`, 'a'.repeat(200)))
  t.ok(matches('*?'.repeat(50_000), 'a'.repeat(50_000)))
  t.notOk(matches(`*${'a'.repeat(100_000)}b`, 'a'.repeat(1_000_000)), 'given up')
  t.notOk(matches('a'.repeat(300_000), 'a'.repeat(300_000)), 'too long to match')
  const most = 4 * globStepsBase + (200 + 50_000 + 1_000_000) * globStepsPerByteMax
  const units = work.spent - before
  t.ok(units <= 4 + most / likeCharsPerUnit, `${units} units`)
})
