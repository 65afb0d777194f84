// COMMAND and its subcommands: what the table says of itself, and that the reference server says
// the same of the same commands.

import t, { type Test } from 'tap'
import { keyValueRows } from '../../../../src/commands/keyvalue/rows.js'
import { eachKeyValueRoom, type KeyValueRoom } from '../../../support/key-value-room.js'
import { besideRedis } from '../../../support/redis-reference.js'
import type { RespReply } from '../../../support/resp-client.js'

const memory = { kinds: ['memory'] } as const
const inRoom = (body: (room: KeyValueRoom, t: Test) => Promise<void>) => (t: Test) =>
  eachKeyValueRoom(t, 'room', async (t, room) => body(room, t), memory)

t.test(
  'COMMAND COUNT, LIST and the bare COMMAND agree with the table',
  inRoom(async (room, t) => {
    const all = keyValueRows.map(({ name }) => name)
    const names = all.filter((name) => !name.includes('|'))
    t.equal(await room.run('COMMAND', 'COUNT'), names.length)
    t.same(new Set((await room.run('COMMAND', 'LIST')) as string[]), new Set(all))
    const described = (await room.run('COMMAND')) as [name: string][]
    t.same(new Set(described.map(([name]) => name)), new Set(names))
    t.same(await room.run('COMMAND', 'INFO', 'config|get|key'), [null])
  }),
)

t.test(
  'COMMAND LIST FILTERBY takes patterns and categories, subcommands among them',
  inRoom(async (room, t) => {
    const found = await room.run('COMMAND', 'LIST', 'FILTERBY', 'PATTERN', 'CONFIG|*t')
    t.same(found, ['config|get', 'config|set', 'config|resetstat'])
    const transaction = await room.run('COMMAND', 'LIST', 'FILTERBY', 'ACLCAT', 'Transaction')
    t.same(transaction, ['multi', 'exec', 'discard', 'watch', 'unwatch'])
    t.same(await room.run('COMMAND', 'LIST', 'FILTERBY', 'MODULE', 'x'), [])
  }),
)

t.test(
  'COMMAND DOCS answers what redis-cli makes hints of',
  inRoom(async (room, t) => {
    const [name, pairs] = (await room.run('COMMAND', 'DOCS', 'linsert', 'nosuch')) as [
      string,
      unknown[],
    ]
    t.equal(name, 'linsert')
    const at = pairs.indexOf('arguments')
    t.same(pairs[at + 1], [
      ['name', 'key', 'type', 'key', 'key_spec_index', 0],
      [
        ...['name', 'before_after', 'type', 'oneof', 'arguments'],
        [
          ['name', 'before', 'type', 'pure-token', 'token', 'BEFORE'],
          ['name', 'after', 'type', 'pure-token', 'token', 'AFTER'],
        ],
      ],
      ['name', 'pivot', 'type', 'string'],
      ['name', 'element', 'type', 'string'],
    ])
  }),
)

t.test('every row is described as the reference server describes it', (t) =>
  besideRedis(t, 'COMMAND INFO', async (t, { ours, theirs }) => {
    for (const { name } of keyValueRows) {
      const [mine, wanted] = await Promise.all([
        ours.call('COMMAND', 'INFO', name),
        theirs.call('COMMAND', 'INFO', name),
      ])
      t.same(comparable(first(mine)), comparable(first(wanted)), name)
    }
  }),
)

/** The one command of an answer. */
function first(reply: RespReply): RespReply {
  return Array.isArray(reply) ? (reply[1] ?? '') : reply
}

/** Without subcommands, which come on their own, and with sets in order. */
function comparable(reply: RespReply): unknown {
  if (!Array.isArray(reply)) return reply
  return reply.slice(1, 10).map((field, index) => {
    if (index !== 2 && index !== 6 && index !== 7 && index !== 8) return field
    return Array.isArray(field) ? field.slice(1).map(withoutNotes).sort() : field
  })
}

/** A use of keys has notes on the reference server: sentences of its manual. */
function withoutNotes(use: RespReply): string {
  if (!Array.isArray(use)) return use
  const at = use.indexOf('$notes')
  return JSON.stringify((at < 0 ? use : [...use.slice(0, at), ...use.slice(at + 2)]).slice(1))
}

t.test('COMMAND and its refusals are those of the reference server', (t) =>
  besideRedis(t, 'lines', async (_t, { same }) => {
    await same([
      'COMMAND x',
      'COMMAND COUNT x',
      'COMMAND INFO nosuch',
      'COMMAND INFO get|x',
      'COMMAND DOCS nosuch',
      'COMMAND GETKEYS',
      'COMMAND GETKEYS get',
      'COMMAND GETKEYS get a',
      'COMMAND GETKEYS GET a b',
      'COMMAND GETKEYS nosuch a',
      'COMMAND GETKEYS ping x',
      'COMMAND GETKEYS config get x',
      'COMMAND GETKEYS config|get x',
      'COMMAND GETKEYS mset a b c d',
      'COMMAND GETKEYS object encoding x',
      'COMMAND GETKEYS object nosuch x',
      'COMMAND GETKEYS zunionstore a 2 b c',
      'COMMAND GETKEYS zunionstore a 3 b c',
      'COMMAND GETKEYS zunion abc a',
      'COMMAND GETKEYS zunion 0 a',
      'COMMAND GETKEYS zunion -1 a',
      'COMMAND GETKEYS lmpop 2 a b left',
      'COMMAND GETKEYS blmpop 0 2 a b left',
      'COMMAND GETKEYS sort a by x store b',
      'COMMAND GETKEYSANDFLAGS ping x',
      'COMMAND GETKEYSANDFLAGS mset a b',
      'COMMAND GETKEYSANDFLAGS set a b',
      'COMMAND GETKEYSANDFLAGS set a b GET',
      'COMMAND GETKEYSANDFLAGS lmove a b left right',
      'COMMAND GETKEYSANDFLAGS zunionstore a 2 b c',
      'COMMAND GETKEYSANDFLAGS sort a by x get y store b',
      'COMMAND LIST FILTERBY',
      'COMMAND LIST foo',
      'COMMAND LIST FILTERBY foo bar',
      'COMMAND LIST FILTERBY PATTERN x y',
      'COMMAND LIST FILTERBY PATTERN strl*',
      'COMMAND LIST FILTERBY ACLCAT nosuch',
      'COMMAND HELP',
    ])
  }),
)
