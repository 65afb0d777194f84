// The analyser: two ways to the same words, and what a text is found by.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { identifierPartsMax, termsMax, termUnitsMax } from '../../../src/base/limits/memory.js'
import { analyse } from '../../../src/memory/text/analyser.js'
import { segmentedSpans } from '../../../src/memory/text/segments.js'
import { plainWordsOf, segmentedWords, wordsOf } from '../../../src/memory/text/words.js'
import { runs } from '../../support/runs.js'

/** Texts of Latin letters, and their words. */
const shared: readonly (readonly [string, readonly string[]])[] = [
  ['', []],
  ['Hello, world!', ['Hello', 'world']],
  ["don't can't dogs' 'tis rock'n'roll", ["don't", "can't", 'dogs', 'tis', "rock'n'roll"]],
  ['Zoë’s don’t', ['Zoë’s', 'don’t']],
  ['v1.2.3 u.s.a ex.com 0xabc_d', ['v1.2.3', 'u.s.a', 'ex.com', '0xabc_d']],
  ['a:b 12:30 1,000.5 3;4 a,b a;b', ['a:b', '12', '30', '1,000.5', '3;4', 'a', 'b', 'a', 'b']],
  ['state-of-the-art e-mail', ['state', 'of', 'the', 'art', 'e', 'mail']],
  ['__ _a a_ __x1__ 1_2', ['_a', 'a_', '__x1__', '1_2']],
  ['C++ .net node.js a..b b.', ['C', 'net', 'node.js', 'a', 'b', 'b']],
  ['bob@ex.com http://x.y/z?a=b', ['bob', 'ex.com', 'http', 'x.y', 'z', 'a', 'b']],
  ['naïve Straße “quoted” – café', ['naïve', 'Straße', 'quoted', 'café']],
  ["a.1 1.a a'1 1'a 1.2.a 3.4b", ['a', '1', '1', 'a', 'a', '1', '1', 'a', '1.2', 'a', '3.4b']],
  ['10% $5 #tag\ttab\nline', ['10', '5', 'tag', 'tab', 'line']],
]

t.test('both ways to the words of a text agree on a table', async () => {
  for (const [text, words] of shared) {
    assert.deepEqual(plainWordsOf(text), words, text)
    assert.deepEqual(segmentedWords(text), words, text)
  }
})

t.test('both ways to the words of a text agree on chance', async () => {
  const characters = [...'abzAZéßœĐ019_.,;:\'"’‘“„–— \n\t-@#$%()+/?=~`|']
  const text = fc
    .array(fc.constantFrom(...characters), { maxLength: 24 })
    .map((all) => all.join(''))
  const property = fc.property(text, (text) => {
    assert.deepEqual(plainWordsOf(text), segmentedWords(text))
  })
  fc.assert(property, { numRuns: runs(20_000) })
})

/** As one piece, whatever its length. */
function wholeSpans(text: string) {
  const segmenter = new Intl.Segmenter('en', { granularity: 'word' })
  const words = [...segmenter.segment(text)].filter(({ isWordLike }) => isWordLike === true)
  return words.map(({ index, segment }) => ({ start: index, end: index + segment.length }))
}

t.test('a long text has the words that it has when it is segmented as one', async () => {
  const characters = [..."aéжω한1. _,'ʼשא\u{20000}👩🇦", '\u0301', '\u200d']
  const alphabet = fc.uniqueArray(fc.constantFrom(...characters), { minLength: 1 })
  const picks = fc.array(fc.nat(), { minLength: 500, maxLength: 2_000 })
  const property = fc.property(alphabet, picks, (letters, all) => {
    const text = all.map((n) => letters[n % letters.length]).join('')
    assert.deepEqual(segmentedSpans(text), wholeSpans(text))
  })
  fc.assert(property, { numRuns: runs(300) })
  const oneWord = 'ж'.repeat(8_192)
  assert.deepEqual(segmentedSpans(oneWord), [{ start: 0, end: oneWord.length }])
})

/** Of scripts without spaces a dictionary looks ahead, in what means something not far. */
const sentences = [
  '東京に住む人は中東の料理が好きで、毎日カレーを食べています。',
  '他们喜欢在北京吃烤鸭，也喜欢去上海看电影。',
  'เราอาศัยอยู่ในกรุงเทพมหานครและชอบกินข้าวกับแกงเผ็ดทุกวัน',
  'ខ្ញុំរស់នៅទីក្រុងភ្នំពេញហើយចូលចិត្តហូបបាយរាល់ថ្ងៃ',
]

t.test('so has one of a script that puts no spaces between words', async () => {
  for (const sentence of sentences) {
    const text = sentence.repeat(60)
    assert.deepEqual(segmentedSpans(text), wholeSpans(text))
  }
})

