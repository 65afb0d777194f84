// What commands read of a large list grows with the elements that they pass, not with the list.
// Counted are entries that the store returns, so no machine makes it slower.

import t, { type Test } from 'tap'
import type { Entry, ReadTx, Step } from '../../../../src/store/store.js'
import { eachKeyValueRoom, type KeyValueRoom } from '../../../support/key-value-room.js'

const count = 12_000
/** Entries of a page that a search reads beyond its match, and of its key and counts. */
const beyond = 500

interface Reads {
  /** Entries that programs have read so far. */
  entries: number
  /** The most bytes that one scan has returned. */
  bytes: number
}

function readsOf({ engine }: KeyValueRoom): Reads {
  const reads: Reads = { entries: 0, bytes: 0 }
  const { store } = engine
  function* counted(step: Step<unknown>) {
    const found = yield* step
    const entries = Array.isArray(found) ? (found as Entry[]) : undefined
    reads.entries += entries?.length ?? 1
    const bytes = entries?.reduce((sum, entry) => sum + (entry?.value?.length ?? 0), 0)
    reads.bytes = Math.max(reads.bytes, bytes ?? 0)
    return found
  }
  const watching = <T extends ReadTx>(tx: T): T =>
    new Proxy(tx, {
      get(target, name) {
        const own = Reflect.get(target, name)
        if (typeof own !== 'function') return own
        if (!['get', 'getVersioned', 'getMany', 'scan', 'scanOwn'].includes(String(name))) {
          return own.bind(target)
        }
        return (...args: readonly unknown[]) => counted(own.apply(target, args))
      },
    })
  const read = store.read.bind(store)
  const write = store.write.bind(store)
  store.read = ((program, options) => read((tx) => program(watching(tx)), options)) as typeof read
  store.write = ((program, account) =>
    write((tx) => program(watching(tx)), account)) as typeof write
  return reads
}

async function reading(t: Test, room: KeyValueRoom): Promise<void> {
  const elements = Array.from({ length: count }, (_, n) => `e${n}`)
  for (let n = 0; n < count; n += 2_000)
    await room.run('RPUSH', 'l', ...elements.slice(n, n + 2_000))
  const reads = readsOf(room)
  const during = async (line: string) => {
    const before = reads.entries
    await room.line(line)
    return reads.entries - before
  }
  for (const at of [100, 2_000, 9_000]) {
    for (const line of [`LPOS l e${at}`, `LINSERT l BEFORE e${at} x`, `LREM l 1 e${at + 1}`]) {
      const entries = await during(line)
      t.ok(entries >= at && entries <= at + beyond, `${line}: ${entries}`)
    }
  }
  for (const line of ['LSET l 5000 y', 'LTRIM l 1 -2', 'LINDEX l 6000']) {
    const entries = await during(line)
    t.ok(entries <= beyond, `${line}: ${entries}`)
  }
  const entries = await during('COPY l copied')
  t.ok(entries >= count && entries <= 1.2 * count, `COPY: ${entries}`)
}

t.test('searches read as far as their match, a copy reads all', (t) =>
  // Other stores may run a program several times.
  eachKeyValueRoom(t, 'entries', reading, { kinds: ['lmdb'] }),
)

const long = (n: number): string => `${n % 20}`.padStart(200_000, 'x')

/** A page ends with the element that brings it to 256 KiB. */
const pageBytesMax = 512 * 1024

async function searching(t: Test, room: KeyValueRoom, writesToo: boolean): Promise<void> {
  for (let n = 0; n < 60; n += 10) {
    await room.run('RPUSH', 'l', ...Array.from({ length: 10 }, (_, i) => long(n + i)))
  }
  const reads = readsOf(room)
  t.equal(await room.run('LPOS', 'l', long(19)), 19)
  t.equal(await room.run('LPOS', 'l', long(0), 'RANK', '-1'), 40)
  t.same(await room.run('LPOS', 'l', long(3), 'COUNT', '0'), [3, 23, 43])
  t.equal(await room.run('LPOS', 'l', 'none'), null)
  t.ok(reads.bytes <= pageBytesMax, `reads: ${reads.bytes} bytes`)
  t.equal(await room.run('LREM', 'l', '-1', long(5)), 1)
  await room.run('MULTI')
  await room.run('LREM', 'l', '1', long(7))
  await room.run('RPUSH', 'l', 'short')
  await room.run('LPOS', 'l', long(8), 'COUNT', '0')
  await room.run('LREM', 'l', '0', long(9))
  await room.run('LPOS', 'l', 'short')
  t.same(await room.run('EXEC'), [1, 59, [7, 27, 46], 3, 55])
  if (writesToo) t.ok(reads.bytes <= pageBytesMax, `writes: ${reads.bytes} bytes`)
}

t.test('a search reads long elements by their bytes', async (t) => {
  await eachKeyValueRoom(t, 'reads', (t, room) => searching(t, room, false))
  // A write program of another store keeps what it knows of a range: its scans end at their limit.
  const kinds = ['lmdb'] as const
  await eachKeyValueRoom(t, 'writes', (t, room) => searching(t, room, true), { kinds })
})
