// CLIENT: what a connection is told of itself and of others, and what it does to others.

import t, { type Test } from 'tap'
import { eachKeyValueRoom, type KeyValueRoom } from '../../../support/key-value-room.js'
import { startGateway } from '../../../support/live-gateway.js'
import { besideRedis } from '../../../support/redis-reference.js'
import { RespClient } from '../../../support/resp-client.js'

const memory = { kinds: ['memory'] } as const

/** Until so many clients wait. */
async function blocked(room: KeyValueRoom, count: number): Promise<void> {
  while (room.bus.services.clients.blocked < count) await new Promise(setImmediate)
}

t.test('a line of CLIENT LIST has what the reference server has', (t) =>
  eachKeyValueRoom(
    t,
    'room',
    async (t, room) => {
      await room.run('CLIENT', 'SETNAME', 'me')
      await room.run('SELECT', '3')
      await room.run('HELLO', '3')
      await room.run('SUBSCRIBE', 'a', 'b')
      const other = room.client()
      await other.run('MULTI')
      await other.run('GET', 'a')
      const lines = String(await room.run('CLIENT', 'LIST')).split('\n')
      t.match(
        lines[0],
        /^id=1 addr=127.0.0.1:\d+ laddr=127.0.0.1:6379 fd=\d+ name=me age=\d+ idle=0 flags=P db=3 sub=2 psub=0 ssub=0 multi=-1 qbuf=26 qbuf-free=\d+ argv-mem=10 multi-mem=0 rbs=\d+ rbp=\d+ obl=0 oll=0 omem=0 tot-mem=\d+ events=r cmd=client\|list user=operator redir=-1 resp=3$/,
      )
      t.match(lines[1], /^id=2 .* flags=x .* multi=1 .* cmd=get /)
      t.same(lines.slice(2), [''])
      t.match(await room.run('CLIENT', 'LIST', 'TYPE', 'pubsub'), /^id=1 [^\n]*\n$/)
      t.match(await room.run('CLIENT', 'LIST', 'ID', '2', '7'), /^id=2 [^\n]*\n$/)
    },
    memory,
  ),
)

/** What CLIENT LIST tells of clients that wait, queue, sent nonsense or are in EXEC. */
async function lastCommands(t: Test, own: RespClient): Promise<string[]> {
  const port = own.socket.remotePort ?? 0
  const open = async (name: string, words: string) => {
    const client = await RespClient.open(port)
    t.teardown(() => client.close())
    await client.call('CLIENT', 'SETNAME', name)
    client.send(words)
    return client
  }
  await open('blocked', 'BLPOP nosuch 0\r\nGET behind\r\n')
  const queues = await open('queues', 'MULTI\r\nSET a 1\r\n')
  t.same([await queues.next(), await queues.next()], ['+OK', '+QUEUED'])
  const unknown = await open('unknown', 'NOSUCH\r\n')
  t.match(await unknown.next(), /^-ERR unknown command/)
  const waits = async () => /blocked_clients:1\r\n/.test(String(await own.call('INFO', 'clients')))
  while (!(await waits())) await new Promise(setImmediate)
  await own.call('MULTI')
  await own.call('CLIENT', 'LIST')
  const [, lines] = (await own.call('EXEC')) as string[]
  const told = (lines ?? '').slice(1).trim().split('\n')
  return told.map((line) =>
    line.replace(/^.* (name=\S*) .* (flags=\S+) .* (cmd=\S+) .*$/, '$1 $2 $3'),
  )
}

t.test('CLIENT LIST names the command that each client sent last', (t) =>
  besideRedis(t, 'lines', async (t, { ours, theirs }) => {
    const [mine, wanted] = [await lastCommands(t, ours), await lastCommands(t, theirs)]
    t.same(mine.sort(), wanted.sort())
    t.match(wanted.join('\n'), /^name=blocked flags=b cmd=blpop$/m)
  }),
)

t.test('CLIENT UNBLOCK ends the waiting of another, with or without an error', (t) =>
  eachKeyValueRoom(
    t,
    'room',
    async (t, room) => {
      const other = room.client()
      for (const [word, reply] of [
        ['TIMEOUT', null],
        ['ERROR', { error: 'UNBLOCKED client unblocked via CLIENT UNBLOCK' }],
      ] as const) {
        const waiting = other.run('BLPOP', 'l', '0')
        await blocked(room, 1)
        t.match(await room.run('INFO', 'clients'), /blocked_clients:1\r\n/)
        t.equal(await room.run('CLIENT', 'UNBLOCK', '2', word), 1)
        t.same(await waiting, reply)
      }
      t.equal(await room.run('CLIENT', 'UNBLOCK', '2'), 0)
    },
    memory,
  ),
)

t.test('CLIENT PAUSE WRITE holds what writes, and counts it as blocked', (t) =>
  eachKeyValueRoom(
    t,
    'room',
    async (t, room) => {
      await room.run('CLIENT', 'PAUSE', '1000000', 'WRITE')
      const other = room.client()
      t.equal(await other.run('GET', 'a'), null)
      const replies = Promise.all([other.run('SET', 'a', '1'), other.run('GET', 'a')])
      await blocked(room, 1)
      const third = room.client()
      await third.run('MULTI')
      await third.run('INCR', 'n')
      const executed = third.run('EXEC')
      await blocked(room, 2)
      t.equal(await room.run('GET', 'a'), null)
      t.equal(await room.run('CLIENT', 'UNPAUSE'), 'OK')
      t.same(await replies, ['OK', '1'])
      t.same(await executed, [1])
      t.equal(room.bus.services.clients.blocked, 0)
    },
    memory,
  ),
)

