// Functions over long texts agree with the plain form of each, which makes a string a character, and
// what they read counts for the row.

import fc from 'fast-check'
import t from 'tap'
import { lengthOfUtf8 } from '../../../../../src/base/bytes/code-points.js'
import { textFunctions } from '../../../../../src/commands/sql/expression/functions/text-functions.js'
import {
  bigintOf,
  bsonType,
  int32Value,
  stringOf,
  stringValue,
  type Value,
} from '../../../../../src/value/value.js'
import { runs } from '../../../../support/runs.js'
import { unitsOf } from '../../../../support/stretch.js'

const texts = fc.array(fc.constantFrom(...'ab zé€😀\u{10ffff}ß1ǆ'), { maxLength: 40 })
const text = texts.map((characters) => characters.join(''))

const times = { now: 0, statement: 0, clock: () => 0 }

function call(name: string, ...args: readonly string[]): string | bigint {
  const row = textFunctions.find(({ names }) => names.includes(name))
  const value = row?.run(args.map(stringValue), times)
  if (value === undefined || value === null) throw new Error(`${name} has no value`)
  return value.type === bsonType.string ? stringOf(value) : bigintOf(value)
}

/** The plain form of the trims. */
function trimmed(whole: string, characters: string, ends: 'both' | 'start' | 'end'): string {
  const removed = new Set(characters)
  const points = [...whole]
  while (ends !== 'end' && points.length > 0 && removed.has(points[0] as string)) points.shift()
  while (ends !== 'start' && points.length > 0 && removed.has(points.at(-1) as string)) points.pop()
  return points.join('')
}

t.test('a length in code points is that of the bytes, at every alignment', async () => {
  const check = (given: string, offset: number) => {
    const bytes = new Uint8Array(Buffer.byteLength(given) + offset)
    const end = offset + Buffer.from(given).copy(bytes, offset)
    return lengthOfUtf8(bytes.subarray(offset, end)) === [...given].length
  }
  fc.assert(fc.property(text, fc.nat(7), check), { numRuns: runs(1_000) })
  const long = 'é😀ß'.repeat(2_000)
  fc.assert(
    fc.property(fc.nat(7), (offset) => check(long, offset)),
    { numRuns: 8 },
  )
})

t.test('reverse and the trims agree with their plain forms', async () => {
  const check = (whole: string, characters: string) =>
    call('reverse', whole) === [...whole].reverse().join('') &&
    call('btrim', whole, characters) === trimmed(whole, characters, 'both') &&
    call('ltrim', whole, characters) === trimmed(whole, characters, 'start') &&
    call('rtrim', whole, characters) === trimmed(whole, characters, 'end')
  fc.assert(fc.property(text, text, check), { numRuns: runs(2_000) })
})

t.test('texts that are written as UTF-8 agree with their plain forms', async () => {
  const padOf = (whole: string, length: number, fill: string): [string, string] => {
    const points = [...whole]
    const missing = length - points.length
    const cut = points.slice(0, Math.max(0, length)).join('')
    if (missing <= 0 || fill === '') return [cut, cut]
    const pad = [...fill.repeat(missing)].slice(0, missing).join('')
    return [pad + whole, whole + pad]
  }
  const padded = (name: string, whole: string, length: number, fill: string) => {
    const row = textFunctions.find(({ names }) => names === name)
    const args = [stringValue(whole), int32Value(length), stringValue(fill)]
    return stringOf(row?.run(args, times) as Value)
  }
  const ascii = fc.string({ unit: 'binary-ascii', maxLength: 70 })
  const check = (whole: string, length: number, fill: string, plain: string) => {
    const [left, right] = padOf(whole, length, fill)
    return (
      padded('lpad', whole, length, fill) === left &&
      padded('rpad', whole, length, fill) === right &&
      call('upper', plain) === plain.toUpperCase() &&
      call('lower', plain) === plain.toLowerCase() &&
      call('upper', whole) === whole.toUpperCase() &&
      call('lower', whole) === whole.toLowerCase()
    )
  }
  fc.assert(fc.property(text, fc.integer({ min: -1, max: 90 }), text, ascii, check), {
    numRuns: runs(1_000),
  })
})

t.test('a run of more than one part is trimmed whole', async (t) => {
  for (const letter of ['a', 'é', '😀']) {
    const run = letter.repeat(70_000)
    t.equal(call('btrim', `${run}x${run}`, letter), 'x')
    t.equal(call('btrim', run, letter), '')
    t.equal(call('rtrim', `x${run}`, `${run}b`), 'x')
  }
})

t.test('initcap begins each word with a capital', async (t) => {
  t.equal(
    call('initcap', 'ÉLAN vital, o’NEIL 2nd-hand ßa ǆa 😀a'),
    'Élan Vital, O’Neil 2nd-Hand SSa Ǆa 😀A',
  )
  t.equal(call('initcap', ''), '')
})

t.test(
  'what a function reads by characters counts, removed characters and words too',
  async (t) => {
    const long = 'a'.repeat(1_000_000)
    t.ok(unitsOf(() => call('btrim', long, 'a')) > 15_000)
    t.ok(unitsOf(() => call('btrim', 'x', long)) > 15_000)
    t.ok(unitsOf(() => call('btrim', long, 'x')) < 10_000, 'what is not removed is not read')
    t.throws(() => unitsOf(() => call('btrim', 'x', 'é'.repeat(3_000_000))), /too much in one row/)
    const wide = 'é😀ß'.repeat(50_000)
    t.ok(unitsOf(() => call('lower', wide)) > 15_000)
    t.ok(unitsOf(() => call('upper', wide)) > 30_000)
    t.throws(() => unitsOf(() => call('initcap', 'ab '.repeat(60_000))), /too much in one row/)
  },
)
