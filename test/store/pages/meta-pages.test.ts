// The two first pages of the tables: the newest state must be the one that was noted; the older one
// may be what a commit left of it that the disk refused.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { systemClock } from '../../../src/base/clock.js'
import { silentLog } from '../../../src/base/log.js'
import { idKey, keyClass } from '../../../src/store/layout.js'
import { openLmdbStore } from '../../../src/store/lmdb.js'
import { PageFile, tablesPath } from '../../../src/store/pages/page-file.js'
import { pageBytes } from '../../../src/store/pages/page-format.js'
import { verifyPages } from '../../../src/store/pages/pages.js'
import { temporaryFolder } from '../../support/stores.js'

/** In the half of a meta page that a torn write reaches: entries of the table of pairs. */
const entriesAt = 120
/** Where the number of the last page begins. */
const lastPageAt = 136
/** Where the number of the last page in use begins, 8 bytes. */
const lastPageNumberAt = 144
const opened = 4
const key = (number: number) => idKey(keyClass.record, 9, Uint8Array.of(number))

function open(folder: string) {
  return openLmdbStore({
    path: folder,
    durability: 'commit',
    clock: systemClock,
    log: silentLog,
  })
}

/** A folder with a record of each time that it was opened, and the page of its newest state. */
async function folderOf(t: Test): Promise<{ folder: string; newest: number }> {
  const folder = join(await temporaryFolder(t), 'store')
  for (let number = 0; number < opened; number++) {
    const store = open(folder)
    await store.write(function* (tx) {
      tx.put(key(number), Uint8Array.of(number))
    })
    await store.close()
  }
  const file = PageFile.open(folder)
  const metas = file.metas()
  file.close()
  if (typeof metas === 'number') throw new Error('the tables cannot be read')
  return { folder, newest: metas.newest.transaction % 2 }
}

/** One byte of a meta page becomes another; as the last page 0 it is a state that can be none. */
function change(folder: string, page: number, at: number): void {
  const path = tablesPath(folder)
  const bytes = readFileSync(path)
  const place = page * pageBytes + at
  bytes[place] = at === lastPageAt ? 0 : (bytes[place] as number) ^ 1
  writeFileSync(path, bytes)
}

for (const at of [entriesAt, lastPageAt]) {
  t.test(`an older state that is not what was noted is harmless, byte ${at}`, async (t) => {
    const { folder, newest } = await folderOf(t)
    change(folder, 1 - newest, at)
    t.same(verifyPages(folder), [])
    const store = open(folder)
    const keys = Array.from({ length: opened }, (_, number) => key(number))
    const found = await store.read(function* (tx) {
      return yield* tx.getMany(keys)
    })
    t.same(
      found.map((value) => value?.[0]),
      [0, 1, 2, 3],
    )
    await store.close()
    t.same(verifyPages(folder), [])
  })

  t.test(`a newest state that is not what was noted is named, byte ${at}`, async (t) => {
    const { folder, newest } = await folderOf(t)
    change(folder, newest, at)
    t.match(verifyPages(folder), [{ text: `page ${newest} of data.mdb is damaged` }])
    t.throws(() => open(folder), { message: `page ${newest} of data.mdb is damaged` })
  })
}

t.test('a last page that no file has is named, and nothing is mapped for it', async (t) => {
  const { folder, newest } = await folderOf(t)
  const path = tablesPath(folder)
  const sound = readFileSync(path)
  for (let bit = 32; bit < 64; bit++) {
    const bytes = Buffer.from(sound)
    const at = newest * pageBytes + lastPageNumberAt + (bit >> 3)
    bytes[at] = (bytes[at] as number) ^ (1 << (bit & 7))
    writeFileSync(path, bytes)
    t.match(verifyPages(folder), [{ text: /^page [01] of data.mdb is damaged/ }], `bit ${bit}`)
    t.throws(() => open(folder), { message: /^page [01] of data.mdb is damaged/ })
  }
})
