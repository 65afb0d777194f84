// SASLprep by the examples of RFC 4013 and the tables of RFC 3454.

import t from 'tap'
import { saslPrep } from '../../../src/protocol/scram/saslprep.js'

t.test('the examples of RFC 4013, section 3', async (t) => {
  t.equal(saslPrep('I\u00ADX'), 'IX')
  t.equal(saslPrep('user'), 'user')
  t.equal(saslPrep('USER'), 'USER')
  t.equal(saslPrep('\u00AA'), 'a')
  t.equal(saslPrep('\u2168'), 'IX')
  t.throws(() => saslPrep('\u0007'), { code: 2 })
  t.throws(() => saslPrep('\u0627\u0031'), { code: 2 })
})

t.test('the passwords of the driver specification', async (t) => {
  t.equal(saslPrep('\u2163'), 'IV')
  t.equal(saslPrep('I\u00ADV'), 'IV')
})

t.test('foreign spaces become the plain one, zero-widths vanish', async (t) => {
  for (const space of ['\u00a0', '\u1680', '\u2003', '\u202f', '\u205f', '\u3000']) {
    t.equal(saslPrep(`a${space}b`), 'a b')
  }
  // RFC 3454 has U+200B in both tables; RFC 4013 maps it to a space first.
  t.equal(saslPrep('a\u200bb'), 'a b')
  for (const nothing of ['\u034f', '\u180b', '\u200d', '\u2060', '\ufe00', '\ufeff']) {
    t.equal(saslPrep(`a${nothing}b`), 'ab')
  }
})

t.test('each prohibited class is refused', async (t) => {
  const prohibited = {
    control: '\u0080',
    'private use': '\ue000',
    'private use beyond the plane': '\u{f0000}',
    'non-character': '\ufdd0',
    surrogate: '\ud800',
    'plain text': '\ufffd',
    'canonical representation': '\u2ff0',
    'display property': '\u200e',
    tag: '\u{e0001}',
  }
  for (const [name, character] of Object.entries(prohibited)) {
    t.throws(() => saslPrep(`a${character}b`), { code: 2 }, name)
  }
})

t.test('characters younger than Unicode 3.2 are refused in what is stored', async (t) => {
  for (const character of ['\u0221', '\u{1f600}', '\u20bf']) {
    t.throws(() => saslPrep(character), { code: 2 })
  }
  for (const character of ['\u0220', '\u20ac', '\u{1d400}'])
    t.equal(typeof saslPrep(character), 'string')
})

t.test('right-to-left text stands alone and at both ends', async (t) => {
  t.equal(saslPrep('\u05d0\u05d1'), '\u05d0\u05d1')
  t.equal(saslPrep('\u05d01\u05d1'), '\u05d01\u05d1')
  for (const mixed of ['\u05d0a\u05d1', 'a\u05d0', '\u05d01', '1\u05d0']) {
    t.throws(() => saslPrep(mixed), { code: 2 }, mixed)
  }
})
