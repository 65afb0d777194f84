// What an edit of a key's members comes to in commands, and what it first asks the server.

import t from 'tap'
import { changeOf, type Kind, type Member, type Word } from '../../../src/studio/lib/key-change.js'

function member(id: number, before: Word[] | undefined, now: Word[], isGone = false): Member {
  return before === undefined ? { id, now, isGone } : { id, before, now, isGone }
}

function commandsFor(kind: Kind, ...members: readonly Member[]) {
  return changeOf({ key: 'k', kind }, members, 'MARK')
}

t.test('what is not touched is not written', async (t) => {
  const same = member(0, ['a', '1'], ['a', '1'])
  const neverWas = member(-1, undefined, ['b', '2'], true)
  t.same(commandsFor('hash', same, neverWas), { guards: [], commands: [] })
})

t.test('fields may change places', async (t) => {
  const change = commandsFor(
    'hash',
    member(0, ['a', '1'], ['b', '1']),
    member(1, ['b', '2'], ['a', '2']),
  )
  t.same(change.commands, [
    ['HDEL', 'k', 'a'],
    ['HDEL', 'k', 'b'],
    ['HSET', 'k', 'b', '1'],
    ['HSET', 'k', 'a', '2'],
  ])
  t.same(change.guards, [
    [['HGET', 'k', 'a'], '1'],
    [['HGET', 'k', 'b'], '2'],
  ])
})

t.test('a new field or member writes over none that was not read', async (t) => {
  t.same(commandsFor('hash', member(-1, undefined, ['c', '3'])), {
    guards: [[['HGET', 'k', 'c'], null]],
    commands: [['HSET', 'k', 'c', '3']],
  })
  t.same(commandsFor('zset', member(0, ['a', '1'], ['b', '1'])), {
    guards: [
      [['ZSCORE', 'k', 'a'], '1'],
      [['ZSCORE', 'k', 'b'], null],
    ],
    commands: [
      ['ZREM', 'k', 'a'],
      ['ZADD', 'k', '1', 'b'],
    ],
  })
})

t.test('elements of a list keep their places until all are taken out', async (t) => {
  const change = commandsFor(
    'list',
    member(0, ['a'], ['a'], true),
    member(1, ['b'], ['B']),
    member(-1, undefined, ['c']),
  )
  t.same(change.commands, [
    ['LSET', 'k', 0, 'MARK'],
    ['LSET', 'k', 1, 'B'],
    ['RPUSH', 'k', 'c'],
    ['LREM', 'k', 0, 'MARK'],
  ])
})

t.test('bytes that are no text are named as they are', async (t) => {
  const bytes = { $binary: '/w==' }
  t.same(commandsFor('set', member(0, [bytes], [bytes], true)), {
    guards: [[['SISMEMBER', 'k', bytes], 1]],
    commands: [['SREM', 'k', bytes]],
  })
})
