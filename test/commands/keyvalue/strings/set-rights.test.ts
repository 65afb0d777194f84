// What SET needs: its GET answers stored content, and so needs the right to read besides.

import t from 'tap'
import { Programs } from '../../../../src/bus/keyvalue/programs/programs.js'
import { RunningCall } from '../../../../src/bus/keyvalue/running-call.js'
import { usualBounds } from '../../../../src/engine/keyspace/work.js'
import type { Privilege } from '../../../../src/engine/types.js'
import { noWallets } from '../../../../src/identity/rights/revocation-check.js'
import { eachKeyValueRoom, plain, requestOf, type Word } from '../../../support/key-value-room.js'

t.test('who may only write sets, and gets nothing', (t) =>
  eachKeyValueRoom(t, 'rights', async (t, room) => {
    const { bus, session } = room
    // Programs of the late store run more than once.
    const asked = new Set<Privilege>()
    const programs = new Programs({
      ...{ store: bus.engine.store, bounds: usualBounds },
      ...{ notifies: () => false, notifiesRare: () => false, announce: () => {} },
      replyBytesMax: () => Number.POSITIVE_INFINITY,
      warnOf: () => {},
      revocation: noWallets,
      allow: (_identity, privilege) => {
        asked.add(privilege)
        return privilege === 'write'
      },
    })
    const run = async (...words: readonly Word[]): Promise<unknown> => {
      const command = bus.table.find(String(words[0]))
      if (command === undefined) throw new Error(`no ${words[0]}`)
      const call = new RunningCall(command, requestOf(words), session, bus.services)
      asked.clear()
      await programs.write([call], 1)
      return plain(call.reply)
    }
    const refused = {
      error: 'NOPERM this user has no permissions to access one of the keys used as arguments',
    }
    t.equal(await run('SET', 'k', 'v'), 'OK')
    t.equal(await run('SET', 'k', 'get', 'XX', 'KEEPTTL'), 'OK')
    t.same([...asked], ['write'])
    t.same(await run('SET', 'k', 'v', 'XX', 'get'), refused)
    t.same([...asked], ['write', 'read'])
    for (const line of [
      ['GETDEL', 'k'],
      ['GETSET', 'k', 'v'],
      ['GETEX', 'k'],
    ]) {
      t.same(await run(...line), refused, line.join(' '))
    }
    t.equal(await room.run('GET', 'k'), 'get')
  }),
)