t.test('CLIENT REPLY leaves replies out', async (t) => {
  const { ports } = await startGateway(t, { AUTH_MODE: 'off' })
  const client = await RespClient.open(ports.redis)
  t.teardown(() => client.close())
  const say = (line: string) => client.send(`${line}\r\n`)
  for (const line of ['CLIENT REPLY SKIP', 'ECHO 1', 'ECHO 2']) say(line)
  t.equal(await client.next(), '$2')
  for (const line of ['CLIENT REPLY OFF', 'ECHO 3', 'CLIENT REPLY SKIP', 'ECHO 4']) say(line)
  for (const line of ['CLIENT REPLY ON', 'ECHO 5']) say(line)
  t.equal(await client.next(), '+OK')
  t.equal(await client.next(), '$5')
})

t.test('CLIENT KILL ends others at once, and its caller behind the answer', async (t) => {
  const { ports } = await startGateway(t, { AUTH_MODE: 'off' })
  const [one, two, three] = await Promise.all([1, 2, 3].map(() => RespClient.open(ports.redis)))
  if (one === undefined || two === undefined || three === undefined) throw new Error('three')
  t.teardown(() => [one, two, three].map((client) => client.close()))
  const id = String(await two.call('CLIENT', 'ID')).slice(1)
  t.equal(await one.call('CLIENT', 'KILL', 'ID', id), ':1')
  t.equal(await two.next(), undefined)
  const line = String(await three.call('CLIENT', 'INFO'))
  const address = / addr=(\S+)/.exec(line)?.[1] ?? ''
  t.equal(await three.call('CLIENT', 'KILL', address), '+OK')
  t.equal(await three.next(), undefined)
  t.equal(await one.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'no'), ':1')
  t.equal(await one.next(), undefined)
})

t.test('CLIENT and its refusals are those of the reference server', (t) =>
  besideRedis(t, 'lines', async (_t, { same, sameWords, ours, theirs }) => {
    await sameWords('CLIENT', 'SETNAME', 'a b')
    await sameWords('CLIENT', 'SETNAME', '')
    await same([
      'CLIENT',
      'CLIENT nosuch',
      'CLIENT SETINFO lib-name x',
      'CLIENT NO-TOUCH on',
      'CLIENT SETNAME',
      'CLIENT GETNAME',
      'CLIENT SETNAME me',
      'CLIENT GETNAME',
      'CLIENT ID x',
      'CLIENT LIST TYPE foo',
      'CLIENT LIST TYPE master',
      'CLIENT LIST TYPE',
      'CLIENT LIST ID',
      'CLIENT LIST ID 1 abc',
      'CLIENT LIST ID 99999',
      'CLIENT LIST foo',
      'CLIENT NO-EVICT on',
      'CLIENT NO-EVICT foo',
      'CLIENT REPLY foo',
      'CLIENT KILL',
      'CLIENT KILL foo',
      'CLIENT KILL ID',
      'CLIENT KILL ID abc',
      'CLIENT KILL ID 0',
      'CLIENT KILL ID 99999',
      'CLIENT KILL ADDR 1.2.3.4:5',
      'CLIENT KILL LADDR 1.2.3.4:5',
      'CLIENT KILL TYPE foo',
      'CLIENT KILL TYPE pubsub',
      'CLIENT KILL USER foo',
      'CLIENT KILL USER default',
      'CLIENT KILL SKIPME foo',
      'CLIENT KILL SKIPME yes',
      'CLIENT KILL foo bar',
      'CLIENT KILL ID 1 TYPE',
      'CLIENT PAUSE',
      'CLIENT PAUSE abc',
      'CLIENT PAUSE -1',
      'CLIENT PAUSE 1 foo',
      'CLIENT PAUSE 1 WRITE',
      'CLIENT UNPAUSE',
      'CLIENT UNPAUSE x',
      'CLIENT UNBLOCK 99999',
      'CLIENT UNBLOCK abc',
      'CLIENT UNBLOCK 99999 foo',
      'CLIENT UNBLOCK 99999 ERROR',
      'CLIENT TRACKING',
      'CLIENT TRACKING off',
      'CLIENT TRACKING foo',
      'CLIENT TRACKING off BCAST',
      'CLIENT TRACKINGINFO',
      'CLIENT GETREDIR',
      'CLIENT CACHING yes',
      'CLIENT CACHING foo',
      'CLIENT HELP',
      'RESET x',
      'RESET',
      'CLIENT GETNAME',
    ])
    for (const client of [ours, theirs]) await client.call('HELLO', '3')
    await same(['CLIENT TRACKINGINFO', 'CLIENT LIST TYPE pubsub'])
  }),
)

t.test('RESET takes back all that a connection has said', (t) =>
  eachKeyValueRoom(
    t,
    'room',
    async (t, room) => {
      await room.run('CLIENT', 'SETNAME', 'me')
      await room.run('SELECT', '2')
      await room.run('WATCH', 'a')
      await room.run('SUBSCRIBE', 'c')
      await room.run('MULTI')
      t.equal(await room.run('RESET'), 'RESET')
      const { session } = room
      t.equal(session.name, '')
      t.equal(session.database, 0)
      t.equal(session.multi, undefined)
      t.equal(session.watches, undefined)
      t.equal(session.subscriptions, 0)
      t.equal(session.respVersion, 2)
      t.same(await room.run('PUBSUB', 'CHANNELS'), [])
    },
    memory,
  ),
)
