// The dispatcher: what it refuses, in which order, and what it does around a handler.

import { Long } from 'bson'
import t from 'tap'
import { fail } from '../../../src/base/errors.js'
import type { Log } from '../../../src/base/log.js'
import { anyValue, collection, optional, string } from '../../../src/bus/document/params.js'
import { reply } from '../../../src/bus/document/reply.js'
import { type DocumentRow, documentRow } from '../../../src/bus/document/row.js'
import { plain } from '../../../src/bus/policy/facts.js'
import { documentRows } from '../../../src/commands/rows.js'
import {
  createNamespace,
  findNamespace,
  listNamespaces,
} from '../../../src/engine/collection/catalog/catalog.js'
import { openMemoryStore } from '../../../src/store/memory.js'
import { readPhase, writePhase } from '../../../src/store/sweep.js'
import { CommandRoom, eachRoom, type RoomOptions } from '../../support/command-room.js'
import { ManualClock } from '../../support/engine-room.js'

function memoryRoom(options: RoomOptions = {}, clock = new ManualClock()) {
  return { clock, room: new CommandRoom(openMemoryStore(clock), clock, options) }
}

/** A row whose handler is the test's. */
function local(name: string, run: () => ReturnType<typeof reply>): DocumentRow {
  return documentRow({
    name,
    ...plain,
    grain: 'local',
    access: 'identity',
    target: anyValue,
    params: { secret: optional(string) },
    secrets: ['secret'],
    help: 'A test.',
    run,
  })
}

t.test('an unknown command is 59, whatever its case', async (t) => {
  const { room } = memoryRoom()
  t.same(await room.fails({ foo: 1 }), [59, "no such command: 'foo'"])
  t.same(await room.fails({ FIND: 'c' }), [59, "no such command: 'FIND'"])
  t.equal((await room.fails({}))[0], 9)
})

t.test('who has not signed in may say hello and little else', async (t) => {
  const { room } = memoryRoom()
  const unauthenticated = room.anonymous()
  t.equal((await room.run({ ping: 1 }, 'admin', unauthenticated)).ok, 1)
  const error = await room.refusal({ find: 'c' }, 'test', unauthenticated)
  t.same([error.code, error.message], [13, 'Command find requires authentication'])
})

t.test('an admin command answers on admin alone', async (t) => {
  const { room } = memoryRoom()
  t.same(await room.fails({ listDatabases: 1 }), [
    13,
    'listDatabases may only be run against the admin database.',
  ])
})

t.test('a bad database name is 73', async (t) => {
  const { room } = memoryRoom()
  for (const db of ['', 'a b', 'a.b', 'a$b', 'x'.repeat(64)]) {
    t.equal((await room.fails({ ping: 1 }, db))[0], 73, db)
  }
})

t.test('a name that no collection can have is 73, wherever it stands', async (t) => {
  const { room } = memoryRoom()
  for (const name of ['', '.a', 'a$b', 'a\0b', 'x'.repeat(256)]) {
    t.equal((await room.fails({ find: name }))[0], 73, JSON.stringify(name))
    const $lookup = { from: name, localField: 'a', foreignField: 'b', as: 'c' }
    const joining = { aggregate: 'c', pipeline: [{ $lookup }], cursor: {} }
    t.equal((await room.fails(joining))[0], 73, JSON.stringify(name))
  }
})

t.test('apiStrict lets through what API version 1 has', async (t) => {
  const { room } = memoryRoom()
  const strict = { apiVersion: '1', apiStrict: true }
  t.equal((await room.run({ ping: 1, ...strict })).ok, 1)
  t.same(await room.fails({ distinct: 'c', key: 'a', ...strict }), [
    323,
    'Provided apiStrict:true, but the command distinct is not in API Version 1',
  ])
})

t.test('a command without pauses is answered in the same tick', async (t) => {
  const { room } = memoryRoom()
  await room.insert('c', { _id: 1 })
  const request = { find: 'c', filter: { _id: 1 } }
  const { documentFrom } = await import('../../../src/value/literal.js')
  const body = documentFrom(request)
  const outcome = room.bus.run({ db: 'test', body, sequences: new Map() }, room.session)
  t.ok(outcome instanceof Uint8Array)
})

