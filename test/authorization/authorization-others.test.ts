// The key-value protocol and the document protocol, every family of commands: by default no wallet
// and no administrator reads, hears, counts, changes or blocks what is another wallet's. Each is
// answered the same before that wallet has made anything and afterwards.

import { Long, MongoClient } from 'mongodb'
import t from 'tap'
import {
  databaseReads,
  documentReads,
  documentWrites,
  keyValueLines,
  sent,
  serverReads,
} from '../support/other-batteries.js'
import {
  type Battery,
  collectionName,
  compare,
  fillWorld,
  graphName,
  mark,
  openWorld,
  ownedOf,
  type Replies,
  respOf,
  wireOf,
} from '../support/other-world.js'
import { RespClient } from '../support/resp-client.js'

t.setTimeout(600_000)

/** Of the process, the moment, or drawn: the same for each caller, and not of a wallet's things. */
const volatile = new Set(
  [
    ...['acl|genpass', 'client|id', 'client|info', 'info', 'lastsave', 'time', 'lolwut'],
    ...['memory|stats', 'memory|malloc-stats', 'memory|doctor', 'latency|doctor'],
  ].flatMap((name) => [`own ${name}`, `named ${name}`, `main ${name}`]),
)

t.test('the key-value protocol, each command: in the own space and in another', async (t) => {
  const world = await openWorld(t)
  const battery: Battery = async (caller, handles) => {
    const replies: Replies = new Map()
    const spaces = { own: undefined, named: world.owner.home, main: 'main' }
    for (const [space, name] of Object.entries(spaces)) {
      for (const [command, words] of keyValueLines(handles)) {
        // Each failure of an address takes twice as long to answer.
        if (command === 'auth' && space !== 'own') continue
        const client = await respOf(t, world.gateway, caller, name)
        if (space === 'own') await client.call('FLUSHALL')
        replies.set(`${space} ${command}`, JSON.stringify(await client.call(...words)))
        client.close()
      }
    }
    return replies
  }
  await compare(t, world, battery, (label) => volatile.has(label))
})

t.test('what a wallet does is heard by no other', async (t) => {
  const world = await openWorld(t)
  const { gateway } = world
  const operator = await RespClient.open(gateway.ports.redis)
  t.teardown(() => operator.close())
  await operator.call('AUTH', 'operator', gateway.key)
  await operator.call('CONFIG', 'SET', 'notify-keyspace-events', 'KEAnm')
  const heard: string[] = []
  const listening: RespClient[] = []
  for (const caller of [...world.before, ...world.behind]) {
    const client = await respOf(t, gateway, caller)
    await client.call('PSUBSCRIBE', '*')
    const queue = await respOf(t, gateway, caller)
    queue.onPush = (raw) => heard.push(raw)
    queue.send(
      `*4\r\n$5\r\nBLPOP\r\n$${mark.length + 6}\r\n${mark}:queue\r\n$1\r\nx\r\n$1\r\n0\r\n`,
    )
    client.onPush = (raw) => heard.push(raw)
    listening.push(client)
  }
  await fillWorld(t, world)
  const own = await respOf(t, gateway, world.owner)
  const hearing = await respOf(t, gateway, world.owner)
  await hearing.call('PSUBSCRIBE', '*')
  await own.call('PUBLISH', `${mark}:channel`, mark)
  await own.call('SET', `${mark}:seen`, mark)
  await own.call('PEXPIRE', `${mark}:seen`, '1')
  t.match(await hearing.next(), ['*4', '$pmessage', '$*', `$${mark}:channel`, `$${mark}`])
  t.match(JSON.stringify(await hearing.next()), /__key/, 'the wallet hears of its own keys')
  // What they are told of comes before the reply to a later command.
  for (const client of listening) t.match(await client.callRaw('PING'), /^\*2\r\n\$4\r\npong/)
  t.notMatch(heard.join(''), mark)
})

