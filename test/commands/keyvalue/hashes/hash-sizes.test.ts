// Hashes on both sides of the bound between one document and many records, against a plain Map.

import t from 'tap'
import { keyClass } from '../../../../src/store/layout.js'
import { keysOfClasses } from '../../../support/engine-room.js'
import { eachBound, eachKeyValueRoom } from '../../../support/key-value-room.js'
import { runs } from '../../../support/runs.js'
import { seededRandom } from '../../../support/seeded-random.js'

t.test('random changes leave what a map would hold', (t) =>
  eachBound(t, 'model', async (t, room) => {
    const seed = 20_261_121
    const next = seededRandom(seed)
    const model = new Map<string, string>()
    for (let step = 0; step < runs(300); step++) {
      const field = `f${Math.floor(next() * 12)}`
      if (next() < 0.6) {
        const isNew = !model.has(field)
        model.set(field, String(step))
        t.equal(await room.run('HSET', 'h', field, String(step)), isNew ? 1 : 0, `seed ${seed}`)
      } else {
        t.equal(await room.run('HDEL', 'h', field), model.delete(field) ? 1 : 0, `seed ${seed}`)
      }
      t.equal(await room.run('HLEN', 'h'), model.size)
      const asked = `f${Math.floor(next() * 12)}`
      t.equal(await room.run('HGET', 'h', asked), model.get(asked) ?? null)
    }
    for (const field of model.keys()) await room.run('HDEL', 'h', field)
    t.equal(await room.run('EXISTS', 'h'), 0)
    t.same(await keysOfClasses(room.store, keyClass.record), [])
  }),
)

t.test('a hash becomes records beyond 128 fields or 8 KB, and its members go with it', (t) =>
  eachKeyValueRoom(t, 'bounds', async (t, room) => {
    const { engine, store } = room
    const words = Array.from({ length: 128 }, (_, i) => [`f${i}`, 'v']).flat()
    await room.run('HSET', 'many', ...words)
    t.same(await keysOfClasses(store, keyClass.member), [])
    await room.run('HSET', 'many', 'one more', 'v')
    t.equal(await room.run('HLEN', 'many'), 129)
    t.equal((await keysOfClasses(store, keyClass.member)).length, 258)
    await room.run('HSET', 'long', 'f', 'x'.repeat(9_000))
    t.equal((await keysOfClasses(store, keyClass.member)).length, 260)
    t.equal(await room.run('SET', 'long', 'x'), 'OK')
    t.equal(await room.run('DEL', 'many'), 1)
    while (await engine.garbage.round()) t.pass('deleted behind')
    t.same(await keysOfClasses(store, keyClass.member), [])
  }),
)