t.test('an unexpected throw becomes InternalError, its cause logged and not sent', async (t) => {
  const lines: object[] = []
  const log: Log = {
    debug: () => {},
    info: () => {},
    warn: () => {},
    error: (line: object) => lines.push(line),
  }
  const row = local('boom', () => {
    throw new TypeError('secret detail')
  })
  const { room } = memoryRoom({ rows: [row], log })
  t.same(await room.fails({ boom: 1 }), [1, 'internal error'])
  t.match(lines, [{ command: 'boom', cause: /TypeError: secret detail/ }])
})

t.test('a slow command is logged with its shape and no value', async (t) => {
  const lines: object[] = []
  const log: Log = {
    debug: () => {},
    info: (line: object) => lines.push(line),
    warn: () => {},
    error: () => {},
  }
  const clock = new ManualClock()
  const row = local('slow', () => {
    clock.ms += 150
    return reply()
  })
  const { room } = memoryRoom({ rows: [row], log, services: { slowCommandMs: 100 } }, clock)
  await room.run({ slow: 'topsecret', secret: 'hidden', comment: { a: 'topsecret' } })
  t.match(lines, [{ command: 'slow', ns: 'test', ms: 150, protocol: 'internal', connection: 1 }])
  t.equal((lines[0] as { shape: string }).shape, '{ slow: string, comment: { a: string } }')
  t.notMatch(JSON.stringify(lines), /topsecret|hidden/)
})

t.test('commands are counted, failed ones too', async (t) => {
  const { room } = memoryRoom()
  await room.insert('c', { _id: 1 })
  await room.run({ find: 'c' })
  await room.fails({ count: 'c', query: { $foo: 1 } })
  const { operations, commands } = room.bus.counters
  t.equal(operations.insert, 1)
  t.equal(operations.query, 1)
  t.match(commands.get('count'), { total: 1, failed: 1 })
})

/** Pauses a hundred times, then answers; `beforePause` may make it end. */
function pausing(beforePause: (pause: number) => void): DocumentRow {
  return documentRow({
    name: 'pausing',
    ...plain,
    grain: 'sweep',
    access: 'identity',
    target: collection,
    params: {},
    resources: ({ db, target }) => [{ db, collection: target, privileges: ['read'] }],
    help: 'A test.',
    *run() {
      for (let i = 0; i < 100; i++) {
        beforePause(i)
        yield* readPhase((tx) => listNamespaces(tx))
      }
      return reply()
    },
  })
}

t.test('maxTimeMS ends a command at its next pause', async (t) => {
  const clock = new ManualClock()
  let pauses = 0
  const row = pausing((i) => {
    pauses = i
    clock.ms += 10
  })
  const { room } = memoryRoom({ rows: [row] }, clock)
  t.same(await room.fails({ pausing: 'c', maxTimeMS: 45 }), [50, 'operation exceeded time limit'])
  t.equal(pauses, 4)
  t.equal((await room.run({ pausing: 'c', maxTimeMS: 0 })).ok, 1)
})

t.test('a client that is gone ends its commands', async (t) => {
  const session = memoryRoom().room.session
  const row = pausing((i) => {
    if (i === 3) session.closed = true
  })
  const { room } = memoryRoom({ rows: [row] })
  const error = await room.refusal({ pausing: 'c' }, 'test', session)
  t.equal(error.code, 11601)
})

t.test('killOp ends a command, and currentOp tells its number', async (t) => {
  let room: CommandRoom | undefined
  let killed: Promise<unknown> | undefined
  const row = pausing((i) => {
    if (i !== 2 || room === undefined) return
    const { bus } = room
    const [call] = [...bus.inFlight()]
    killed = room.run({ killOp: 1, op: call?.id ?? 0 }, 'admin')
  })
  room = memoryRoom({ rows: [...documentRows, row] }).room
  t.same(await room.fails({ pausing: 'c' }), [11601, 'operation was interrupted'])
  t.match(await killed, { info: 'attempting to kill op', ok: 1 })
})