t.test('the document protocol, what reads', async (t) => {
  const world = await openWorld(t)
  const { home } = world.owner
  const battery: Battery = async (caller, handles) => {
    const wire = wireOf(t, world.gateway, caller)
    const replies: Replies = new Map()
    await wire.db(caller.home).collection('own').insertOne({ a: 1 })
    const parts = ['nodes', 'edges', 'terms', 'anchors'].map(
      (part) => `memory.${graphName}.${part}`,
    )
    for (const name of [collectionName, 'kv0', 'kv4', 'pubsub', ...parts]) {
      for (const command of documentReads(name)) {
        const label = `${home}: ${JSON.stringify(command)}`
        replies.set(label, await sent(wire, home, command))
      }
    }
    for (const db of ['main', home]) {
      for (const command of databaseReads(db, handles)) {
        replies.set(
          `${db}: ${Object.keys(command)[0]} ${replies.size}`,
          await sent(wire, db, command),
        )
      }
    }
    for (const command of serverReads(handles)) {
      const reply = await sent(wire, 'admin', command)
      const isOps = 'currentOp' in command || 'aggregate' in command
      replies.set(`${Object.keys(command)[0]} ${replies.size}`, isOps ? usersIn(reply) : reply)
    }
    await wire.close()
    return replies
  }
  // Names in the database of all are refused where they are taken, and empty where they are free.
  const isShared = (label: string) => /^main: (?:dataSize|sqlSelect|sqlExplain) /.test(label)
  await compare(t, world, battery, isShared)
})

/** Of operations and sessions: whose they are, and how many. */
function usersIn(reply: string): string {
  return [...reply.matchAll(/"user":"[^"]*"|"lastUse"/g)].join()
}

t.test('the document protocol, what changes', async (t) => {
  const world = await openWorld(t)
  const { home } = world.owner
  await fillWorld(t, world)
  const owned = await ownedOf(t, world)
  for (const caller of world.behind) {
    const wire = wireOf(t, world.gateway, caller)
    for (const db of ['main', home]) {
      await wire
        .db(db)
        .collection('own')
        .insertOne({ a: 1 })
        .catch(() => undefined)
      const names = [collectionName, ...(db === home ? ['kv0', 'kv4', 'pubsub'] : [])]
      names.push(`memory.${graphName}.nodes`, `memory.${graphName}.anchors`)
      for (const name of names) {
        for (const command of documentWrites(db, name, home)) {
          const reply = await sent(wire, db, command)
          t.notMatch(reply, new RegExp(`${mark} `), JSON.stringify(command))
        }
      }
    }
    await wire.close()
  }
  t.same(await ownedOf(t, world), owned, 'the wallet has what it had')
})

t.test('a command is ended by its own wallet, and by no other caller', async (t) => {
  const { gateway, owner, behind } = await openWorld(t)
  const wire = wireOf(t, gateway, owner)
  const session = wire.startSession()
  const db = wire.db(owner.home)
  await db.createCollection(collectionName, { capped: true, size: 4_096 })
  await db.collection(collectionName).insertOne({ text: mark })
  const find = { find: collectionName, tailable: true, awaitData: true }
  const { cursor } = await db.command(find, { session })
  const more = { getMore: Long.fromString(String(cursor.id)), collection: collectionName }
  const waiting = db.command({ ...more, maxTimeMS: 100_000 }, { session }).catch(({ code }) => code)
  const operator = wireOf(t, gateway, { address: 'operator', key: gateway.key })
  const seen = async () => {
    const { inprog } = await operator.db('admin').command({ currentOp: 1 })
    return inprog.find(({ command }: { command: object }) => 'getMore' in command)
  }
  let op = await seen()
  while (op === undefined) op = await seen()
  for (const caller of behind) {
    const other = wireOf(t, gateway, caller)
    const attempts = [op.opid, 999_999].map((id) => sent(other, 'admin', { killOp: 1, op: id }))
    const [real = '', guessed] = await Promise.all(attempts)
    t.equal(real, guessed, 'a number that is in use is answered as another one')
  }
  const unknown = new MongoClient(`mongodb://127.0.0.1:${gateway.ports.wire}/`)
  t.teardown(() => unknown.close())
  const killing = unknown.db('admin').command({ killOp: 1, op: op.opid })
  await t.rejects(killing, { code: 13 }, 'who has not signed in')
  t.notOk((await seen()).killPending, 'it goes on')
  await wire.db('admin').command({ killOp: 1, op: op.opid })
  t.equal(await waiting, 11_601, 'its own wallet ends it')
  await session.endSession()
})
