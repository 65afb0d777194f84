// Who a gateway is for the others: an identity that its programs know, and that ends for good when
// its heartbeat has stopped.

import t from 'tap'
import { keyClass } from '../../../src/store/layout.js'
import type { Store } from '../../../src/store/store.js'
import { postgresMissing } from '../../support/postgres-reference.js'
import { openShared, openSharedTables } from '../../support/shared-stores.js'

const key = Uint8Array.of(keyClass.garbage, 0x7f)

/** The identity by which a program commits. */
const committing = (store: Store): Promise<string | undefined> =>
  store.write(function* (tx) {
    tx.put(key, Uint8Array.of(1))
    return tx.gateway
  })

const isGone = (store: Store, gateway: string): Promise<boolean> | undefined =>
  store.gateways?.isGone(gateway)

/** Renews the heartbeat, as a timer does every few seconds. */
const beat = (store: Store): Promise<void> =>
  (store as unknown as { readonly beat: () => Promise<void> }).beat()

t.test('each gateway has an identity, until it ends', { skip: postgresMissing }, async (t) => {
  const { address } = await openSharedTables(t)
  const first = await openShared(t, address)
  const second = await openShared(t, address)
  const [one, two] = [await committing(first), await committing(second)]
  if (one === undefined || two === undefined) throw new Error('programs know their gateway')
  t.not(one, two)
  t.equal(first.gateways?.self, one)
  t.equal(await isGone(second, one), false)
  t.equal(await isGone(second, '1.1.0123456789abcdef'), true, 'of another store')
  await first.close()
  t.equal(await isGone(second, one), true)
  const third = await openShared(t, address)
  t.equal(await isGone(second, one), true, 'its number has a new owner')
  t.equal(await isGone(second, (await committing(third)) ?? ''), false)
})

t.test(
  'a gateway that was away for too long has a new identity',
  {
    skip: postgresMissing,
  },
  async (t) => {
    const tables = await openSharedTables(t)
    const first = await openShared(t, tables.address)
    const second = await openShared(t, tables.address)
    const one = (await committing(first)) ?? ''
    await tables.expire(first)
    t.equal(await isGone(second, one), true)
    await beat(first)
    t.equal(await isGone(second, one), true, 'for good')
    const next = (await committing(first)) ?? ''
    t.not(next, one)
    t.equal(await isGone(second, next), false)
    await beat(first)
    t.equal(await committing(first), next)
  },
)

t.test('tables of an older format are taken up', { skip: postgresMissing }, async (t) => {
  const { address, query } = await openSharedTables(t)
  const before = await openShared(t, address)
  await committing(before)
  await before.close()
  await query('ALTER TABLE $heartbeats DROP COLUMN life, DROP COLUMN address')
  await query('UPDATE $format SET version = 1')
  const after = await openShared(t, address)
  t.type(await committing(after), 'string')
  await query('UPDATE $format SET version = 1000')
  await t.rejects(openShared(t, address), { message: /have format 1000/ })
})
