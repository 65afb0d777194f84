// The key-value protocol and the document protocol, every family of commands: by default no wallet
// and no administrator reads, hears, counts, changes or blocks what is another wallet's. Each is
// answered the same before that wallet has made anything and afterwards.

import t, { type Test } from 'tap'
import { RespClient } from './support/resp-client.js'
import {
  databaseReads,
  documentReads,
  documentWrites,
  keyValueLines,
  type Replies,
  sent,
  serverReads,
} from './support/stranger-batteries.js'
import {
  type Caller,
  collectionName,
  fillWorld,
  graphName,
  type Handles,
  mark,
  openWorld,
  ownedOf,
  plain,
  respOf,
  type World,
  wireOf,
} from './support/stranger-world.js'

t.setTimeout(600_000)

/** Before there is anything, what there will be is only guessed. */
function guessedOf({ owner }: World): Handles {
  return {
    ...{ home: owner.home, address: owner.address, keyHash: `0x${'0'.repeat(64)}` },
    ...{ connectionId: '999999', cursorId: 123_456_789n, session: new Uint8Array(16) },
    ...{ backend: 999_999, memoryId: 'mem_x', edgeId: 'edg_x' },
  }
}

/** The battery of each pair of callers, before and behind the wallet's doings. */
async function compare(
  t: Test,
  world: World,
  battery: (caller: Caller, handles: Handles) => Promise<Replies>,
  mayDiffer: (label: string) => boolean = () => false,
): Promise<void> {
  const answered: Replies[] = []
  for (const caller of world.before) answered.push(await battery(caller, guessedOf(world)))
  const handles = await fillWorld(t, world)
  const owned = await ownedOf(t, world)
  for (const [i, caller] of world.behind.entries()) {
    const earlier = world.before[i] as Caller
    const replies = await battery(caller, handles)
    t.ok(replies.size > 20, `${replies.size} commands`)
    for (const [label, reply] of replies) {
      const who = i === 0 ? 'another wallet' : 'an administrator'
      // What was sent itself may be told back.
      const told = reply.replaceAll(label, '')
      if (mayDiffer(label)) continue
      const first = plain(answered[i]?.get(label) ?? '', earlier)
      t.equal(plain(told, caller), first.replaceAll(label, ''), `${who}: ${label}`)
    }
  }
  t.same(await ownedOf(t, world), owned, 'the wallet has what it had')
}

/** Of the process, the moment, or drawn: the same for each caller, and not of a wallet's things. */
const volatile = new Set(
  [
    ...['acl|genpass', 'client|id', 'client|info', 'info', 'lastsave', 'time', 'lolwut'],
    ...['memory|stats', 'memory|malloc-stats', 'memory|doctor', 'latency|doctor'],
  ].flatMap((name) => [`own ${name}`, `named ${name}`, `main ${name}`]),
)

t.test('the key-value protocol, each command: in the own space and in another', async (t) => {
  const world = await openWorld(t)
  const battery = async (caller: Caller, handles: Handles): Promise<Replies> => {
    const replies: Replies = new Map()
    const spaces = { own: undefined, named: world.owner.home, main: 'main' }
    for (const [space, name] of Object.entries(spaces)) {
      for (const [command, words] of keyValueLines(handles)) {
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
  // What the others would be told of has been sent before the reply to a later command.
  for (const client of listening) {
    const [caller] = world.before
    if (caller !== undefined) await client.nextRaw.bind(client)
    client.send('*1\r\n$4\r\nPING\r\n')
  }
  await own.call('PING')
  t.notMatch(heard.join(''), mark)
})

t.test('the document protocol, what reads', async (t) => {
  const world = await openWorld(t)
  const { home } = world.owner
  const battery = async (caller: Caller, handles: Handles): Promise<Replies> => {
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
      replies.set(`${Object.keys(command)[0]} ${replies.size}`, await sent(wire, 'admin', command))
    }
    await wire.close()
    return replies
  }
  await compare(t, world, battery)
})

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
