// Reads of several keys beside writes of two gateways fit into one order with them: a read that has
// seen a later write must not miss an earlier one. (docs/design/transactions.md, rule 1)

import t, { type Test } from 'tap'
import { codes } from '../../../../src/base/errors.js'
import { keyClass } from '../../../../src/store/layout.js'
import type { Program, ReadTx, Store } from '../../../../src/store/store.js'
import { beginTransaction } from '../../../../src/store/transactions/transaction.js'
import { CuttingProxy } from '../../../support/cutting-proxy.js'
import { postgresMissing } from '../../../support/postgres-reference.js'
import { addressOn, openShared, postgresServer } from '../../../support/shared-stores.js'

const source = Uint8Array.of(keyClass.record, 1)
const target = Uint8Array.of(keyClass.record, 2)
/** In another table, so reading it locks nothing that the copy writes. */
const counter = Uint8Array.of(keyClass.count, 1)
const ofNumber = (n: number) => Uint8Array.of(n)

function* both(tx: ReadTx): Program<readonly (number | undefined)[]> {
  const [first, second] = yield* tx.getMany([source, target])
  return [first?.[0], second?.[0]]
}

const readers: Readonly<Record<string, (store: Store) => Promise<readonly unknown[]>>> = {
  'of one program': async (store) => store.read(both, { snapshot: true, serializable: true }),
  'of a state that is held': async (store) => {
    const held = await store.hold({ serializable: true })
    try {
      return await held.read(both)
    } finally {
      held.release()
    }
  },
}

/** A gateway that copies a key, with its commit held back, beside one that changes the key. */
async function openPair(t: Test) {
  const { folder } = await postgresServer(t)
  const proxy = await CuttingProxy.open(t, folder)
  const address = addressOn(folder)
  const store = await openShared(t, address)
  const through = address.replace(encodeURIComponent(folder), encodeURIComponent(proxy.folder))
  const copier = await openShared(t, through)
  const put = (n: number) =>
    store.write(function* (tx) {
      tx.put(source, ofNumber(n))
    })
  await put(1)
  const copying = async () => {
    const isHeld = new Promise<() => void>((resolve) => {
      proxy.onHeld = resolve
    })
    proxy.next = 'hold'
    const copied = copier.write(function* (tx) {
      const found = yield* tx.get(source)
      if (found !== undefined) tx.put(target, found)
    })
    return { copied, release: await isHeld }
  }
  return { store, put, copying }
}

async function copyBeside(t: Test, read: (store: Store) => Promise<readonly unknown[]>) {
  const { store, put, copying } = await openPair(t)
  const { copied, release } = await copying()
  await put(2)
  t.same(await read(store), [2, undefined], 'the copy is not there yet')
  release()
  await copied
  t.same(await read(store), [2, 2], 'so it copies what was seen before it')
}

for (const [name, read] of Object.entries(readers)) {
  t.test(`reads ${name}`, { skip: postgresMissing }, (t) => copyBeside(t, read))
}

t.test(
  'a state that fits into no order is of no more use',
  { skip: postgresMissing },
  async (t) => {
    const { store, put, copying } = await openPair(t)
    const { copied, release } = await copying()
    await put(2)
    const transaction = await beginTransaction(store, { isolation: 'serializable' })
    const other = await beginTransaction(store)
    release()
    await copied
    // Its state has the change and not the copy, which was made of what was there before.
    const lost = { code: codes.WriteConflict.code }
    await t.rejects(async () => transaction.read(both), lost)
    t.throws(() => transaction.requireOpen(), lost)
    t.same(await other.read(both), [2, undefined], 'a snapshot asks for no order')
    other.abort()
  },
)

t.test('a read that fits into no order runs again', { skip: postgresMissing }, async (t) => {
  const { store, put, copying } = await openPair(t)
  const { copied, release } = await copying()
  await put(2)
  let runs = 0
  const seen = await store.read(
    function* (tx) {
      // The state is there with the first question; the copy is committed before the second one.
      const isFirst = ++runs === 1
      yield* tx.get(counter)
      if (isFirst) {
        release()
        yield* tx.elsewhere({ refusal: undefined, begin: () => ({ done: copied, end() {} }) })
      }
      return yield* both(tx)
    },
    { snapshot: true, serializable: true },
  )
  t.same(seen, [2, 1], 'the state with both')
  t.equal(runs, 2)
})
