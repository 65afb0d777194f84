// Collations: their document, and keys that compare as Intl.Collator does, over strings of many
// scripts. What Intl says is right by definition: keys are derived from it.

import fc from 'fast-check'
import t from 'tap'
import { work } from '../../../src/base/work/work-budget.js'
import { collationTableUnits } from '../../../src/base/work/work-figures.js'
import { type Collation, parseCollation } from '../../../src/value/collation/collation.js'
import { compareValues } from '../../../src/value/compare.js'
import { encodeKey, equalityKey } from '../../../src/value/key.js'
import { documentFrom, valueFrom } from '../../../src/value/literal.js'
import { toObject } from '../../support/literal.js'
import { runs } from '../../support/runs.js'

type Plain = Readonly<Record<string, unknown>>

function collationOf(spec: Plain): Collation {
  const found = parseCollation(documentFrom(spec))
  if (found === undefined) throw new Error('a collation was expected')
  return found
}

/** Characters that stand together in a string now and then. */
const scripts = [
  'abcdefghijklmnopqrstuvwxyz',
  'aAáàâäåÅÄæÆœßẞsSﬁfiﬂoøØöÖő',
  '0123456789',
  '.,-_ !"\'',
  '\u0301\u0300\u0308\u030a\u0323\u0338\u0327',
  '\u200b\u200d\u00ad\ufeff',
  'iıİIjĳ',
  'cChHgyYdDzZlLnNsS',
  'αβγΆάΣσς',
  'абвгдйЙиёЁ',
  '漢字一二中文日本',
  'あアいイかがカガﾊﾟ',
  '가각힣각',
  '😀🎉👩',
  '②½Ⅳ',
  'กขเแไโ',
  'कखक्षि',
  'אבגعربي',
  'ﬀﬃﬄǆǅǄ㍿㎏℃™',
  'đĐłŁþÞðÐ',
  '𝐀𝒶Ａａⓐ',
].map((script) => [...script])

const character = fc
  .nat(scripts.length - 1)
  .chain((script) => fc.constantFrom(...(scripts[script] as string[])))
const text = fc.array(character, { maxLength: 7 }).map((parts) => parts.join(''))
const neighbour = (one: string): fc.Arbitrary<string> =>
  fc.oneof(
    text,
    fc.constantFrom(
      one.toUpperCase(),
      one.toLowerCase(),
      one.normalize('NFD'),
      one.normalize('NFKD'),
      `${one}\u0301`,
      `\u00ad${one}`,
    ),
    text.map((more) => one + more),
  )
const pair = text.chain((one) => fc.tuple(fc.constant(one), neighbour(one)))

/**
 * What Intl compares by the marks behind it where punctuation is ignored, but only if both strings
 * begin alike: by that order 'n!', a soft hyphen and a mark differ from 'n!', and '!' with the same
 * does not from ''.
 */
const hidden = /\u00ad|\u200b|\u200d|\ufeff|\uff9e|\uff9f/

const specs: readonly Plain[] = [
  ...['en', 'sv', 'de', 'cs', 'hu', 'tr', 'zh', 'vi'].flatMap((locale) =>
    [1, 2, 3].map((strength) => ({ locale, strength })),
  ),
  { locale: 'da', strength: 1 },
  { locale: 'da', strength: 3 },
  { locale: 'ja', strength: 2 },
  { locale: 'th', strength: 2 },
  { locale: 'fr_CA', strength: 2 },
  { locale: 'de@collation=phonebook', strength: 2 },
  { locale: 'en', strength: 2, numericOrdering: true },
  { locale: 'en', strength: 3, caseFirst: 'upper' },
  { locale: 'en', strength: 2, alternate: 'shifted' },
]

