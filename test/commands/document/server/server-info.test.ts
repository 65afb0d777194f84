// What shells and tools ask a server for: the fields that they cannot do without.

import { Binary, Long } from 'bson'
import t from 'tap'
import { openMemoryStore } from '../../../../src/store/memory.js'
import { CommandRoom, type RoomOptions } from '../../../support/command-room.js'
import { ManualClock } from '../../../support/engine-room.js'

function openRoom(options: RoomOptions = {}): CommandRoom {
  const clock = new ManualClock()
  return new CommandRoom(openMemoryStore(clock), clock, options)
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
  const detailed = { getParameter: { showDetails: true }, logLevel: 1 }
  t.match(await room.run(detailed, 'admin'), {
    logLevel: { value: 0, settableAtRuntime: false },
  })
  t.same(await room.fails({ getParameter: 'foo' }, 'admin'), [72, 'no option found to get'])
})

t.test('connectionStatus tells who one is', async (t) => {
  const room = openRoom()
  const { authInfo } = await room.run({ connectionStatus: 1, showPrivileges: true })
  t.same(authInfo.authenticatedUsers, [{ user: 'operator', db: 'admin' }])
  t.same(authInfo.authenticatedUserRoles, [{ role: 'root', db: 'admin' }])
  t.equal(authInfo.authenticatedUserPrivileges.length, 1)
  const unauthenticated = await room.run({ connectionStatus: 1 }, 'admin', room.anonymous())
  t.same(unauthenticated.authInfo, { authenticatedUsers: [], authenticatedUserRoles: [] })
})

t.test('accounts are listed in the forms that shells ask in', async (t) => {
  const room = openRoom()
  const count = async (usersInfo: unknown, db = 'admin') =>
    (await room.run({ usersInfo }, db)).users.length
  t.equal(await count(1), 1)
  t.equal(await count(1, 'test'), 0)
  t.equal(await count('operator'), 1)
  t.equal(await count('unknown'), 0)
  t.equal(await count({ user: 'operator', db: 'admin' }, 'test'), 1)
  t.equal(await count({ forAllDBs: true }, 'test'), 1)
  t.equal(await count(['unknown', 'operator']), 1)
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
  t.match(commands.find, { help: /^Finds documents of a collection/, requiresAuth: true })
  t.equal(commands.ping.requiresAuth, false)
})

t.test('what a standalone does not have is refused with the right code', async (t) => {
  const room = openRoom()
  const code = async (name: string, db = 'admin') => (await room.fails({ [name]: 1 }, db))[0]
  t.equal(await code('atlasVersion'), 59)
  t.equal(await code('getFreeMonitoringStatus'), 59)
  t.equal(await code('bulkWrite'), 59)
  t.equal(await code('createRole'), 20)
  t.equal(await code('replSetGetStatus'), 76)
  t.equal(await code('replSetInitiate'), 76)
  t.equal(await code('getDefaultRWConcern'), 51300)
  t.equal(await code('fsyncUnlock'), 20)
  t.equal(await code('createSearchIndexes'), 31082)
  t.equal(await code('mapReduce'), 115)
  t.equal(await code('commitTransaction'), 125)
  const lsid = { id: new Binary(new Uint8Array(16), 4) }
  const commit = { commitTransaction: 1, lsid, txnNumber: Long.fromNumber(1), autocommit: false }
  t.same(await room.fails(commit, 'admin'), [
    20,
    'Transaction numbers are only allowed on a replica set member or mongos',
  ])
  for (const name of ['eval', 'group', 'copydb', 'geoSearch', 'getLastError']) {
    t.equal(await code(name), 59, name)
  }
})

t.test('stages of other deployments are refused with the right code', async (t) => {
  const room = openRoom()
  const code = async (stage: object) =>
    (await room.fails({ aggregate: 'c', pipeline: [stage], cursor: {} }))[0]
  t.equal(await code({ $changeStream: {} }), 40573)
  for (const name of ['$search', '$searchMeta', '$vectorSearch', '$listSearchIndexes']) {
    t.equal(await code({ [name]: {} }), 31082, name)
  }
})

t.test('a tool that administers is answered as by a standalone', async (t) => {
  let stops = 0
  const room = openRoom({ services: { shutdown: () => stops++ } })
  t.same(await room.run({ lockInfo: 1 }, 'admin'), { lockInfo: [], ok: 1 })
  t.match(await room.run({ connPoolStats: 1 }), { totalInUse: 0, pools: {}, hosts: {} })
  t.same(await room.run({ shardingState: 1 }, 'admin'), { enabled: false, ok: 1 })
  t.match(await room.run({ features: 1 }), { ok: 1 })
  const raise = (version: string, confirm = true) => ({
    ...{ setFeatureCompatibilityVersion: version, confirm },
  })
  t.same(await room.run(raise('7.0'), 'admin'), { ok: 1 })
  t.equal((await room.fails(raise('6.0'), 'admin'))[0], 4926900)
  t.equal((await room.fails(raise('7.0', false), 'admin'))[0], 7369100)
  t.equal((await room.fails({ profile: 1 }))[0], 115)
  t.equal((await room.fails({ getLog: 'rs' }, 'admin'))[0], 96)
  t.same(await room.run({ shutdown: 1 }, 'admin'), { ok: 1 })
  t.equal(stops, 1)
})

