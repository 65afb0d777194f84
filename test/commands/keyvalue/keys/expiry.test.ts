// When keys end: exact on read, swept behind, and what commands say of it.

import t from 'tap'
import { keyClass } from '../../../../src/store/layout.js'
import { keysOfClasses } from '../../../support/engine-room.js'
import { eachBound, eachKeyValueRoom } from '../../../support/key-value-room.js'

t.test('a key is there until its millisecond and not from it on', (t) =>
  eachBound(t, 'exact', async (t, room) => {
    await room.run('SET', 's', 'x', 'PX', '1000')
    await room.run('HSET', 'h', 'f', 'x')
    t.equal(await room.run('PEXPIRE', 'h', '1000'), 1)
    room.clock.ms += 999
    t.equal(await room.run('GET', 's'), 'x')
    t.equal(await room.run('PTTL', 'h'), 1)
    room.clock.ms += 1
    t.same(await room.run('GET', 's'), null)
    t.equal(await room.run('HLEN', 'h'), 0)
    t.equal(await room.run('TTL', 's'), -2)
    t.equal(await room.run('EXISTS', 's', 'h'), 0)
    t.equal(await room.run('DEL', 's'), 0)
    t.equal(await room.run('HSET', 'h', 'g', 'y'), 1)
    t.equal(await room.run('TTL', 'h'), -1)
    t.equal(await room.run('HGET', 'h', 'f'), null)
  }),
)

t.test('the sweeper takes away what is due, members too, and nothing else', (t) =>
  eachBound(t, 'sweep', async (t, room) => {
    const { bus, clock, engine, store } = room
    await room.run('HSET', 'h', 'f', 'x', 'g', 'y')
    await room.run('EXPIRE', 'h', '10')
    await room.run('SET', 'early', 'x', 'EX', '5')
    await room.run('SET', 'late', 'x', 'EX', '60')
    await room.run('SET', 'moved', 'x', 'EX', '5')
    await room.run('EXPIRE', 'moved', '100')
    t.equal((await keysOfClasses(store, keyClass.expiry)).length, 4)
    clock.ms += 10_000
    t.ok(await bus.expiry.round())
    t.notOk(await bus.expiry.round())
    t.equal(bus.expiry.expired, 2)
    t.equal((await keysOfClasses(store, keyClass.record)).length, 2)
    while (await engine.garbage.round()) t.pass('members are deleted behind')
    t.same(await keysOfClasses(store, keyClass.member), [])
    t.equal((await keysOfClasses(store, keyClass.expiry)).length, 2)
  }),
)

t.test('conditions and times as the reference server has them', (t) =>
  eachKeyValueRoom(t, 'conditions', async (t, room) => {
    await room.run('SET', 'k', 'x')
    t.equal(await room.run('EXPIRE', 'k', '100', 'GT'), 0)
    t.equal(await room.run('EXPIRE', 'k', '100', 'XX'), 0)
    t.equal(await room.run('EXPIRE', 'k', '100', 'LT'), 1)
    t.equal(await room.run('EXPIRE', 'k', '200', 'NX'), 0)
    t.equal(await room.run('EXPIRE', 'k', '200', 'GT', 'XX'), 1)
    t.equal(await room.run('TTL', 'k'), 200)
    t.equal(await room.run('EXPIRETIME', 'k'), Math.floor(room.clock.ms / 1000) + 200)
    t.equal(await room.run('PERSIST', 'k'), 1)
    t.equal(await room.run('PERSIST', 'k'), 0)
    t.same(await room.run('EXPIRE', 'k', '1', 'NX', 'GT'), {
      error: 'ERR NX and XX, GT or LT options at the same time are not compatible',
    })
    t.same(await room.run('EXPIRE', 'k', '9223372036854775807'), {
      error: "ERR invalid expire time in 'expire' command",
    })
    await room.run('PEXPIRE', 'k', '1500')
    t.equal(await room.run('TTL', 'k'), 2)
    await room.run('PEXPIRE', 'k', '400')
    t.equal(await room.run('TTL', 'k'), 0)
    t.equal(await room.run('EXPIRE', 'k', '-1'), 1)
    t.equal(await room.run('EXISTS', 'k'), 0)
  }),
)

t.test('SET with its options', (t) =>
  eachKeyValueRoom(t, 'set', async (t, room) => {
    t.equal(await room.run('SET', 'k', '1', 'XX'), null)
    t.equal(await room.run('SET', 'k', '1', 'NX', 'EX', '10'), 'OK')
    t.equal(await room.run('SET', 'k', '2', 'NX', 'GET'), '1')
    t.equal(await room.run('SET', 'k', '2', 'KEEPTTL'), 'OK')
    t.equal(await room.run('TTL', 'k'), 10)
    t.equal(await room.run('SET', 'k', '3', 'GET'), '2')
    t.equal(await room.run('TTL', 'k'), -1)
    t.equal(await room.run('SET', 'k', '4', 'EXAT', '1'), 'OK')
    t.equal(await room.run('EXISTS', 'k'), 0)
    for (const words of ['NX XX', 'EX 1 PX 1', 'EX', 'KEEPTTL EX 1', 'FOO']) {
      t.same(await room.run('SET', 'k', '1', ...words.split(' ')), { error: 'ERR syntax error' })
    }
    t.same(await room.run('SET', 'k', '1', 'EX', '0'), {
      error: "ERR invalid expire time in 'set' command",
    })
    t.same(await room.run('SET', 'k', '1', 'EX', 'x'), {
      error: 'ERR value is not an integer or out of range',
    })
  }),
)
