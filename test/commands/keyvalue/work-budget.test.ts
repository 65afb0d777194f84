// Commands over large values and with hostile patterns spend from the work budget: no turn of
// theirs is long, whatever they are given.

import t from 'tap'
import { work } from '../../../src/base/work/work-budget.js'
import {
  readBytesPerUnit,
  stretchUnits,
  turnUnits,
  writeStretchUnits,
  writeTurnUnits,
} from '../../../src/base/work/work-figures.js'
import { eachKeyValueRoom } from '../../support/key-value-room.js'

const kinds = ['memory'] as const
const turnMax = turnUnits + stretchUnits / 4
const writeMax = writeTurnUnits + writeStretchUnits

await eachKeyValueRoom(
  t,
  'strings of 4 MB are combined, summed up and counted in short turns',
  async (t, room) => {
    const text = 'x'.repeat(4 * 1024 * 1024)
    for (const name of ['a', 'b']) await room.run('SET', name, text)
    for (const words of [
      ['BITOP', 'XOR', 'to', 'a', 'b'],
      ['BITCOUNT', 'a'],
      ['DUMP', 'a'],
    ]) {
      const before = work.spent
      work.resetLongest()
      await room.run(...words)
      t.ok(work.spent - before > turnUnits, `${words[0]} spends what it costs`)
      t.ok(work.longest < writeMax, `${words[0]}: ${work.longest} units in one turn`)
    }
    t.equal(await room.run('BITCOUNT', 'to'), 0)
    t.equal(await room.run('STRLEN', 'to'), text.length)
  },
  { kinds },
)

await eachKeyValueRoom(
  t,
  'a pattern that is made to cost is matched in short turns',
  async (t, room) => {
    for (let i = 0; i < 200; i++) await room.run('SET', `${'a'.repeat(1_500)}${i}`, 'v')
    const pattern = `*${'?a'.repeat(300)}*${'a?'.repeat(300)}b`
    work.resetLongest()
    t.same(await room.run('KEYS', pattern), [])
    t.ok(work.longest < turnMax, `${work.longest} units in one turn`)
    work.resetLongest()
    t.same(await room.run('SCAN', '0', 'MATCH', pattern, 'COUNT', '1000'), ['0', []])
    t.ok(work.longest < turnMax, `${work.longest} units in one turn`)
  },
  { kinds },
)

await eachKeyValueRoom(
  t,
  'a large string that gives way is not read',
  async (t, room) => {
    const text = 'x'.repeat(4 * 1024 * 1024)
    await room.run('SET', 'other', 'y')
    for (const words of [
      ['SET', 'a', text],
      ['SET', 'a', 'y', 'KEEPTTL'],
      ['MSET', 'a', 'y'],
      ['BITOP', 'NOT', 'a', 'other'],
      ['COPY', 'other', 'a', 'REPLACE'],
      ['DEL', 'a'],
      ['TYPE', 'a'],
    ]) {
      await room.run('SET', 'a', text)
      work.resetLongest()
      await room.run(...words)
      t.ok(work.longest < text.length / readBytesPerUnit, `${words[0]}: ${work.longest} units`)
    }
  },
  { kinds },
)
