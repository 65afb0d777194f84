// Keyspace events: which classes are told, on which channels, and to whom.

import t from 'tap'
import { eachKeyValueRoom, type KeyValueRoom } from '../../../support/key-value-room.js'

const kinds = ['memory'] as const

function configure(room: KeyValueRoom, letters: string): string | undefined {
  const { notifications, settings } = room.bus.services
  if (!notifications.configure(letters)) return undefined
  return settings.get('notify-keyspace-events')
}

await eachKeyValueRoom(
  t,
  'letters are printed as the peer prints them',
  async (t, room) => {
    const cases: Readonly<Record<string, string>> = {
      KEA: 'AKE',
      Kx$gnmA: 'AKm',
      AKEnm: 'AKEm',
      g: 'g',
      lshzxegt$: 'g$lshzxet',
      KElshzxegt$d: 'AKE',
      Ex: 'xE',
      '': '',
    }
    for (const [given, printed] of Object.entries(cases)) t.equal(configure(room, given), printed)
    configure(room, 'Kx')
    t.equal(configure(room, 'Kq'), undefined, 'an unknown letter')
    t.equal(room.bus.services.settings.get('notify-keyspace-events'), 'xK', 'changes nothing')
  },
  { kinds },
)

await eachKeyValueRoom(
  t,
  'an event is told by its key and by its name, in the order of the commands',
  async (t, room) => {
    const other = room.client()
    await other.run('PSUBSCRIBE', '__key*__:*')
    await room.run('SET', 'a', '1')
    t.same(other.pushed, [], 'nothing is told unless it is asked for')
    configure(room, 'KEA')
    await room.run('SELECT', 2)
    await room.run('SET', 'a', '1', 'EX', 100)
    t.same(
      other.pushed.map((message) => (message as string[]).slice(2)),
      [
        ['__keyspace@2__:a', 'set'],
        ['__keyevent@2__:set', 'a'],
        ['__keyspace@2__:a', 'expire'],
        ['__keyevent@2__:expire', 'a'],
      ],
    )
    other.pushed.length = 0
    configure(room, 'Eg')
    await room.run('SET', 'a', '1')
    await room.run('DEL', 'a', 'missing')
    t.same(other.pushed, [['pmessage', '__key*__:*', '__keyevent@2__:del', 'a']])
  },
  { kinds },
)

await eachKeyValueRoom(
  t,
  'a key that expires is told of, and a transaction tells when it is committed',
  async (t, room) => {
    configure(room, 'Ex$')
    const other = room.client()
    await other.run('PSUBSCRIBE', '*')
    await room.run('SET', 'a', '1', 'PX', 5)
    room.clock.now = () => 10_000_000_000_000
    await room.bus.expiry.round()
    t.same(
      other.pushed.map((message) => (message as string[]).slice(2)),
      [
        ['__keyevent@0__:set', 'a'],
        ['__keyevent@0__:expired', 'a'],
      ],
    )
    other.pushed.length = 0
    await room.run('MULTI')
    await room.run('SET', 'b', '1')
    await room.run('SET', 'c', '1')
    t.same(other.pushed, [])
    await room.run('EXEC')
    t.same(other.pushed.length, 2)
  },
  { kinds },
)

await eachKeyValueRoom(
  t,
  'new keys and keys that are missed are told of where asked for',
  async (t, room) => {
    configure(room, 'Enm')
    const other = room.client()
    await other.run('PSUBSCRIBE', '*')
    await room.run('SET', 'a', '1')
    await room.run('SET', 'a', '2')
    await room.run('GET', 'missing')
    await room.run('DEL', 'missing')
    t.same(
      other.pushed.map((message) => (message as string[]).slice(2)),
      [
        ['__keyevent@0__:new', 'a'],
        ['__keyevent@0__:keymiss', 'missing'],
      ],
    )
  },
  { kinds },
)

await eachKeyValueRoom(
  t,
  'who may not read the database does not hear of its keys',
  async (t, room) => {
    configure(room, 'KEA')
    const other = room.client()
    await other.run('PSUBSCRIBE', '*')
    other.session.identity = { kind: 'anonymous' }
    await room.run('SET', 'a', '1')
    t.same(other.pushed, [])
  },
  { kinds },
)