t.test('a tool that looks at one collection is told what there is', async (t) => {
  const room = openRoom()
  await room.insert('c', { _id: 1 }, { _id: 2 })
  const size = { size: 28, numObjects: 2, millis: 0 }
  t.match(await room.run({ dataSize: 'test.c' }), { estimate: false, ...size })
  t.same(await room.run({ dataSize: 'test.none' }), { size: 0, numObjects: 0, millis: 0, ok: 1 })
  const range = { keyPattern: { _id: 1 }, min: { _id: 1 }, max: { _id: 2 } }
  t.equal((await room.fails({ dataSize: 'test.c', ...range }))[0], 115)
  t.same(await room.run({ compact: 'c' }), { bytesFreed: 0, ok: 1 })
  t.equal((await room.fails({ compact: 'none' }))[0], 26)
  t.same(await room.run({ planCacheListFilters: 'c' }), { filters: [], ok: 1 })
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

t.test('currentOp takes conditions, and $currentOp flags', async (t) => {
  const room = openRoom()
  const count = async (command: object) =>
    (await room.run({ currentOp: 1, ...command }, 'admin')).inprog.length
  t.equal(await count({ active: true, ns: /^admin/ }), 1)
  t.equal(await count({ secs_running: { $gt: 3 } }), 0)
  t.equal(await count({ $ownOps: true, 'command.currentOp': 1 }), 1)
  const staged = (options: unknown) => ({
    ...{ aggregate: 1, pipeline: [{ $currentOp: options }], cursor: {} },
  })
  const { cursor } = await room.run(staged({ allUsers: true, localOps: true }), 'admin')
  t.match(cursor.firstBatch, [{ op: 'command', command: { aggregate: 1, $db: 'admin' } }])
  t.equal((await room.fails(staged({ allUsers: 1 }), 'admin'))[0], 9)
  t.equal((await room.fails(staged({ nonsense: true }), 'admin'))[0], 9)
})

t.test('sessions in use are listed: the own ones, and all to the operator', async (t) => {
  const room = openRoom()
  const lsid = { id: new Binary(new Uint8Array(16).fill(3), 4) }
  const list = (options: object) => ({
    ...{ aggregate: 1, pipeline: [{ $listLocalSessions: options }], cursor: {}, lsid },
  })
  for (const options of [{}, { allUsers: true }]) {
    const { cursor } = await room.run(list(options))
    t.equal(cursor.firstBatch.length, 1)
  }
  t.equal((await room.fails(list({ allUsers: true, users: [] })))[0], 12)
})

t.test("currentOp shows the caller's own commands as they came", async (t) => {
  const room = openRoom()
  const { inprog } = await room.run({ currentOp: 1, $all: true }, 'admin')
  t.match(inprog, [
    {
      type: 'op',
      active: true,
      connectionId: 1,
      client: 'test:1',
      ns: 'admin',
      command: { currentOp: 1, $all: true, $db: 'admin' },
      numYields: 0,
    },
  ])
})

t.test('serverStatus counts errors of users, and commands as acquired locks', async (t) => {
  const room = openRoom()
  const figures = async () => {
    const { asserts, locks } = await room.run({ serverStatus: 1 })
    return { user: asserts.user, ...locks.Collection.acquireCount }
  }
  const { user, r, w } = await figures()
  await room.insert('c', { _id: 1 })
  await room.run({ find: 'c' })
  t.match(await figures(), { user, w: w + 1 })
  await room.fails({ find: 'c', filter: { $nosuch: 1 } })
  await room.fails({ nosuch: 1 })
  await room.run({ insert: 'c', documents: [{ _id: 1 }] })
  const after = await figures()
  t.match(after, { user: user + 3, w: w + 2 })
  t.ok(after.r > r)
})

t.test('$currentOp shows the locks that MongoDB holds for a command on a collection', async (t) => {
  const room = openRoom()
  await room.run({ create: 'c', capped: true, size: 4096 })
  await room.insert('c', { _id: 1 })
  const opened = await room.run({ find: 'c', tailable: true, awaitData: true })
  const getMore = Long.fromNumber(opened.cursor.id)
  const waiting = room.run({ getMore, collection: 'c', maxTimeMS: 600_000 })
  while (room.engine.awaiting.size === 0) await new Promise((resolve) => setImmediate(resolve))
  const { inprog } = await room.run({ currentOp: 1, op: 'getmore' }, 'admin')
  const modes = { Global: 'r', Database: 'r', Collection: 'r' }
  t.same(inprog[0].locks, modes)
  t.match(inprog[0].lockStats, { Global: { acquireCount: { r: 1 } } })
  const own = await room.run({ currentOp: 1, op: 'command' }, 'admin')
  t.match(own.inprog, [{ locks: {}, lockStats: {} }])
  await room.insert('c', { _id: 2 })
  await waiting
})

t.test('serverStatus has what monitors divide by', async (t) => {
  const room = openRoom()
  const status = await room.run({ serverStatus: 1 })
  t.match(status, {
    asserts: { regular: 0, user: 0 },
    globalLock: { totalTime: Number, currentQueue: { total: 0 }, activeClients: { total: 1 } },
    network: { bytesIn: Number, bytesOut: Number, numRequests: Number },
    opcountersRepl: { insert: 0 },
    locks: { Global: { acquireCount: { r: Number, w: 0 } } },
    mem: { resident: Number, virtual: Number },
    wiredTiger: { cache: { 'bytes currently in the cache': Number } },
  })
  const { cache, concurrentTransactions } = status.wiredTiger
  t.ok(cache['maximum bytes configured'] > 0)
  t.ok(concurrentTransactions.read.totalTickets > 0)
})
