// What large containers hold is counted as they change: after any commands a key counts as one that
// was made of its contents at once, and nothing is left when all keys have gone.

import t from 'tap'
import { checkStore } from '../../src/engine/check/check.js'
import { findNamespace, saveNamespace } from '../../src/engine/collection/catalog/catalog.js'
import { besideKey, usageOf } from '../../src/engine/collection/counters.js'
import type { InlineBounds } from '../../src/engine/keyspace/work.js'
import { hashSequence } from '../support/hash-sequences.js'
import { keySequence } from '../support/key-sequences.js'
import { boundsCases, eachKeyValueRoom, type Word } from '../support/key-value-room.js'
import { listSequence } from '../support/list-sequences.js'
import { seed } from '../support/seed.js'
import { seededRandom } from '../support/seeded-random.js'
import { setSequence } from '../support/set-sequences.js'
import { sortedSetSequence } from '../support/sorted-set-sequences.js'

const owner = '0x52908400098527886E0F7030069857D2E4169EE7'

const sequences = { hashSequence, listSequence, setSequence, sortedSetSequence, keySequence }

await eachKeyValueRoom(
  t,
  'keys count as what they hold, however they came to it',
  async (t, room) => {
    await room.store.write(function* (tx) {
      const ns = yield* findNamespace(tx, 'main', 'kv0')
      if (ns !== undefined) saveNamespace(tx, { ...ns, access: { ...ns.access, owner } })
    })
    const usage = async () => room.store.read((tx) => usageOf(tx, owner))
    // Members and times alone: where a list begins is in its document, and a copy begins at 0.
    const beside = async () =>
      room.store.read(function* (tx) {
        const ns = yield* findNamespace(tx, 'main', 'kv0')
        return ns === undefined ? 0 : (yield* tx.count(besideKey(ns.id))).bytes
      })
    const random = seededRandom(seed)
    for (const [name, sequence] of Object.entries(sequences)) {
      for (let run = 0; run < 4; run++) {
        // Without waiting: what is pipelined shares programs.
        const lines = sequence(random, 150).filter(
          ([word]) => !/^(select|swapdb|move)$/i.test(`${word}`),
        )
        await Promise.all(lines.map((words) => room.run(...words)))
        const held = await beside()
        const keys = (await room.line('keys *')) as Word[]
        for (const key of keys) {
          const dump = (await room.run('dump', key)) as Word
          const ttl = Number(await room.run('pttl', key))
          await room.run('restore', key, Math.max(0, ttl), dump, 'replace')
        }
        t.equal(await beside(), held, `seed ${seed}: ${name}, run ${run}, ${keys.length} keys`)
        for (const key of keys) await room.run('del', key)
        t.equal(await usage(), 0, `seed ${seed}: ${name}, run ${run}, all gone`)
        await room.line('flushdb')
      }
    }
    t.same(await checkStore(room.store), [])
  },
  { kinds: ['memory'], bounds: boundsCases['always large'] as InlineBounds },
)
