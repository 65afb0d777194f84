// What a write program refuses before it reads, as it could not end: the command is then prepared
// by a read from the start, and reads nothing twice.

import t from 'tap'
import { programPutsMax } from '../../../src/base/limits/engine.js'
import { commandReadsMax } from '../../../src/bus/keyvalue/programs/programs.js'
import { usualBounds, Work } from '../../../src/engine/keyspace/work.js'
import type { ReadTx } from '../../../src/store/store.js'

const writing = { scanOwn: () => undefined } as unknown as ReadTx
const reading = {} as unknown as ReadTx
const tooLarge = { message: 'ERR the command reads too much at once for a write' }

function opened(): Work {
  const work = new Work(usualBounds, false)
  work.readsMax = commandReadsMax
  return work
}

t.test('a write program has room for what its bounds allow', async (t) => {
  const work = opened()
  work.requireRoom(writing, commandReadsMax, programPutsMax)
  t.throws(() => work.requireRoom(writing, commandReadsMax + 1), tooLarge)
  t.throws(() => work.requireRoom(writing, 0, programPutsMax + 1), tooLarge)
  work.read(1)
  // With what it has read.
  t.throws(() => work.requireRoom(writing, commandReadsMax), tooLarge)
})

t.test('reads and prepared programs have room for more', async (t) => {
  const work = opened()
  work.requireRoom(reading, commandReadsMax + 1, programPutsMax + 1)
  work.prepares = true
  work.requireRoom(writing, commandReadsMax + 1, programPutsMax + 1)
  t.pass('neither is refused')
})
