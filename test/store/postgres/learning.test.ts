// What a write program reads behind a descriptor goes out with the descriptor itself, as it was when
// it was last read. Another gateway may have changed it: then the program reads anew.

import t, { type Test } from 'tap'
import { keyClass } from '../../../src/store/layout.js'
import { Link } from '../../../src/store/postgres/link.js'
import { ReadAhead } from '../../../src/store/read-ahead.js'
import type { Program, Store, Tx } from '../../../src/store/store.js'
import { postgresMissing } from '../../support/postgres-reference.js'
import { openShared, sharedAddress } from '../../support/shared-stores.js'

const skip = { skip: postgresMissing }
const descriptor = Uint8Array.of(keyClass.catalog, 7)
const records = [1, 2].map((id) => Uint8Array.of(keyClass.record, 0, 0, 0, id, 9))

/** Adds one to the record that the descriptor names. */
function* addOne(tx: Tx): Program<number> {
  const id = (yield* tx.get(descriptor))?.[0] ?? 0
  const key = records[id]
  if (key === undefined) throw new Error(`there is no record ${id}`)
  const next = ((yield* tx.get(key))?.[0] ?? 0) + 1
  tx.put(key, Uint8Array.of(next))
  return next
}

function describe(store: Store, id: number): Promise<void> {
  return store.write(function* (tx) {
    tx.put(descriptor, Uint8Array.of(id))
  })
}

t.test('reads behind a descriptor', skip, async (t) => {
  const address = await sharedAddress(t)
  const store = await openShared(t, address)
  const other = await openShared(t, address)
  const sent = sentBy(t)
  const added = async () => {
    sent.length = 0
    const value = await store.write(addOne)
    return { value, reads: sent.filter((name) => name === 'points').length }
  }
  await describe(other, 0)
  t.same(await added(), { value: 1, reads: 2 }, 'one after the other')
  t.same(await added(), { value: 2, reads: 1 }, 'at once')
  await describe(store, 1)
  t.same(await added(), { value: 1, reads: 1 }, 'at once behind its own write')
  await describe(store, 0)
  t.same(await added(), { value: 3, reads: 1 }, 'and behind the next one')
  await describe(other, 1)
  t.same(await added(), { value: 2, reads: 2 }, 'a wrong guess')
  t.same(await added(), { value: 3, reads: 1 }, 'at once')
  await describe(other, 2)
  await t.rejects(added(), { message: 'there is no record 2' }, 'an error is that of the answer')
  await describe(other, 0)
  t.same(await added(), { value: 4, reads: 2 }, 'an error by a guess is not told')
  const both = await Promise.all([store.write(addOne), store.write(addOne)])
  t.same(both, [5, 6], 'programs of a group see each other')
})

/** Records something if the first record is there. */
function* recordIfThere(tx: Tx): Program<boolean> {
  const [key] = records as [Uint8Array]
  if ((yield* tx.get(key)) === undefined) return false
  tx.append(Uint8Array.of(1))
  return true
}

t.test('what records because of an earlier program takes the lock', skip, async (t) => {
  const store = await openShared(t, await sharedAddress(t))
  const sent = sentBy(t)
  t.equal(await store.write(recordIfThere), false)
  const [, recorded] = await Promise.all([store.write(addOne), store.write(recordIfThere)])
  t.equal(recorded, true)
  t.equal(sent.filter((name) => name === 'lock_recording').length, 1)
})

t.test('what is read ahead for large values is read in pages', skip, async (t) => {
  const store = await openShared(t, await sharedAddress(t))
  const count = 120
  const keyOf = (n: number) => Uint8Array.of(keyClass.record, 0, 0, 0, 9, n)
  for (let n = 0; n < count; n += 2) {
    await store.write(function* (tx) {
      tx.put(keyOf(n), new Uint8Array(200_000).fill(n))
    })
  }
  const sent = sentBy(t)
  const found = await store.write(function* (tx) {
    const ahead = ReadAhead.of(tx, { count, keysOf: (n, keys) => keys.push(keyOf(n)) })
    const firsts: (number | undefined)[] = []
    for (let n = 0; n < count; n++) {
      if (ahead !== undefined) yield* ahead.before(n)
      firsts.push((yield* tx.get(keyOf(n)))?.[0])
      tx.put(keyOf(n), Uint8Array.of(n))
    }
    return firsts
  })
  t.same(
    found,
    Array.from({ length: count }, (_, n) => (n % 2 === 0 ? n : undefined)),
  )
  t.equal(sent.filter((name) => name === 'pointpage').length, 3, 'of 4 MiB')
  t.notOk(sent.includes('points'), 'and none alone')
})

t.test('programs that read much are a group of few', skip, async (t) => {
  const store = await openShared(t, await sharedAddress(t))
  const keyOf = (program: number, n: number) =>
    Uint8Array.of(keyClass.record, 0, 0, 0, 10, program, n)
  const programs = Array.from({ length: 12 }, (_, program) => program)
  const [last, ...before] = [6, 5, 4, 3, 2, 1, 0] as const
  for (const program of programs) {
    for (const n of [...before, last]) {
      await store.write(function* (tx) {
        tx.put(keyOf(program, n), new Uint8Array(n === last ? 1 : 250_000))
      })
    }
  }
  const groups = () => store.stats().groups?.groups ?? 0
  const some = (count: number) =>
    programs.slice(0, count).map((program) =>
      store.write(function* (tx) {
        yield* tx.getMany(before.map((n) => keyOf(program, n)))
        return (yield* tx.get(keyOf(program, last)))?.length
      }),
    )
  let groupsBefore = groups()
  t.same(await Promise.all(some(4)), [1, 1, 1, 1])
  t.equal(groups() - groupsBefore, 1, 'one of 6 MB')
  groupsBefore = groups()
  t.same(
    await Promise.all(some(12)),
    programs.map(() => 1),
  )
  t.equal(groups() - groupsBefore, 2, 'two of 18 MB')
})

/** Names of the statements that links send from now on. */
function sentBy(t: Test): string[] {
  const names: string[] = []
  const { run } = Link.prototype
  t.intercept(Link.prototype, 'run', {
    value(this: Link, ...args: Parameters<typeof run>) {
      names.push(args[0].name)
      return run.apply(this, args)
    },
  })
  return names
}
