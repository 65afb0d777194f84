// $currentOp of what is open and not at work: connections and cursors, one's own, or everybody's
// for the operator who asks for all.

import t from 'tap'
import { Session } from '../../../../src/bus/session.js'
import { operator } from '../../../../src/identity/identity.js'
import { type CommandRoom, eachRoom, type Reply } from '../../../support/command-room.js'
import { sessionOf, wallets } from '../../../support/identities.js'

const idle = new Session({ protocol: 'wire', id: 7, remoteAddress: 'test:7', identity: operator })
const other = new Session({
  ...{ protocol: 'wire', id: 8, remoteAddress: 'test:8' },
  identity: sessionOf(wallets.reader),
})

async function currentOp(room: CommandRoom, options: object): Promise<Reply[]> {
  const pipeline = [{ $currentOp: options }]
  const found = await room.run({ aggregate: 1, pipeline, cursor: {} }, 'admin')
  return found.cursor.firstBatch
}

await eachRoom(
  t,
  'idle connections are listed on demand',
  async (t, room) => {
    const ids = async (options: object) =>
      (await currentOp(room, options)).map(({ connectionId, active }) => [connectionId, active])
    t.same(await ids({}), [[1, true]])
    t.same(await ids({ idleConnections: true }), [
      [1, true],
      [7, false],
    ])
    t.same(await ids({ idleConnections: true, allUsers: true }), [
      [1, true],
      [7, false],
      [8, false],
    ])
  },
  { services: { sessions: () => [idle, other] } },
)

await eachRoom(t, 'idle cursors are listed on demand', async (t, room) => {
  await room.insert('c', { _id: 1 }, { _id: 2 })
  const { cursor } = await room.run({ find: 'c', batchSize: 1, noCursorTimeout: true })
  t.equal((await currentOp(room, {})).length, 1)
  const [only] = (await currentOp(room, { idleCursors: true })).slice(1)
  t.match(only, {
    ...{ type: 'idleCursor', ns: 'test.c' },
    cursor: { cursorId: cursor.id, noCursorTimeout: true, tailable: false, awaitData: false },
  })
  t.ok(only?.cursor.createdDate instanceof Date)
  t.equal((await currentOp(room, { idleSessions: true })).length, 1, 'no transaction is open')
})
