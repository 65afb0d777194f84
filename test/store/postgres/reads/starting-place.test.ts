// A read program that can run again begins with guesses: nothing that it tells, an error either, rests
// on a wrong one, or on two states.

import t from 'tap'
import type { Bytes } from '../../../../src/base/bytes/bytes.js'
import { turnUnits } from '../../../../src/base/work/work-figures.js'
import { idKey, keyClass } from '../../../../src/store/layout.js'
import { Link } from '../../../../src/store/postgres/link.js'
import type { Elsewhere, Program, ReadOptions, ReadTx, Store } from '../../../../src/store/store.js'
import { postgresMissing } from '../../../support/postgres-reference.js'
import { openShared, sharedAddress } from '../../../support/shared-stores.js'

const skip = { skip: postgresMissing }
const descriptor = idKey(keyClass.catalog, 1)
const document = idKey(keyClass.record, 1)
const other = idKey(keyClass.record, 2)
const kinds: readonly (readonly [string, ReadOptions])[] = [
  ['of documents', { runsAgain: true }],
  ['of keys', { snapshot: true, serializable: true }],
]

let sent: string[] = []
const { run } = Link.prototype
Link.prototype.run = function (statement, values) {
  sent.push(statement.name)
  return run.call(this, statement, values)
}
t.teardown(() => {
  Link.prototype.run = run
})

function put(store: Store, ...pairs: readonly (readonly [Bytes, number | undefined])[]) {
  return store.write(function* (tx) {
    for (const [key, n] of pairs) {
      if (n === undefined) tx.remove(key)
      else tx.put(key, Uint8Array.of(n))
    }
  })
}

function* numberAt(tx: ReadTx, key: Bytes): Program<number | undefined> {
  return (yield* tx.get(key))?.[0]
}

for (const [name, options] of kinds) {
  t.test(`programs ${name}`, skip, async (t) => {
    const address = await sharedAddress(t)
    const here = await openShared(t, address)
    const there = await openShared(t, address)
    let begun = 0
    const read = <T>(program: (tx: ReadTx) => Program<T>) => {
      begun = 0
      sent = []
      return here.read((tx) => {
        begun++
        return program(tx)
      }, options)
    }
    const both = () =>
      read(function* (tx) {
        return [yield* numberAt(tx, descriptor), yield* numberAt(tx, document)]
      })
    await put(there, [descriptor, 1], [document, 1])
    t.same(await both(), [1, 1])

    t.test('a right guess costs one statement and no transaction', async (t) => {
      t.same(await both(), [1, 1])
      t.same(sent, ['checked'])
      t.equal(begun, 1)
    })

    t.test('a wrong one is not told', async (t) => {
      await put(there, [descriptor, 2], [document, 2])
      t.same(await both(), [2, 2])
      t.equal(begun, 2)
      await both()
      await put(there, [descriptor, undefined], [document, undefined])
      t.same(await both(), [undefined, undefined])
      t.equal(begun, 2)
      await both()
      t.same(await both(), [undefined, undefined], 'that a key is missing is a guess too')
      t.equal(begun, 1)
      await put(there, [descriptor, 3])
      t.same(await both(), [3, undefined])
    })

    t.test('not even by a program that reads nothing else, or throws', async (t) => {
      await both()
      await put(there, [descriptor, 4])
      t.same(await read((tx) => numberAt(tx, descriptor)), 4)
      t.equal(begun, 2)
      await both()
      await put(there, [descriptor, 5])
      const thrown = read(function* (tx) {
        throw new Error(`${yield* numberAt(tx, descriptor)}`)
      })
      await t.rejects(Promise.resolve(thrown), { message: '5' })
      await both()
      await put(there, [descriptor, 6])
      const paused: unknown[] = []
      await read(function* (tx) {
        const found = yield* numberAt(tx, descriptor)
        yield* tx.pause(turnUnits)
        paused.push(found)
      })
      t.same(paused, [6], 'it pauses only with what is so')
    })

    t.test('further questions are about the same state', async (t) => {
      await put(there, [descriptor, 7], [document, 7], [other, 7])
      await both()
      let left = 2
      const found = await read(function* (tx) {
        const first = yield* numberAt(tx, document)
        if (left-- > 0) yield* tx.elsewhere(elsewhere(() => put(there, [document, 8], [other, 8])))
        return [first, yield* numberAt(tx, other)]
      })
      if (options.snapshot === true) {
        t.same(found, [8, 8])
        t.equal(begun, 2, 'the first state is gone')
      } else t.same(found, [7, 8], 'a pause is the end of a state')
      const scanned = await read(function* (tx) {
        const first = [yield* numberAt(tx, descriptor), yield* numberAt(tx, document)]
        const range = { start: document, end: idKey(keyClass.record, 3) }
        return [...first, ...(yield* tx.scan(range, 9)).map(({ value }) => value[0])]
      })
      t.same(scanned, [7, 8, 8, 8])
      t.equal(begun, 1)
      t.same(sent.filter((one) => one !== 'commit').slice(0, 4), [
        'checked',
        options.snapshot === true ? 'begin_s' : 'begin_r',
        'versions',
        'scan_up',
      ])
    })

    t.test('a program that is dropped ends its finally blocks', async (t) => {
      await both()
      await put(there, [descriptor, 9])
      let open = 0
      await read(function* (tx) {
        open++
        try {
          yield* numberAt(tx, descriptor)
          return yield* numberAt(tx, document)
        } finally {
          open--
        }
      })
      t.same([begun, open], [2, 0])
    })
  })
}

t.test('a program that cannot run again has no guesses', skip, async (t) => {
  const store = await openShared(t, await sharedAddress(t))
  await put(store, [descriptor, 1], [document, 1])
  for (let i = 0; i < 2; i++) {
    sent = []
    await store.read((tx) => numberAt(tx, descriptor))
    t.same(sent, ['begin_r', 'points', 'commit'])
  }
})

function elsewhere(act: () => Promise<void>): Elsewhere {
  return { refusal: undefined, begin: () => ({ done: act(), end: () => undefined }) }
}
