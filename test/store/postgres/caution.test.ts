// Write groups wait for their turn where conflicts are frequent, and not where they are rare. Two
// gateways that write one key all the time lose nothing, and a conflict never takes a group apart.

import t from 'tap'
import { idKey, keyClass } from '../../../src/store/layout.js'
import { Caution } from '../../../src/store/postgres/caution.js'
import type { Program, Store, Tx } from '../../../src/store/store.js'
import { postgresMissing } from '../../support/postgres-reference.js'
import { openShared, sharedAddress } from '../../support/shared-stores.js'

/** Of so many groups, those that do not wait; `conflicts` says which of these end in a conflict. */
function trials(groups: number, caution: Caution, conflicts: (trial: number) => boolean): number {
  let made = 0
  for (let i = 0; i < groups; i++) {
    if (!caution.waits()) caution.note(conflicts(made++))
  }
  return made
}

t.test('the more trials end in a conflict, the rarer they are', async (t) => {
  const always = new Caution()
  t.equal(
    trials(120, always, () => true),
    7,
    'behind 1, 2, 4, 8, 16 and 32 that wait',
  )
  t.equal(
    trials(1_280, always, () => true),
    20,
    'never behind more than 64',
  )
  t.equal(
    trials(100, new Caution(), () => false),
    100,
    'without conflicts none waits',
  )
  const rare = trials(1_000, new Caution(), (trial) => trial % 20 === 19)
  t.ok(rare > 930, `${rare} of 1,000 do not wait if each twentieth has a conflict`)
})

t.test('a key that is no longer contended is written without waiting soon', async (t) => {
  const caution = new Caution()
  trials(1_000, caution, () => true)
  trials(80, caution, () => false)
  t.equal(
    trials(100, caution, () => false),
    100,
  )
})

const hot = idKey(keyClass.record, 7)

function* increment(tx: Tx): Program<number> {
  const before = (yield* tx.get(hot))?.[0] ?? 0
  tx.put(hot, Uint8Array.of(before + 1))
  return before + 1
}

t.test('groups with conflicts stay whole', { skip: postgresMissing }, async (t) => {
  const address = await sharedAddress(t)
  const stores = [await openShared(t, address), await openShared(t, address)]
  const [groups, programs] = [12, 10]
  const told: number[] = []
  await Promise.all(
    stores.map(async (store) => {
      for (let i = 0; i < groups; i++) {
        const all = Array.from({ length: programs }, () => store.write(increment))
        told.push(...(await Promise.all(all)))
      }
    }),
  )
  t.same(
    told.sort((a, b) => a - b),
    Array.from({ length: 2 * groups * programs }, (_, i) => i + 1),
    'each number once',
  )
  for (const store of stores) t.equal(store.stats().groups?.groups, groups)
  t.comment(`${stores.map(conflictsOf).join(' and ')} conflicts`)
})

const conflictsOf = (store: Store): number =>
  (store as unknown as { readonly lane: { readonly conflicts: number } }).lane.conflicts
