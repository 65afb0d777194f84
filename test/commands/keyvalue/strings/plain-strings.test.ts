// Strings are written the short way where the store is at hand, and the usual way elsewhere: the
// same commands, pipelined, have the same replies on every store, whatever lies under the keys, and
// leave exact counts of keys and bytes.

import t from 'tap'
import { checkStore } from '../../../../src/engine/check/check.js'
import { eachKeyValueRoom, type KeyValueRoom, type Word } from '../../../support/key-value-room.js'
import { runs } from '../../../support/runs.js'
import { seededRandom } from '../../../support/seeded-random.js'

const names: readonly Word[] = ['a', 'b', 'ключ', Buffer.of(0xff, 0), `long${'x'.repeat(600)}`]
const values: readonly Word[] = [
  ...['', '7', '-12', '9223372036854775807', '007', 'text', 'текст', Buffer.of(0xfe, 1, 2)],
  ...['v'.repeat(300), 'w'.repeat(140_000), 'x'.repeat(300_000)],
]
const commands = 60

function commandsOf(seed: number): Word[][] {
  const random = seededRandom(seed)
  const below = (bound: number) => Math.floor(random() * bound)
  const name = () => names[below(names.length)] as Word
  // The large ones seldom.
  const value = () => values[below(below(8) === 0 ? values.length : values.length - 2)] as Word
  const pairs = () => Array.from({ length: 1 + below(4) }, () => [name(), value()]).flat()
  const makers: (() => Word[])[] = [
    () => ['SET', name(), value()],
    () => ['MSET', ...pairs()],
    () => ['MSET', ...pairs()],
    () => ['MSETNX', ...pairs()],
    () => ['INCR', name()],
    () => ['DECRBY', name(), '9'],
    () => ['DEL', name(), name()],
    () => ['UNLINK', name()],
    () => ['PEXPIRE', name(), '100000'],
    () => ['SET', name(), value(), 'EX', '100'],
    () => ['APPEND', name(), '1'],
    () => ['SADD', name(), 'member'],
    () => ['RPUSH', name(), 'x', 'y'],
    () => ['GET', name()],
    () => ['PTTL', name()],
    () => ['TYPE', name()],
    () => ['DBSIZE'],
    () => ['EXISTS', ...names],
  ]
  return Array.from({ length: commands }, () => (makers[below(makers.length)] as () => Word[])())
}

async function replies(room: KeyValueRoom, seed: number): Promise<unknown[]> {
  const all: unknown[] = []
  const given = commandsOf(seed)
  for (let at = 0; at < given.length; at += 8) {
    const pipeline = given.slice(at, at + 8)
    all.push(...(await Promise.all(pipeline.map((words) => room.run(...words)))))
  }
  for (const name of names) {
    if ((await room.run('TYPE', name)) === 'string') all.push(await room.run('GET', name))
  }
  return all
}

const found = new Map<number, unknown[]>()
const seeds = Array.from({ length: runs(3) }, (_, index) => 1_000 + index)

for (const kind of ['late', 'memory', 'lmdb'] as const) {
  for (const seed of seeds) {
    await eachKeyValueRoom(
      t,
      `seed ${seed}`,
      async (t, room) => {
        const told = await replies(room, seed)
        t.same(await checkStore(room.store), [], 'counts are exact')
        const known = found.get(seed)
        if (known === undefined) found.set(seed, told)
        else t.same(told, known, 'the same replies')
      },
      { kinds: [kind] },
    )
  }
}
