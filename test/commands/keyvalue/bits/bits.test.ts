// Bits of strings: as the reference server numbers and answers them, where no reference server is
// to compare with.

import type { Test } from 'tap'
import t from 'tap'
import { eachKeyValueRoom, type KeyValueRoom, type Word } from '../../../support/key-value-room.js'

type Case = readonly [line: readonly Word[], reply: unknown]

async function answers(t: Test, room: KeyValueRoom, cases: readonly Case[]): Promise<void> {
  for (const [line, reply] of cases) t.same(await room.run(...line), reply, line.join(' '))
}

const syntax = { error: 'ERR syntax error' }

t.test('bit 0 is the highest of byte 0, and a string grows to the bit that is set', (t) =>
  eachKeyValueRoom(t, 'bits', (t, room) =>
    answers(t, room, [
      [['SETBIT', 'k', 7, 1], 0],
      [['GET', 'k'], '\u0001'],
      [['SETBIT', 'k', 0, 1], 0],
      [['GET', 'k'], Buffer.from([0x81])],
      [['SETBIT', 'k', 23, 0], 0],
      [['STRLEN', 'k'], 3],
      [['GETBIT', 'k', 7], 1],
      [['GETBIT', 'k', 4_000], 0],
      [['SETBIT', 'k', -1, 0], { error: 'ERR bit offset is not an integer or out of range' }],
      [['SETBIT', 'k', 1, 2], { error: 'ERR bit is not an integer or out of range' }],
    ]),
  ),
)

t.test('bits are counted and found in ranges of bytes or of bits', (t) =>
  eachKeyValueRoom(t, 'ranges', (t, room) =>
    answers(t, room, [
      [['SET', 'k', 'foobar'], 'OK'],
      [['BITCOUNT', 'k'], 26],
      [['BITCOUNT', 'k', 1, 1], 6],
      [['BITCOUNT', 'k', -2, -1], 7],
      [['BITCOUNT', 'k', 5, 30, 'BIT'], 17],
      [['BITCOUNT', 'k', 9, 9, 'bit'], 1],
      [['BITCOUNT', 'k', 4, 2], 0],
      [['BITCOUNT', 'k', 1], syntax],
      [['BITCOUNT', 'k', 0, 1, 'word'], syntax],
      [['BITPOS', 'k', 1], 1],
      [['BITPOS', 'k', 0, 2, 2, 'BIT'], -1],
      [['BITPOS', 'k', 0, 1, 4, 'BIT'], 3],
      [['BITPOS', 'k', 1, -1], 41],
      [['BITPOS', 'k', 2], { error: 'ERR The bit argument must be 1 or 0.' }],
      [['BITPOS', 'none', 0], 0],
      [['BITPOS', 'none', 1], -1],
    ]),
  ),
)

t.test('zeros go on behind a string unless its end is given', (t) =>
  eachKeyValueRoom(t, 'ends', (t, room) =>
    answers(t, room, [
      [['SET', 'k', Buffer.from([0xff, 0xff])], 'OK'],
      [['BITPOS', 'k', 0], 16],
      [['BITPOS', 'k', 0, 1], 16],
      [['BITPOS', 'k', 0, 0, -1], -1],
      [['SET', 'k', ''], 'OK'],
      [['BITPOS', 'k', 0], -1],
    ]),
  ),
)

t.test('a result is as long as the longest string, and none takes the key away', (t) =>
  eachKeyValueRoom(t, 'results', (t, room) =>
    answers(t, room, [
      [['MSET', 'a', 'abc', 'b', 'a'], 'OK'],
      [['BITOP', 'AND', 'to', 'a', 'b'], 3],
      [['GET', 'to'], 'a\u0000\u0000'],
      [['BITOP', 'or', 'to', 'a', 'b', 'none'], 3],
      [['GET', 'to'], 'abc'],
      [['BITOP', 'XOR', 'to', 'a', 'b'], 3],
      [['GET', 'to'], '\u0000bc'],
      [['BITOP', 'NOT', 'to', 'b'], 1],
      [['GET', 'to'], Buffer.from([0x9e])],
      [
        ['BITOP', 'NOT', 'to', 'a', 'b'],
        {
          error: 'ERR BITOP NOT must be called with a single source key.',
        },
      ],
      [['BITOP', 'NAND', 'to', 'a', 'b'], syntax],
      [['BITOP', 'AND', 'to', 'none'], 0],
      [['EXISTS', 'to'], 0],
    ]),
  ),
)

t.test('integers of any width wrap, saturate or fail', (t) =>
  eachKeyValueRoom(t, 'integers', (t, room) =>
    answers(t, room, [
      [
        ['BITFIELD', 'k', 'SET', 'i8', '#1', -1, 'GET', 'u4', 8, 'GET', 'i8', '#1'],
        [0, 15, -1],
      ],
      [['BITFIELD', 'k', 'INCRBY', 'u8', 0, 300], [44]],
      [['BITFIELD', 'k', 'OVERFLOW', 'SAT', 'INCRBY', 'u8', 0, 300], [255]],
      [
        ['BITFIELD', 'k', 'OVERFLOW', 'FAIL', 'INCRBY', 'u8', 0, 1, 'GET', 'u8', 0],
        [null, 255],
      ],
      [['BITFIELD', 'k', 'OVERFLOW', 'SAT', 'INCRBY', 'i5', 100, -100], [-16]],
      [
        ['BITFIELD', 'k', 'SET', 'i64', 0, '-9223372036854775808', 'GET', 'u1', 0],
        [-281_474_976_710_656n, 1],
      ],
      [['BITFIELD', 'k', 'OVERFLOW', 'WRAP', 'INCRBY', 'i64', 0, -1], [9_223_372_036_854_775_807n]],
      [['BITFIELD_RO', 'k', 'GET', 'u8', 0], [127]],
      [['BITFIELD_RO', 'none', 'GET', 'u8', 0], [0]],
      [
        ['BITFIELD_RO', 'k', 'SET', 'u8', 0, 1],
        {
          error: 'ERR BITFIELD_RO only supports the GET subcommand',
        },
      ],
      [
        ['BITFIELD', 'k', 'GET', 'u64', 0],
        {
          error:
            'ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not ' +
            'supported but i64 is.',
        },
      ],
      [['BITFIELD', 'k', 'OVERFLOW', 'up'], { error: 'ERR Invalid OVERFLOW type specified' }],
    ]),
  ),
)
