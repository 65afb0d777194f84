// The rows of a change count as its owner's from their search to the commit: beyond his share the
// statement is refused before it writes, and whatever ends gives back what it had.

import tap from 'tap'
import { type CommandRoom, eachRoom } from '../../../support/command-room.js'

const pad = 'x'.repeat(10_000)
const rows = 300

async function filled(room: CommandRoom): Promise<void> {
  const documents = Array.from({ length: rows }, (_, i) => ({ _id: i, n: 0, pad }))
  await room.insert('wide', ...documents)
}

const held = (room: CommandRoom) => room.engine.queryMemory.bytesHeld

/** About 6, 3, 9 and 3 MB of rows. */
const statements = [
  'UPDATE wide SET n = n + 1',
  'DELETE FROM wide',
  'UPDATE wide SET n = n + 1 RETURNING *',
  `INSERT INTO made (_id, a) VALUES ${Array.from({ length: rows }, (_, i) => `(${i}, repeat('x', 10000))`).join(', ')}`,
]

eachRoom(tap, 'a change whose rows take too much memory is refused whole', async (t, room) => {
  await filled(room)
  room.engine.queryMemory.bounds = { ofOwner: 1_000_000, ofAll: 2_000_000 }
  for (const text of statements) {
    const error = await room.refusal({ sqlChange: text })
    t.equal(error.extra.sqlState, '53200', text.slice(0, 40))
    t.equal(held(room), 0, 'it gives back what it had')
  }
  t.equal((await room.all('wide')).filter(({ n }) => n === 0).length, rows, 'nothing was changed')
  t.equal((await room.all('made')).length, 0)
})

eachRoom(tap, 'a change gives back its rows, whether it ends or fails', async (t, room) => {
  await filled(room)
  for (const text of statements.filter((text) => !text.startsWith('DELETE'))) {
    await room.run({ sqlChange: text, batchSize: rows })
    t.equal(held(room), 0, text.slice(0, 40))
  }
  const error = await room.refusal({ sqlChange: 'UPDATE wide SET n = 1 / (_id - 200)' })
  t.equal(error.extra.sqlState, '22012')
  t.equal(held(room), 0, 'an error')
  t.equal(room.engine.queryMemory.ownersKnown, 0)
})
