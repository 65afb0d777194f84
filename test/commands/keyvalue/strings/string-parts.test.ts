// Parts of large strings: the same bytes as of the whole string, read from the chunks that hold
// them and from no others.

import type { Test } from 'tap'
import t from 'tap'
import { chunkBytes } from '../../../../src/base/limits/store.js'
import { keyClass } from '../../../../src/store/layout.js'
import { keysOfClasses } from '../../../support/engine-room.js'
import { eachKeyValueRoom, type Word } from '../../../support/key-value-room.js'
import { runs } from '../../../support/runs.js'
import { seed } from '../../../support/seed.js'
import { seededRandom } from '../../../support/seeded-random.js'

const length = 5 * chunkBytes + 1_000

type Below = (below: number) => number

function belowOf(seed: number): Below {
  const random = seededRandom(seed)
  return (below) => Math.floor(random() * below)
}

function bytesOf(random: Below, isText: boolean): Buffer {
  return Buffer.from(Array.from({ length }, () => (isText ? 32 + random(90) : random(256))))
}

/** Positions around the ends of chunks, of the string, and anywhere. */
function positionOf(random: Below): number {
  const near = [0, chunkBytes, 3 * chunkBytes, length - 100][random(4)] as number
  return random(2) === 0 ? random(length) : Math.max(0, near - 60 + random(100))
}

t.test('a part of a large string is as that of the whole one', (t) =>
  eachKeyValueRoom(t, `parts, seed ${seed}`, async (t, room) => {
    const random = belowOf(seed)
    const names = ['k', `long:${'n'.repeat(60_000)}`]
    for (let i = 0; i < 4; i++) {
      const [isText, isTimed, name] = [i % 2 === 0, i > 1, names[i % 2] as string]
      const whole = bytesOf(random, isText)
      await room.run('SET', name, whole, ...(isTimed ? ['EX', 100] : []))
      t.equal(await room.run('STRLEN', name), length)
      t.equal(await room.run('BITCOUNT', name), onesIn(whole))
      for (let run = 0; run < runs(10); run++) {
        const ends = [positionOf(random), positionOf(random)]
        const [from, to] = [Math.min(...ends), Math.max(...ends)]
        const part = whole.subarray(from, to + 1)
        const bit = from * 8 + random(8)
        const zero = part.findIndex((byte) => byte < 0xff)
        const title = `${from} to ${to} of ${i}`
        const reply = await room.run('GETRANGE', name, from, to)
        t.ok(Buffer.from(reply as string | Uint8Array).equals(part), title)
        await answers(t, room, [
          [['BITCOUNT', name, from, to], onesIn(part)],
          [['GETBIT', name, bit], bitAt(whole, bit)],
          [
            ['BITFIELD_RO', name, 'GET', 'u1', bit, 'GET', 'u1', bit + 70],
            [0, 70].map((by) => bitAt(whole, bit + by)),
          ],
        ])
        const found = (await room.run('BITPOS', name, 0, from, to)) as number
        t.equal(found < 0 ? found : Math.floor(found / 8) - from, zero, title)
      }
    }
  }),
)

t.test('a part of a large string needs no other chunks', (t) =>
  eachKeyValueRoom(t, 'damaged', async (t, room) => {
    for (const time of [[], ['EX', 100]]) {
      await room.run('SET', 'k', 'ab'.repeat(length / 2), ...time)
      const keys = await keysOfClasses(room.store, keyClass.chunk)
      // Of the last six chunks, which are those of this value.
      const middle = Buffer.from(keys.at(-4) as string, 'hex')
      await room.store.write(function* (tx) {
        tx.put(middle, new Uint8Array(100))
      })
      t.match(await room.run('GET', 'k'), { error: String })
      await answers(t, room, [
        [['STRLEN', 'k'], length],
        [['GETRANGE', 'k', 10, 13], 'abab'],
        [['SUBSTR', 'k', -4, -1], 'abab'],
        [['GETBIT', 'k', 8 * (length - 1) + 1], 1],
        [['BITCOUNT', 'k', 0, 9], 30],
        [['BITPOS', 'k', 1, -1], 8 * (length - 1) + 1],
        [['BITFIELD_RO', 'k', 'GET', 'u8', 8], [98]],
        [['GETRANGE', 'k', 10, -1], { error: String }],
        [['BITCOUNT', 'k'], { error: String }],
      ])
    }
  }),
)

async function answers(
  t: Test,
  room: { run(...words: Word[]): Promise<unknown> },
  cases: readonly (readonly [line: readonly Word[], reply: unknown])[],
): Promise<void> {
  for (const [line, reply] of cases) t.match(await room.run(...line), reply, line.join(' '))
}

function onesIn(bytes: Uint8Array): number {
  let count = 0
  for (let byte of bytes) for (; byte > 0; byte >>= 1) count += byte & 1
  return count
}

function bitAt(bytes: Uint8Array, bit: number): number {
  return ((bytes[Math.floor(bit / 8)] ?? 0) >> (7 - (bit % 8))) & 1
}
