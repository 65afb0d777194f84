// What a store that gateways share refuses, because a copy would miss the writes of other gateways.

import t from 'tap'
import { systemClock } from '../../../src/base/clock.js'
import { CommandRoom } from '../../support/command-room.js'
import { postgresMissing } from '../../support/postgres-reference.js'
import { openShared, sharedAddress } from '../../support/shared-stores.js'

t.test('copies to capped collections are refused', { skip: postgresMissing }, async (t) => {
  const room = new CommandRoom(await openShared(t, await sharedAddress(t)), systemClock)
  await room.insert('c', { _id: 1 }, { _id: 2 })
  const refused = [
    { convertToCapped: 'c', size: 4_096 },
    { cloneCollectionAsCapped: 'c', toCollection: 'd', size: 4_096 },
  ]
  for (const command of refused) {
    const { code, message } = await room.refusal(command)
    t.equal(code, 115)
    t.match(message, /store that gateways share/)
  }
  t.same(await room.drain({ find: 'c' }), [{ _id: 1 }, { _id: 2 }])
  t.same(await room.drain({ find: 'd' }), [])
  await room.engine.close()
})