await t.test('keys compare as strings do, in every language', async (t) => {
  for (const spec of specs) {
    const { key, compare, name } = named(spec)
    const isBackward = spec.locale === 'fr_CA'
    const isShifted = spec.alternate === 'shifted' || spec.locale === 'th'
    fc.assert(
      fc.property(pair, ([a, b]) => {
        fc.pre(!isShifted || ![a, b].some((one) => hidden.test(one)))
        const order = Math.sign(compare(a, b))
        const byKeys = Math.sign(Buffer.compare(key(a), key(b)))
        // From their ends Intl compares only what follows the beginning that both share.
        const isRight = isBackward ? (order === 0) === (byKeys === 0) : order === byKeys
        if (!isRight) {
          throw new Error(`${name}: ${JSON.stringify([a, b])} is ${order}, by keys ${byKeys}`)
        }
      }),
      { numRuns: runs(2_000) },
    )
    t.pass(name)
  }
})

function named(spec: Plain) {
  const collation = collationOf(spec)
  return {
    name: JSON.stringify(spec),
    key: (one: string) => collation.key(one),
    compare: (a: string, b: string) => collation.compare(a, b),
  }
}

await t.test('known pairs', async (t) => {
  const order = (spec: Plain, a: string, b: string): number => {
    const { key, compare } = named(spec)
    const byKeys = Math.sign(Buffer.compare(key(a), key(b)))
    t.equal(byKeys, Math.sign(compare(a, b)), `${a} ${b}`)
    return byKeys
  }
  t.equal(order({ locale: 'en', strength: 1 }, 'Résumé', 'resume'), 0)
  t.equal(order({ locale: 'en', strength: 2 }, 'résumé', 'resume'), 1)
  t.equal(order({ locale: 'en', strength: 2 }, 'RESUME', 'resume'), 0)
  t.equal(order({ locale: 'en', strength: 3 }, 'RESUME', 'resume'), 1)
  t.equal(order({ locale: 'de', strength: 1 }, 'Straße', 'strasse'), 0)
  t.equal(order({ locale: 'sv', strength: 1 }, 'å', 'z'), 1)
  t.equal(order({ locale: 'en', strength: 1 }, 'å', 'z'), -1)
  t.equal(order({ locale: 'sv', strength: 2 }, 'ö', 'ø'), -1)
  t.equal(order({ locale: 'da', strength: 3 }, 'Ä', 'A\u0323\u0308'), -1, 'across a mark')
  t.equal(order({ locale: 'zh', strength: 3 }, 'ǹ', 'n\u0323\u0300'), -1, 'across a mark')
  t.equal(order({ locale: 'cs', strength: 1 }, 'ch', 'h'), 1)
  t.equal(order({ locale: 'da', strength: 1 }, 'Aarhus', 'Århus'), 0)
  t.equal(order({ locale: 'tr', strength: 1 }, 'ı', 'i'), -1)
  t.equal(order({ locale: 'en', strength: 2 }, 'e\u0301', 'é'), 0)
  t.equal(order({ locale: 'en', strength: 3 }, 'a\u200bb', 'ab'), 0)
  const numeric = { locale: 'en', numericOrdering: true }
  t.equal(order(numeric, 'a9', 'a10'), -1)
  t.equal(order(numeric, 'a007', 'a7'), 0)
  t.equal(order(numeric, `a${'9'.repeat(250)}`, `a1${'0'.repeat(250)}`), -1)
  t.equal(order(numeric, `a${'9'.repeat(300)}`, `a1${'0'.repeat(300)}`), 1, 'in parts of 254')
  t.equal(order({ locale: 'en', alternate: 'shifted', strength: 1 }, 'a-b', 'ab'), 0)
})

await t.test('values of all types keep their order, strings in them by the collation', (t) => {
  const collation = collationOf({ locale: 'en', strength: 2 })
  const equal = (a: unknown, b: unknown): boolean => {
    const [left, right] = [valueFrom(a), valueFrom(b)]
    const isEqual = compareValues(left, right, collation) === 0
    t.equal(equalityKey(left, collation) === equalityKey(right, collation), isEqual)
    const keys = [left, right].map((value) => encodeKey(value, true, collation))
    t.equal(Buffer.compare(keys[0] as Buffer, keys[1] as Buffer) === 0, isEqual)
    return isEqual
  }
  t.ok(equal({ a: ['X', { b: 'y' }] }, { a: ['x', { b: 'Y' }] }))
  t.notOk(equal({ a: 'x' }, { A: 'x' }), 'names of fields are none')
  t.notOk(equal('1', 1))
  t.ok(equal(1, 1.0))
  t.end()
})

