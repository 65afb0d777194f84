// A data folder is copied into PostgreSQL and back: nothing differs, a copy that was interrupted
// continues, and a place that is in use or not empty is refused.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Bytes } from '../../../src/base/bytes/bytes.js'
import { systemClock } from '../../../src/base/clock.js'
import { silentLog } from '../../../src/base/log.js'
import { runCopy } from '../../../src/cli/copy.js'
import { copyStore } from '../../../src/store/copy/copy.js'
import type { CopySource, CopyTarget, Pair } from '../../../src/store/copy/ends.js'
import { FolderSource, FolderTarget } from '../../../src/store/copy/folder-ends.js'
import { idKey, keyClass } from '../../../src/store/layout.js'
import { openLmdbStore } from '../../../src/store/lmdb.js'
import { type Address, parseAddress } from '../../../src/store/postgres/address.js'
import { PostgresSource, PostgresTarget } from '../../../src/store/postgres/copy/copy-ends.js'
import type { Store } from '../../../src/store/store.js'
import { firstKey } from '../../../src/store/tables/tables-walk.js'
import { postgresMissing } from '../../support/postgres-reference.js'
import { openShared, sharedAddress } from '../../support/shared-stores.js'
import { temporaryFolder } from '../../support/stores.js'

const skip = { skip: postgresMissing }
/** More than a page. */
const records = 700

function openFolder(path: string): Store {
  return openLmdbStore({ path, durability: 'none', clock: systemClock, log: silentLog })
}

const numbered = (n: number): Bytes => Uint8Array.of(n >> 8, n & 255)

/** Pairs of each class, more than a page of some, and counters that were added to. */
async function fill(store: Store): Promise<void> {
  for (let from = 0; from < records; from += 100) {
    await store.write(function* (tx) {
      for (let n = from; n < from + 100; n++) {
        tx.put(idKey(keyClass.record, 1, numbered(n)), new Uint8Array(n % 300).fill(n))
        tx.put(idKey(keyClass.entry, 2, numbered(n)), idKey(keyClass.record, 1, numbered(n)))
        tx.add(idKey(keyClass.count, 1), 1, n % 300)
      }
      tx.add(idKey(keyClass.count, 100 + from), 1, -from)
    })
  }
  await store.write(function* (tx) {
    for (const kind of Object.values(keyClass)) {
      if (kind === keyClass.meta || kind === keyClass.count || kind === keyClass.chunk) continue
      tx.put(idKey(kind, 9), new Uint8Array(0))
    }
  })
}

async function folder(t: Test): Promise<string> {
  const path = join(await temporaryFolder(t), 'data')
  const store = openFolder(path)
  await fill(store)
  await store.close()
  return path
}

async function tables(t: Test): Promise<{ readonly text: string; readonly address: Address }> {
  const text = await sharedAddress(t)
  const address = parseAddress(text)
  if (address === undefined) throw new Error(text)
  return { text, address }
}

async function copy(source: CopySource, target: CopyTarget): Promise<number> {
  try {
    return (await copyStore(source, target, () => undefined)).pairs
  } finally {
    await target.close()
    await source.close()
  }
}

async function all(source: CopySource): Promise<Pair[]> {
  const found: Pair[] = []
  for (let after = firstKey; ; ) {
    const page = await source.page(after)
    found.push(...page)
    const last = page.at(-1)
    if (last === undefined) break
    after = last.key
  }
  await source.close()
  return found
}

async function documents(store: Store): Promise<number> {
  const count = await store.read(function* (tx) {
    return yield* tx.count(idKey(keyClass.count, 1))
  })
  return count.documents
}

t.test('what is copied there and back is the same, with its versions', skip, async (t) => {
  const from = await folder(t)
  const { text, address } = await tables(t)
  const wanted = await all(FolderSource.open(from))
  const pairs = await copy(FolderSource.open(from), await PostgresTarget.open(address, 'one'))
  t.equal(pairs, wanted.length)
  t.ok(pairs > 2 * records)
  t.same(await all(await PostgresSource.open(address)), wanted)
  const back = join(await temporaryFolder(t), 'back')
  await copy(await PostgresSource.open(address), await FolderTarget.open(back, 'two'))
  t.same(await all(FolderSource.open(back)), wanted)
  const highest = Math.max(...wanted.map(({ version }) => version))
  const key = idKey(keyClass.record, 1, numbered(5))
  for (const store of [await openShared(t, text), openFolder(back)]) {
    t.equal(await documents(store), records)
    await store.write(function* (tx) {
      tx.put(key, numbered(1))
      tx.add(idKey(keyClass.count, 1), 1, 0)
    })
    const after = await store.read(function* (tx) {
      return yield* tx.getVersioned(key)
    })
    t.ok((after?.version ?? 0) > highest, 'later versions are higher than all that were copied')
    t.equal(await documents(store), records + 1)
    await store.close()
  }
})

