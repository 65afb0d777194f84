// What a copy of a large container leaves when the process ends in the middle of it.

import t from 'tap'
import { Slice } from '../../../../src/base/bytes/slice.js'
import { silentLog } from '../../../../src/base/log.js'
import {
  markMembersStaged,
  membersRange,
  stagingRange,
} from '../../../../src/engine/background/garbage.js'
import { GarbageJob } from '../../../../src/engine/background/garbage-job.js'
import { allocateMembersId } from '../../../../src/engine/collection/catalog/catalog-ids.js'
import { Members } from '../../../../src/engine/keyspace/containers/members.js'
import { usualBounds, Work } from '../../../../src/engine/keyspace/work.js'
import type { NamespaceId } from '../../../../src/engine/types.js'
import { ManualClock, tickPace } from '../../../support/engine-room.js'
import { eachStore } from '../../../support/stores.js'

await eachStore(
  t,
  'members that no head points at go at the next start',
  async (t, { store }) => {
    const id = await store.write(function* (tx) {
      const id = yield* allocateMembersId(tx)
      markMembersStaged(tx, id)
      const members = new Members(tx, 1 as NamespaceId, id, new Work(usualBounds, false))
      for (const name of ['a', 'b']) members.put(0, Slice.ofText(name), Slice.ofText('v'))
      return id
    })
    const counts = () =>
      store.read(function* (tx) {
        const members = yield* tx.scan(membersRange(id), 10)
        return [members.length, (yield* tx.scan(stagingRange, 10)).length]
      })
    t.same(await counts(), [2, 1])
    const parts = { store, clock: new ManualClock(), log: silentLog, pace: tickPace }
    const job = new GarbageJob(parts)
    await job.start()
    while (await job.round());
    await job.close()
    t.same(await counts(), [0, 0])
  },
  { notShared: 'they stay until the gateway has ended for long' },
)
