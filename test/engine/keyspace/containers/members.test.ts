// Members as records: found by their bytes or numbers at any length, in order, large ones in
// chunks.

import t from 'tap'
import { Slice } from '../../../../src/base/bytes/slice.js'
import { stagedWrite } from '../../../../src/engine/collection/collections.js'
import type { Staged } from '../../../../src/engine/collection/staging.js'
import { DenseMembers } from '../../../../src/engine/keyspace/containers/dense-members.js'
import {
  Members,
  numberOfSlice,
  numberSlice,
} from '../../../../src/engine/keyspace/containers/members.js'
import { usualBounds, Work } from '../../../../src/engine/keyspace/work.js'
import type { MembersId, NamespaceId } from '../../../../src/engine/types.js'
import type { Program, ReadTx, Store } from '../../../../src/store/store.js'
import { runSweep } from '../../../../src/store/sweep.js'
import { seededRandom } from '../../../support/seeded-random.js'
import { eachStore } from '../../../support/stores.js'

const namespace = 3 as NamespaceId
const id = (2 ** 40 + 5) as MembersId
const slice = (text: string) => Slice.ofText(text)

function read<T>(store: Store, program: (members: Members) => Program<T>): Promise<T> {
  const run = (tx: ReadTx) => program(new Members(tx, namespace, id, new Work(usualBounds, false)))
  return Promise.resolve(store.read(run))
}

function write<T>(store: Store, program: (members: Members) => Program<T>): Promise<T> {
  return runSweep(
    store,
    stagedWrite((tx, staged: Staged) =>
      program(new Members(tx, namespace, id, new Work(usualBounds, false, staged))),
    ),
  )
}

t.test('members of every length are found again and stand in their order', (t) =>
  eachStore(t, 'lengths', async (t, { store }) => {
    const lengths = [0, 1, 991, 992, 1_023, 1_024, 1_025, 5_000]
    const names = lengths.map((length) => 'm'.repeat(length))
    await write(store, function* (members) {
      for (const name of names) members.put(0, slice(name), slice(`v${name.length}`))
      members.put(1, slice('another part'), slice('x'))
    })
    for (const name of names) {
      const found = await read(store, function* (members) {
        return yield* members.get(0, slice(name))
      })
      t.equal(found?.payload.text(), `v${name.length}`)
      t.equal(found?.member.text(), name)
    }
    const all = await read(store, function* (members) {
      return (yield* members.page(members.range(0), 100)).members
    })
    t.same(
      all.map(({ member }) => member.length).sort((a, b) => a - b),
      lengths,
    )
    const rest = await read(store, function* (members) {
      return (yield* members.page(members.range(0, slice(names[2] as string)), 1)).members
    })
    t.same(
      rest.map(({ member }) => member.length),
      [992],
    )
  }),
)

t.test('numbers keep their order, below zero too', (t) =>
  eachStore(t, 'numbers', async (t, { store }) => {
    const numbers = [-(2 ** 40), -1, 0, 1, 255, 256, 2 ** 40]
    await write(store, function* (members) {
      for (const number of numbers) members.put(0, numberSlice(number), slice(String(number)))
    })
    const found = await read(store, function* (members) {
      return (yield* members.page(members.numbers(0, -1, 256), 100)).members
    })
    t.same(
      found.map(({ member, payload }) => [numberOfSlice(member), payload.text()]),
      [-1, 0, 1, 255, 256].map((number) => [number, String(number)]),
    )
  }),
)

t.test('a large payload lies in chunks, which go when it goes', (t) =>
  eachStore(t, 'chunks', async (t, { store }) => {
    const large = 'x'.repeat(700_000)
    await write(store, function* (members) {
      members.put(0, slice('m'), slice(large))
    })
    const found = await read(store, function* (members) {
      return yield* members.get(0, slice('m'))
    })
    t.equal(found?.payload.text(), large)
    t.ok(found?.chunks)
    await write(store, function* (members) {
      const before = yield* members.get(0, slice('m'))
      members.put(0, slice('m'), slice('small'), before)
    })
    const after = await read(store, function* (members) {
      return yield* members.get(0, slice('m'))
    })
    t.equal(after?.payload.text(), 'small')
  }),
)

t.test('numbered members have no holes, whatever is removed', (t) =>
  eachStore(t, 'dense', async (t, { store }) => {
    const seed = 42
    const next = seededRandom(seed)
    const model = new Map<string, string>()
    for (let step = 0; step < 120; step++) {
      const name = `m${Math.floor(next() * 20)}`
      const isAdding = next() < 0.6
      await write(store, function* (members) {
        const dense = new DenseMembers(members)
        const before = yield* dense.get(slice(name))
        if (!isAdding && before !== undefined) yield* dense.remove(before, model.size)
        else if (isAdding && before !== undefined) dense.replace(before, slice(String(step)))
        else if (isAdding) dense.add(slice(name), slice(String(step)), model.size)
      })
      if (isAdding) model.set(name, String(step))
      else model.delete(name)
      const names = await read(store, function* (members) {
        const dense = new DenseMembers(members)
        const found: string[] = []
        for (let i = 0; i < model.size; i++) {
          const member = yield* dense.at(i)
          if (member !== undefined) found.push(member.member.text())
        }
        return found
      })
      t.same(names.sort(), [...model.keys()].sort(), `seed ${seed}`)
    }
  }),
)