/** Stores some parts, then ends as a killed process does. */
class Killed implements CopyTarget {
  constructor(
    private readonly inner: CopyTarget,
    private puts: number,
  ) {}

  get last(): Bytes | undefined {
    return this.inner.last
  }

  page(after: Bytes): Promise<readonly Pair[]> {
    return this.inner.page(after)
  }

  async put(pairs: readonly Pair[]): Promise<void> {
    for (let at = 0; at < pairs.length; at += 100) {
      if (this.puts-- === 0) throw new Error('killed')
      await this.inner.put(pairs.slice(at, at + 100))
    }
  }

  async finish(highest: number): Promise<void> {
    if (this.puts >= 0) throw new Error('killed')
    return this.inner.finish(highest)
  }

  close(): Promise<void> {
    return this.inner.close()
  }
}

t.test('a copy that was interrupted anywhere continues', skip, async (t) => {
  const from = await folder(t)
  const { text, address } = await tables(t)
  const wanted = await all(FolderSource.open(from))
  const killed = { message: 'killed' }
  for (const puts of [0, 3, 4, 5, 100]) {
    const target = await PostgresTarget.open(address, 'here')
    if (puts === 5) t.ok(target.last, 'something was kept')
    await t.rejects(copy(FolderSource.open(from), new Killed(target, puts)), killed)
    await t.rejects(openShared(t, text), { message: /copy of here into schema .* is unfinished/ })
    await t.rejects(PostgresTarget.open(address, 'another'), { message: /unfinished copy of here/ })
  }
  await copy(FolderSource.open(from), await PostgresTarget.open(address, 'here'))
  const back = join(await temporaryFolder(t), 'back')
  for (const puts of [0, 3, 4, 5, 100]) {
    const target = await FolderTarget.open(back, 'there')
    await t.rejects(copy(await PostgresSource.open(address), new Killed(target, puts)), killed)
    t.notOk(existsSync(back), 'the folder appears when it is complete')
    await t.rejects(FolderTarget.open(back, 'another'), { message: /unfinished copy of there/ })
  }
  await copy(await PostgresSource.open(address), await FolderTarget.open(back, 'there'))
  t.same(await all(FolderSource.open(back)), wanted)
})

t.test('a copy that differs is no store', skip, async (t) => {
  const from = await folder(t)
  const { text, address } = await tables(t)
  const target = await PostgresTarget.open(address, 'here')
  const without: CopyTarget = {
    last: undefined,
    put: (pairs) => target.put(pairs.slice(1)),
    page: (after) => target.page(after),
    finish: (highest) => target.finish(highest),
    close: () => target.close(),
  }
  const differs = { message: /differs from its source at key 01/ }
  await t.rejects(copy(FolderSource.open(from), without), differs)
  await t.rejects(openShared(t, text), { message: /unfinished/ })
})

t.test('places that are in use or not empty are refused', skip, async (t) => {
  const from = await folder(t)
  const { text } = await tables(t)
  const refused = (options: { from: string; to: string }, message: RegExp) =>
    t.rejects(runCopy(options), { message })
  const running = openFolder(from)
  await refused({ from: `lmdb:${from}`, to: text }, /in use by another process/)
  await running.close()
  await refused({ from: text, to: `lmdb:${from}` }, /there is no store in schema/)
  const gateway = await openShared(t, text)
  await refused({ from: text, to: `lmdb:${from}x` }, /1 gateways use schema/)
  await gateway.close()
  await refused({ from: `lmdb:${from}`, to: text }, /is not empty/)
  await refused({ from: text, to: `lmdb:${from}` }, /is not empty/)
  await refused({ from: `lmdb:${from}-missing`, to: text }, /there is no data folder/)
  await refused({ from: `lmdb:${from}`, to: `lmdb:${from}x` }, /one end is a data folder/)
  await refused({ from: text, to: text }, /pg_dump/)
  await refused({ from: 'memory:', to: text }, /must be lmdb:/)
  for (const secret of ['postgres://u:secret@h/d', 'postgres://u@h/d?password=secret']) {
    await refused({ from: `lmdb:${from}`, to: secret }, /^(?!.*secret).*PGPASSWORD/)
  }
  const { address } = await tables(t)
  const first = await PostgresTarget.open(address, 'here')
  await t.rejects(PostgresTarget.open(address, 'here'), { message: /under way/ })
  await first.close()
})
