// A room with the collections of the authorization tests: `c`, whose access each test chooses, and
// `open`, which has no owner and is shared by all who have signed in.

import { systemClock } from '../../src/base/clock.js'
import { strictRules } from '../../src/identity/rights/allow.js'
import { openMemoryStore } from '../../src/store/memory.js'
import { CommandRoom } from './command-room.js'
import { accesses, admit, type Mode, revocation, setAccess, wallets } from './identities.js'

interface Place {
  readonly room: CommandRoom
  readonly reset: (mode: Mode) => Promise<void>
}

export async function openPlace(anonymousReads = false): Promise<Place> {
  const store = openMemoryStore(systemClock)
  await admit(store, systemClock.now())
  const isAdministrator = (address: string) => address === wallets.administrator
  const rules = { ...strictRules, anonymousReads, isAdministrator }
  const room = new CommandRoom(store, systemClock, { services: { revocation, rules } })
  const open = { ...accesses.shared, owner: null, roles: {} }
  const reset = async (mode: Mode): Promise<void> => {
    for (const name of ['c', 'd', 'open']) await room.run({ drop: name })
    await room.run({ drop: 'w', release: true })
    await room.insert('c', { _id: 1, a: 1, u: 1 }, { _id: 2, a: 2, u: 2 })
    await room.run({
      createIndexes: 'c',
      indexes: [
        { key: { z: 1 }, name: 'z_1' },
        { key: { u: 1 }, name: 'u_1', unique: true },
      ],
    })
    await setAccess(store, 'test', 'c', accesses[mode])
    await room.insert('open', { _id: 1, a: 1 })
    await setAccess(store, 'test', 'open', open)
  }
  return { room, reset }
}