t.test('other scripts go to the segmenter', async () => {
  assert.equal(plainWordsOf('東京に住む'), undefined)
  assert.equal(plainWordsOf('привет'), undefined)
  assert.deepEqual(wordsOf('привет мир'), ['привет', 'мир'])
})

/** Texts, and what they are found by. */
const found: readonly (readonly [string, readonly string[]])[] = [
  ['Runs running ran run', ['run', 'run', 'ran', 'run']],
  ['cities city studied studies', ['city', 'city', 'study', 'study']],
  ['The dog and the cats', ['dog', 'cat']],
  ["Alice's hiking trips", ['alic', 'hik', 'trip']],
  ['to be or not to be', ['to', 'be', 'or', 'not', 'to', 'be']],
  [
    'snake_case camelCase XMLHttpRequest',
    [
      ...['snake_case', 'snak', 'cas', 'camelcas', 'camel', 'cas'],
      ...['xmlhttprequest', 'xml', 'http', 'request'],
    ],
  ],
  ['deploy.prod.eu v1.2.3', ['deploy.prod.eu', 'deploy', 'prod', 'eu', 'v1.2.3', 'v1']],
  ['0xAbCdEf0123', ['0xabcdef0123']],
  ['ＡＢＣ ﬁne', ['abc', 'fin']],
  ['Zoë', ['zoë', 'zoe']],
  ['我喜欢北京烤鸭', ['我', '我喜', '喜欢', '欢北', '北京', '京烤', '烤鸭']],
  ['犬', ['犬']],
  ['東京都に住む', ['住む', '都', '東京', '京都', '都に', 'に住']],
  ['ภาษาไทยง่าย', ['ภาษา', 'ไทย', 'ง่าย']],
  ['분석은', ['분석은', '분석', '석은']],
  ['🙂', []],
  ['мой', ['мой']],
  ['чёрный', ['чёрный', 'черный']],
  ['الله', ['الله']],
]

t.test('a text is found by its terms', async () => {
  for (const [text, terms] of found) {
    assert.deepEqual(sortedTerms(text), [...terms].sort(), text)
  }
})

t.test('accents, cases, widths and endings do not matter', async () => {
  const same = [
    ['Café', 'cafe'],
    ['ｶﾀｶﾅ', 'カタカナ'],
    ['STOPPED', 'stopping'],
    ['boxes', 'box'],
    ['it’s Bob’s', "it's Bob's"],
    ['Ὀδυσσεύς', 'ΟΔΥΣΣΕΥΣ'],
    ['Ελλάδα', 'ΕΛΛΑΔΑ'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['ёлка', 'елка'],
    ['الكتاب', 'كتاب'],
    ['والكتاب', 'كتاب'],
    ['بالكتاب', 'كتاب'],
  ] as const
  for (const [one, other] of same) {
    const terms = new Set(sortedTerms(one))
    assert.ok(
      sortedTerms(other).every((term) => terms.has(term)),
      `${one} and ${other}`,
    )
  }
})

t.test('a bigram is found across the words of a dictionary', async () => {
  const text = new Set(sortedTerms('私は大阪城公園の近くに住んでいます'))
  for (const question of ['大阪', '大阪城', '城公園', '公園']) {
    const terms = sortedTerms(question).filter((term) => [...term].length === 2)
    assert.ok(terms.length > 0 && terms.every((term) => text.has(term)), question)
  }
})

t.test('terms are bounded in length and number', async () => {
  const long = 'x'.repeat(5_000)
  const [term = ''] = analyse(long).terms.keys()
  assert.equal(term.length, termUnitsMax)
  assert.notEqual(term, [...analyse(`${long}y`).terms.keys()][0])
  const many = Array.from({ length: 2 * termsMax }, (_, i) => `w${i}q`).join(' ')
  const { terms, length } = analyse(many)
  assert.equal(terms.size, termsMax)
  assert.equal(length, termsMax)
  const parts = Array.from(
    { length: 2 * identifierPartsMax },
    (_, i) => `x${'q'.repeat(i + 1)}`,
  ).join('.')
  assert.ok(analyse(parts).terms.size <= 1 + identifierPartsMax)
})

t.test('the length is that of all counted terms, and the same text gives the same', async () => {
  const property = fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
    const { terms, length } = analyse(text)
    assert.equal(
      [...terms.values()].reduce((sum, count) => sum + count, 0),
      length,
    )
    assert.deepEqual([...terms], [...analyse(text).terms])
    for (const term of terms.keys()) {
      assert.ok(term.length <= termUnitsMax && !/[\0-\u0020\p{Surrogate}]/u.test(term))
    }
  })
  fc.assert(property, { numRuns: runs(300) })
})

function sortedTerms(text: string): string[] {
  return [...analyse(text).terms].flatMap(([term, count]) => new Array(count).fill(term)).sort()
}
