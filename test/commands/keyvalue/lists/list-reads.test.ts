// What commands read of a large list grows with the elements that they pass, not with the list.
// Counted are entries that the store returns, so no machine makes it slower.

import t, { type Test } from 'tap'
import type { ReadTx, Step } from '../../../../src/store/store.js'
import { eachKeyValueRoom, type KeyValueRoom } from '../../../support/key-value-room.js'

const count = 12_000
/** Entries of a page that a search reads beyond its match, and of its key and counts. */
const beyond = 500

/** How many entries programs have read so far. */
function readsOf({ engine }: KeyValueRoom): () => number {
  let reads = 0
  const { store } = engine
  function* counted(step: Step<unknown>) {
    const found = yield* step
    reads += Array.isArray(found) ? found.length : 1
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
  return () => reads
}

async function reading(t: Test, room: KeyValueRoom): Promise<void> {
  const elements = Array.from({ length: count }, (_, n) => `e${n}`)
  for (let n = 0; n < count; n += 2_000)
    await room.run('RPUSH', 'l', ...elements.slice(n, n + 2_000))
  const reads = readsOf(room)
  const during = async (line: string) => {
    const before = reads()
    await room.line(line)
    return reads() - before
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
