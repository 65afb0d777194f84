// What shells and tools ask a server for: the fields that they cannot do without.

import { Binary } from 'bson'
import t from 'tap'
import { openMemoryStore } from '../../src/store/memory.js'
import { CommandRoom } from '../support/command-room.js'
import { ManualClock } from '../support/engine-room.js'

function openRoom(): CommandRoom {
  const clock = new ManualClock()
  return new CommandRoom(openMemoryStore(clock), clock)
}

t.test('buildInfo tells the version that tools branch on', async (t) => {
  const info = await openRoom().run({ buildInfo: 1 }, 'admin')
  t.match(info, { version: /^7\.0\.\d+$/, bits: 64, debug: false, maxBsonObjectSize: 16_777_216 })
  t.equal(info.versionArray.slice(0, 3).join('.'), info.version)
  t.same(await openRoom().run({ buildinfo: 1 }), info)
})

t.test('getParameter answers by name, all, or 72', async (t) => {
  const room = openRoom()
  const compatibility = { featureCompatibilityVersion: { version: '7.0' } }
  const one = await room.run({ getParameter: 1, featureCompatibilityVersion: 1 }, 'admin')
  t.same(one, { ...compatibility, ok: 1 })
  const all = await room.run({ getParameter: '*' }, 'admin')
  t.match(all, { ...compatibility, authenticationMechanisms: ['SCRAM-SHA-256'] })
  t.same(await room.run({ getParameter: { allParameters: true } }, 'admin'), all)
  t.same(await room.fails({ getParameter: 'foo' }, 'admin'), [72, 'no option found to get'])
})

t.test('connectionStatus tells who one is', async (t) => {
  const room = openRoom()
  const { authInfo } = await room.run({ connectionStatus: 1, showPrivileges: true })
  t.same(authInfo.authenticatedUsers, [{ user: 'operator', db: 'admin' }])
  t.same(authInfo.authenticatedUserRoles, [{ role: 'root', db: 'admin' }])
  t.equal(authInfo.authenticatedUserPrivileges.length, 1)
  const stranger = await room.run({ connectionStatus: 1 }, 'admin', room.stranger())
  t.same(stranger.authInfo, { authenticatedUsers: [], authenticatedUserRoles: [] })
})

t.test('accounts are listed in the forms that shells ask in', async (t) => {
  const room = openRoom()
  const count = async (usersInfo: unknown, db = 'admin') =>
    (await room.run({ usersInfo }, db)).users.length
  t.equal(await count(1), 1)
  t.equal(await count(1, 'test'), 0)
  t.equal(await count('operator'), 1)
  t.equal(await count('nobody'), 0)
  t.equal(await count({ user: 'operator', db: 'admin' }, 'test'), 1)
  t.equal(await count({ forAllDBs: true }, 'test'), 1)
  t.equal(await count(['nobody', 'operator']), 1)
  t.same((await room.run({ rolesInfo: 1 }, 'admin')).roles, [])
  t.equal((await room.run({ rolesInfo: 1, showBuiltinRoles: true }, 'admin')).roles.length, 1)
})

t.test('serverStatus counts connections and commands', async (t) => {
  const room = openRoom()
  await room.insert('c', { _id: 1 })
  await room.run({ find: 'c' })
  const status = await room.run({ serverStatus: 1, repl: 0 }, 'admin')
  t.match(status, {
    process: 'mongod',
    version: /^7\.0/,
    connections: { current: 1, available: 9, totalCreated: 1, active: 1 },
    opcounters: { insert: 1, query: 1, update: 0 },
    metrics: {
      commands: { find: { total: 1, failed: 0 } },
      ttl: { deletedDocuments: 0, passes: 0 },
    },
    storageEngine: { name: 'inmemory', persistent: false },
  })
  t.type(status.pid, 'number')
})

t.test('the rest of what tools send is answered', async (t) => {
  const room = openRoom()
  t.match(await room.run({ hostInfo: 1 }, 'admin'), { system: { cpuAddrSize: 64 }, os: {} })
  t.match(await room.run({ getCmdLineOpts: 1 }, 'admin'), { argv: ['sigil'], parsed: {} })
  t.match(await room.run({ getLog: 'startupWarnings' }, 'admin'), { totalLinesWritten: 0, log: [] })
  t.match(await room.run({ getLog: '*' }, 'admin'), { names: ['global', 'startupWarnings'] })
  t.match(await room.run({ top: 1 }, 'admin'), { totals: {} })
  t.match(await room.run({ whatsmyuri: 1 }), { you: 'test:1' })
  t.match(await room.run({ profile: -1 }), { was: 0 })
  const { commands } = await room.run({ listCommands: 1 })
  t.match(commands.find, { help: 'Finds documents of a collection.', requiresAuth: true })
  t.equal(commands.ping.requiresAuth, false)
})

t.test('what a standalone does not have is refused with the right code', async (t) => {
  const room = openRoom()
  const code = async (name: string, db = 'admin') => (await room.fails({ [name]: 1 }, db))[0]
  t.equal(await code('atlasVersion'), 59)
  t.equal(await code('getFreeMonitoringStatus'), 59)
  t.equal(await code('createUser'), 59)
  t.equal(await code('replSetGetStatus'), 76)
  t.equal(await code('setParameter'), 115)
  t.equal(await code('mapReduce'), 115)
  t.equal(await code('commitTransaction'), 20)
})

t.test('sessions are accepted and not kept', async (t) => {
  const room = openRoom()
  const { id, timeoutMinutes } = await room.run({ startSession: 1 })
  t.equal(timeoutMinutes, 30)
  t.equal(id.id.toString().length, 36)
  const lsid = { id: new Binary(new Uint8Array(16), 4) }
  for (const name of ['refreshSessions', 'endSessions', 'killSessions', 'killAllSessions']) {
    t.same(await room.run({ [name]: [lsid] }, 'admin'), { ok: 1 }, name)
  }
  t.same(await room.run({ killAllSessionsByPattern: [{ lsid }] }, 'admin'), { ok: 1 })
  t.equal((await room.fails({ endSessions: [{ id: 1 }] }, 'admin'))[0], 14)
})

t.test('currentOp shows shapes and no values', async (t) => {
  const room = openRoom()
  const { inprog } = await room.run({ currentOp: 1, $all: true }, 'admin')
  t.match(inprog, [
    {
      type: 'op',
      active: true,
      connectionId: 1,
      client: 'test:1',
      ns: 'admin',
      command: { name: 'currentOp', shape: '{ currentOp: int, $all: bool }' },
    },
  ])
})
