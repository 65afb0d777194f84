// Search in linear time: the places are those of the native search on random, periodic and hostile
// inputs, and the work that is counted grows no faster than the text.

import t from 'tap'
import { indexOfText, Needle, splitText } from '../../../src/base/bytes/text-search.js'
import { work } from '../../../src/base/work/work-budget.js'
import { seededRandom } from '../../support/seeded-random.js'

const random = seededRandom(41)

function upTo(n: number): number {
  return Math.floor(random() * n)
}

/** Few letters, so that needles nearly match; now and then beyond Latin-1. */
function text(length: number, letters: string): string {
  let made = ''
  while (made.length < length) made += letters[upTo(letters.length)]
  return made
}

/** A text that repeats a piece of itself, with a few letters changed. */
function periodic(length: number): string {
  const piece = text(1 + upTo(9), 'ab')
  const units = piece
    .repeat(Math.ceil(length / piece.length))
    .slice(0, length)
    .split('')
  for (let changes = upTo(3); changes > 0; changes--) units[upTo(units.length)] = 'b'
  return units.join('')
}

t.test('texts are found where the native search finds them', async (t) => {
  for (let round = 0; round < 20_000; round++) {
    const hay = random() < 0.5 ? periodic(70 + upTo(900)) : text(70 + upTo(900), 'abé\ud83d\ude00')
    const start = upTo(hay.length)
    const own = hay.slice(start, start + upTo(90))
    const needle = random() < 0.5 ? own : random() < 0.5 ? periodic(1 + upTo(90)) : `${own}b${own}`
    const from = upTo(hay.length + 2)
    if (indexOfText(hay, needle, from) !== hay.indexOf(needle, from)) {
      t.fail(JSON.stringify({ hay, needle, from }))
      return
    }
    if (needle === '') continue
    const parts = splitText(hay, needle)
    if (parts.join('\n') !== hay.split(needle).join('\n')) t.fail(JSON.stringify({ hay, needle }))
  }
  t.pass()
})

t.test('bytes are found where the native search finds them, within bounds', async (t) => {
  for (let round = 0; round < 20_000; round++) {
    const hay = Buffer.from(random() < 0.7 ? periodic(2 + upTo(1_200)) : text(300, 'abc'))
    const needle = Buffer.from(random() < 0.5 ? periodic(1 + upTo(60)) : text(1 + upTo(4), 'ab'))
    const from = upTo(hay.length)
    const to = from + upTo(hay.length - from + 1)
    const native = hay.subarray(from, to).indexOf(needle)
    const found = new Needle(needle).indexIn(hay, from, to)
    if (found !== (native < 0 ? -1 : native + from)) {
      t.fail(JSON.stringify({ hay: String(hay), needle: String(needle), from, to, found }))
      return
    }
  }
  t.pass()
})

t.test('hostile needles cost as many units for each unit of text as short ones', async (t) => {
  const length = 400_000
  const hay = 'a'.repeat(length)
  const quarter = 'a'.repeat(length / 4)
  const hostile = [
    'ab',
    `${'a'.repeat(9)}b`,
    `b${'a'.repeat(9)}`,
    `${quarter}b`,
    `b${quarter}`,
    `${quarter}b${quarter}`,
    `${'ab'.repeat(50_000)}b`,
  ]
  for (const needle of hostile) {
    const before = work.spent
    t.equal(indexOfText(hay, needle), -1)
    const spent = work.spent - before
    t.ok(spent < length / 4, `${needle.length} units long: ${spent}`)
  }
  const halves = `${'a'.repeat(length / 2)}b`
  const before = work.spent
  splitText(halves.repeat(2), `${'a'.repeat(1_000)}bb`)
  t.ok(work.spent - before < length)
})