t.test('drain refuses what comes and waits for what is there', async (t) => {
  const { room } = memoryRoom({ rows: [...documentRows, pausing(() => {})] })
  const running = room.run({ pausing: 'c' })
  let drained = false
  const drain = room.bus.drain().then(() => {
    drained = true
  })
  t.same(await room.fails({ ping: 1 }), [91, 'The server is shutting down'])
  t.equal(drained, false)
  t.equal((await running).ok, 1)
  await drain
})

t.test('killAll ends what does not end by itself', async (t) => {
  const { room } = memoryRoom({ rows: [pausing(() => {})] })
  const running = room.refusal({ pausing: 'c' })
  room.bus.killAll()
  t.equal((await running).code, 11601)
})

await eachRoom(
  t,
  'a program that is run again sees the same time and ids',
  async (t, room) => {
    for (let i = 0; i < 5; i++) await room.insert('c', { a: i })
    t.equal((await room.all('c')).length, 5)
  },
  { kinds: ['late'] },
)

await eachRoom(
  t,
  'a handler cannot reach a collection that its row did not declare',
  async (t, room) => {
    await room.insert('other', { _id: 1 })
    for (const name of ['trespass', 'trespassWriting', 'trespassSweeping']) {
      t.same(await room.fails({ [name]: 'c' }), [1, 'internal error'], name)
    }
    t.same(await room.all('other'), [{ _id: 1 }])
  },
  { rows: [...documentRows, ...trespassers()] },
)

/** Rows that declare `c` and reach for `other`, one for each grain. */
function trespassers(): DocumentRow[] {
  const common = {
    access: 'identity',
    target: collection,
    params: {},
    resources: ({ db, target }: { db: string; target: string }) => [
      { db, collection: target, privileges: ['read', 'write'] as const },
    ],
    ...plain,
    grows: 'documents',
    help: 'A test.',
  } as const
  return [
    documentRow({
      ...common,
      name: 'trespass',
      grain: 'read',
      *run(tx) {
        yield* findNamespace(tx, 'test', 'other')
        return reply()
      },
    }),
    documentRow({
      ...common,
      name: 'trespassWriting',
      grain: 'point',
      *run(tx, call) {
        yield* createNamespace(tx, 'test', 'another', call.creation())
        return reply()
      },
    }),
    documentRow({
      ...common,
      name: 'trespassSweeping',
      grain: 'sweep',
      *run() {
        yield* writePhase((tx) => findNamespace(tx, 'test', 'other'))
        return reply()
      },
    }),
  ]
}

t.test('an error of one phase can be caught by its sweep', async (t) => {
  const row = documentRow({
    name: 'forgiving',
    ...plain,
    grain: 'sweep',
    access: 'identity',
    target: collection,
    params: {},
    resources: ({ db, target }) => [{ db, collection: target, privileges: ['write'] }],
    help: 'A test.',
    *run() {
      let caught = 0
      for (let i = 0; i < 3; i++) {
        try {
          yield* writePhase(function* (tx) {
            yield* findNamespace(tx, 'test', 'c')
            throw fail('BadValue', 'no')
          })
        } catch {
          caught++
        }
      }
      return reply((writer) => writer.int32('caught', caught))
    },
  })
  const { room } = memoryRoom({ rows: [row] })
  t.equal((await room.run({ forgiving: 'c' })).caught, 3)
})

t.test('generic fields are checked for every command', async (t) => {
  const { room } = memoryRoom()
  t.equal((await room.fails({ ping: 1, txnNumber: Long.fromNumber(1) }))[0], 20)
  t.equal((await room.fails({ ping: 1, apiVersion: '9' }))[0], 322)
  t.equal((await room.fails({ ping: 1, unknown: 1 }))[0], 40415)
  t.equal((await room.fails({ ping: 1, maxTimeMS: -5 }))[0], 2)
})
