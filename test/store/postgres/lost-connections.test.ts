// Gateways whose connections to PostgreSQL end at bad moments: each acknowledged write is there
// once, and none is applied twice.

import t, { type Test } from 'tap'
import type { Bytes } from '../../../src/base/bytes/bytes.js'
import { keyClass } from '../../../src/store/layout.js'
import type { Store } from '../../../src/store/store.js'
import { CuttingProxy } from '../../support/cutting-proxy.js'
import {
  openPostgres,
  openPostgresServer,
  postgresMissing,
} from '../../support/postgres-reference.js'
import { addressOn, openShared, postgresServer } from '../../support/shared-stores.js'

const sumKey = Uint8Array.of(keyClass.record, 1)
const markKey = (writer: number, n: number): Bytes =>
  Uint8Array.of(keyClass.entry, writer, n >> 8, n & 255)
const marks = { start: Uint8Array.of(keyClass.entry), end: Uint8Array.of(keyClass.entry + 1) }

const read32 = (bytes: Bytes | undefined): number =>
  bytes === undefined ? 0 : Buffer.from(bytes).readUInt32BE()
const write32 = (n: number): Bytes => {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, n)
  return bytes
}

/** Adds one to the sum and leaves a mark; answers the sum. */
function increment(store: Store, writer: number, n: number): Promise<number> {
  return store.write(function* (tx) {
    const sum = read32(yield* tx.get(sumKey)) + 1
    tx.put(sumKey, write32(sum))
    tx.put(markKey(writer, n), write32(sum))
    return sum
  })
}

interface State {
  readonly sum: number
  readonly marks: readonly number[]
}

async function state(store: Store): Promise<State> {
  return store.read(function* (tx) {
    const found: number[] = []
    const sum = read32(yield* tx.get(sumKey))
    for (let { start } = marks; ; ) {
      const entries = yield* tx.scan({ start, end: marks.end }, 500)
      for (const { value } of entries) found.push(read32(value))
      const last = entries.at(-1)
      if (last === undefined) return { sum, marks: found }
      start = Uint8Array.of(...last.key, 0)
    }
  })
}

/** Each increment is there once: sums are 1 to the last one, and the marks have them all. */
function requireWhole(t: Test, { sum, marks: found }: State, least: number): void {
  t.ok(sum >= least, `${sum} increments, ${least} of them acknowledged`)
  t.equal(found.length, sum, 'each has its mark')
  t.same(
    [...found].sort((a, b) => a - b),
    Array.from({ length: sum }, (_, i) => i + 1),
  )
}

t.test('a commit whose answer is lost is found out', { skip: postgresMissing }, async (t) => {
  const { folder } = await postgresServer(t)
  const proxy = await CuttingProxy.open(t, folder)
  const store = await openShared(t, addressOn(proxy.folder))
  for (const [round, next] of (
    ['cut after', 'cut before', 'pass', 'cut after'] as const
  ).entries()) {
    proxy.next = next
    const sums = await Promise.all([0, 1, 2].map((n) => increment(store, round, n)))
    t.same(
      sums,
      [1, 2, 3].map((n) => 3 * round + n),
      `${next}: each was applied once`,
    )
  }
  t.equal(proxy.cuts, 3)
  requireWhole(t, await state(store), 12)
})

t.test(
  'a gateway whose number was taken goes on under another',
  { skip: postgresMissing },
  async (t) => {
    const reference = await openPostgres(t)
    const host = reference.client.options.host[0] ?? ''
    const address = addressOn(host)
    const schema = new URL(address).searchParams.get('schema')
    const first = await openShared(t, address)
    t.equal(await increment(first, 1, 1), 1)
    await reference.query(`UPDATE ${schema}.heartbeats SET until = '-infinity'`)
    const second = await openShared(t, address)
    t.equal(await increment(second, 2, 1), 2)
    t.equal(await increment(first, 1, 2), 3)
    t.equal(await increment(second, 2, 2), 4)
    const { rows } = await reference.query(`SELECT no, epoch FROM ${schema}.gateways ORDER BY no`)
    t.same(rows, [
      ['1', '2'],
      ['2', '1'],
    ])
    requireWhole(t, await state(first), 4)
  },
)

/** Writers on two gateways until `trouble` has ended; the numbers of acknowledged increments. */
async function load(
  gateways: readonly Store[],
  trouble: () => Promise<void>,
): Promise<{ acknowledged: number; failed: number }> {
  let isOver = false
  let acknowledged = 0
  let failed = 0
  const writers = Array.from({ length: 6 }, async (_, writer) => {
    const store = gateways[writer % gateways.length] as Store
    for (let n = 0; !isOver; n++) {
      await increment(store, writer, n).then(
        () => acknowledged++,
        (error: unknown) => {
          failed++
          t.comment(String(error))
        },
      )
    }
  })
  await trouble()
  isOver = true
  await Promise.all(writers)
  return { acknowledged, failed }
}

const untilMore = async (store: Store): Promise<void> => {
  const { sum } = await state(store)
  for (;;) {
    const now = await state(store).catch(() => undefined)
    if (now !== undefined && now.sum >= sum + 20) return
    await new Promise((resolve) => {
      setTimeout(resolve, 10)
    })
  }
}

t.test('terminated backends lose and repeat nothing', { skip: postgresMissing }, async (t) => {
  const reference = await openPostgres(t)
  const address = addressOn(reference.client.options.host[0] ?? '')
  const gateways = [await openShared(t, address), await openShared(t, address)]
  const first = gateways[0] as Store
  const { acknowledged, failed } = await load(gateways, async () => {
    for (let round = 0; round < 5; round++) {
      await untilMore(first)
      await reference.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE application_name = 'sigil writes'`,
      )
    }
    await untilMore(first)
  })
  t.equal(failed, 0)
  requireWhole(t, await state(first), acknowledged)
})

const durable = { durability: 'commit' } as const

t.test('a crash of PostgreSQL loses and repeats nothing', { skip: postgresMissing }, async (t) => {
  const server = await openPostgresServer(t)
  const address = addressOn(server.folder)
  const gateways = [await openShared(t, address, durable), await openShared(t, address, durable)]
  const first = gateways[0] as Store
  const { acknowledged } = await load(gateways, async () => {
    for (let round = 0; round < 2; round++) {
      await untilMore(first)
      await server.restart()
    }
    await untilMore(first)
  })
  requireWhole(t, await state(first), acknowledged)
})
