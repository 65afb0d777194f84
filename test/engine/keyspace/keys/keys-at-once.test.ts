// How many keys one trip of a read takes: fewer where their records are large, since what a trip
// has read is in memory before anything can refuse it.

import t from 'tap'
import type { Bytes } from '../../../../src/base/bytes/bytes.js'
import { Slice } from '../../../../src/base/bytes/slice.js'
import { systemClock } from '../../../../src/base/clock.js'
import { OpenPlaces } from '../../../../src/bus/keyvalue/programs/open-places.js'
import { never } from '../../../../src/engine/keyspace/keys/key.js'
import { SpaceTable } from '../../../../src/engine/keyspace/spaces.js'
import { usualBounds, Work } from '../../../../src/engine/keyspace/work.js'
import { openMemoryStore } from '../../../../src/store/memory.js'
import type { Program, ReadTx } from '../../../../src/store/store.js'

t.test('a trip over large records is short, one over small records long', async (t) => {
  const store = openMemoryStore(systemClock)
  const place = new SpaceTable('main').main.place(0)
  const now = systemClock.now()
  const nameOf = (i: number): Slice => Slice.ofText(`key ${i}`)
  const large = Slice.of(new Uint8Array(200_000).fill(0x61))
  for (let from = 0; from < 200; from += 10) {
    await store.write(function* (tx) {
      const places = new OpenPlaces(tx, now, new Work(usualBounds, false))
      const ks = yield* places.open(place)
      for (let i = from; i < from + 10; i++) {
        yield* ks.putString(yield* ks.key(nameOf(i)), large, never)
      }
      places.noteChange(ks, [])
      yield* places.finish()
    })
  }
  const trips: number[] = []
  const names = Array.from({ length: 1_000 }, (_, i) => nameOf(i))
  const found = await store.read(function* (tx) {
    const spied: ReadTx = Object.create(tx, {
      getMany: {
        *value(keys: readonly Uint8Array[], bytesMax?: number): Program<(Bytes | undefined)[]> {
          const records = yield* tx.getMany(keys, bytesMax)
          trips.push(records.length)
          return records
        },
      },
    })
    const ks = yield* new OpenPlaces(spied, now, new Work(usualBounds, false)).open(place)
    return (yield* ks.keys(names)).filter(({ exists }) => exists).length
  })
  t.equal(found, 200)
  t.same(trips, [21, 21, 21, 21, 21, 21, 21, 21, 21, 128, 512, 171])
  await store.close()
})