t.test('a table that the thread has made gives the same keys', async (t) => {
  const texts = [
    'abc',
    'Ärger',
    'aa',
    'Æble',
    'čeština',
    'ch',
    'straße',
    '\u6f22\u5b57',
    'a\u0323\u0301',
  ]
  for (const locale of ['de', 'da', 'cs', 'zh', 'fr_CA']) {
    const before = work.spent
    const collation = collationOf({ locale })
    await collation.ready()
    t.equal(collation.ready(), undefined, `${locale} is ready`)
    const keys = texts.map((text) => collation.key(text))
    t.ok(work.spent - before < collationTableUnits, `${locale} was not made here`)
    const sorted = texts.toSorted(collation.compare.bind(collation))
    const byKey = texts
      .map((text, i) => ({ text, key: keys[i] as Uint8Array }))
      .sort((a, b) => Buffer.compare(a.key, b.key))
    t.same(
      byKey.map(({ text }) => text),
      sorted,
      locale,
    )
  }
})

t.test("ICU's separator of texts is a character among others", (t) => {
  const apart: readonly (readonly [string, string])[] = [
    ['', '\ufffe'],
    ['a', '\ufffe'],
    ['a\ufffeb', 'ab'],
    ['\ufffe\u0327', '\ufffe'],
    ['1\ufffe', '1\ufffe9'],
  ]
  for (const [locale, strength] of [
    ['en', 3],
    ['fr_CA', 2],
    ['sv', 2],
  ] as const) {
    const collation = collationOf({ locale, strength })
    for (const [a, b] of apart) {
      const order = Math.sign(collation.compare(a, b))
      const keys = Math.sign(Buffer.compare(collation.key(a), collation.key(b)))
      t.not(order, 0, `${locale}: ${JSON.stringify([a, b])} differ`)
      t.equal(keys, order, `${locale}: ${JSON.stringify([a, b])} by their keys`)
    }
  }
  t.end()
})

t.test('the document is told in full, with what the locale brings', (t) => {
  const spec = (given: Plain) => toObject(collationOf(given).spec)
  t.same(spec({ locale: 'en' }), {
    locale: 'en',
    caseLevel: false,
    caseFirst: 'off',
    strength: 3,
    numericOrdering: false,
    alternate: 'non-ignorable',
    maxVariable: 'punct',
    normalization: false,
    backwards: false,
    version: '57.1',
  })
  t.equal(spec({ locale: 'da' }).caseFirst, 'upper')
  t.equal(spec({ locale: 'fr_CA' }).backwards, true)
  t.equal(spec({ locale: 'th' }).alternate, 'shifted')
  t.equal(spec({ locale: 'de_AT' }).locale, 'de_AT')
  t.equal(parseCollation(documentFrom({ locale: 'simple' })), undefined)
  t.equal(collationOf({ locale: 'en' }), collationOf({ locale: 'en', strength: 3 }))
  t.end()
})

t.test('what Intl cannot do is refused by name', (t) => {
  const refused: readonly (readonly [Plain, RegExp])[] = [
    [{ locale: 'en', strength: 4 }, /'strength' of 4 is not supported/],
    [{ locale: 'en', strength: 5 }, /'strength' of 5 is not supported/],
    [{ locale: 'en', strength: 1, caseLevel: true }, /'caseLevel' is not supported/],
    [{ locale: 'en', maxVariable: 'space' }, /'maxVariable' of 'space' is not supported/],
    [{ locale: 'en', backwards: true }, /'backwards' of true with this locale/],
    [{ locale: 'th', alternate: 'non-ignorable' }, /'alternate' of 'non-ignorable'/],
  ]
  for (const [spec, message] of refused) {
    t.throws(() => parseCollation(documentFrom(spec)), { code: 2, message })
  }
  t.end()
})
