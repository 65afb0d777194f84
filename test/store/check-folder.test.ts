// What `sigil check` finds below the store: bad records of the log, by file, offset and group, and
// damaged pairs of the tables, by class and key; and what it does not take for damage.

import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { systemClock } from '../../src/base/clock.js'
import { silentLog } from '../../src/base/log.js'
import { checkFolder, damagesNamedMax, type FolderReport } from '../../src/store/check-folder.js'
import { idKey, keyClass } from '../../src/store/layout.js'
import { openLmdbStore } from '../../src/store/lmdb.js'
import { markPath } from '../../src/store/log/sync-mark.js'
import { sumsPath } from '../../src/store/pages/page-sums.js'
import { metaKey, openEnvironment } from '../../src/store/tables/lmdb-environment.js'
import { makeTables, type Pair, putPairs, somePairs, stored } from '../support/backups.js'
import { temporaryFolder } from '../support/stores.js'

const quiet = () => undefined

/** A store that was closed with `groups` groups in its log, one after the other synced. */
async function storeWithLog(t: Test, groups: number): Promise<{ folder: string; path: string }> {
  const folder = join(await temporaryFolder(t), 'store')
  const options = { durability: 'commit', clock: systemClock, log: silentLog } as const
  const store = openLmdbStore({ path: folder, ...options })
  for (let number = 0; number < groups; number++) {
    await store.write(function* (tx) {
      tx.put(idKey(keyClass.record, 9, Uint8Array.of(number)), new Uint8Array(50).fill(number))
    })
  }
  await store.close()
  const [name] = readdirSync(join(folder, 'log'))
  return { folder, path: join(folder, 'log', name ?? 'none') }
}

function flip(path: string, at: number): void {
  const bytes = readFileSync(path)
  bytes[at] = (bytes[at] ?? 0) ^ 0x10
  writeFileSync(path, bytes)
}

/** Of the group of that number in a log of groups of one size. */
function placeOf(path: string, groups: number, number: number): number {
  const headerBytes = 32
  const { length } = readFileSync(path)
  return headerBytes + ((length - headerBytes) / groups) * number
}

t.test('a sound folder is sound, and stays as it was', async (t) => {
  const { folder, path } = await storeWithLog(t, 8)
  const before = readFileSync(path)
  const { log, tables } = await checkFolder(folder, quiet)
  t.match(tables, { found: 0, damages: [], applied: { group: 0 }, pairs: 0 })
  t.equal(log.damage, undefined)
  t.equal(log.torn, undefined)
  t.equal(log.segments.length, 1)
  t.ok(before.equals(readFileSync(path)))
})

t.test('a bad record that was promised is named by file, offset and group', async (t) => {
  const { folder, path } = await storeWithLog(t, 8)
  const { log: sound } = await checkFolder(folder, quiet)
  const at = placeOf(path, 8, 3)
  flip(path, at + 60)
  const { log, tables } = await checkFolder(folder, quiet)
  t.match(log.damage, { path, at, group: (sound.segments[0]?.firstGroup ?? 0) + 3 })
  for (const part of [path, String(at), String(log.damage?.group)]) {
    t.ok(log.damage?.text.includes(part), `${log.damage?.text}: ${part}`)
  }
  t.equal(tables.found, 0, 'the tables are looked at all the same')
  const options = { durability: 'commit', clock: systemClock, log: silentLog } as const
  t.throws(() => openLmdbStore({ path: folder, ...options }), { message: log.damage?.text ?? '' })
})

t.test('a log whose end is gone is damaged: what was synced is known beside it', async (t) => {
  for (const lose of ['cut', 'remove'] as const) {
    const { folder, path } = await storeWithLog(t, 8)
    if (lose === 'cut') writeFileSync(path, readFileSync(path).subarray(0, placeOf(path, 8, 5)))
    else rmSync(path)
    const { log } = await checkFolder(folder, quiet)
    t.match(log.damage?.text, /the end of the log is missing: .*remove .*synced$/, lose)
    const options = { durability: 'commit', clock: systemClock, log: silentLog } as const
    const open = () => openLmdbStore({ path: folder, ...options })
    t.throws(open, { message: log.damage?.text ?? '' })
    rmSync(markPath(folder))
    await open().close()
  }
})

t.test('a log that ends torn is said to be, and is no damage', async (t) => {
  const { folder, path } = await storeWithLog(t, 8)
  rmSync(markPath(folder))
  const at = placeOf(path, 8, 7)
  const bytes = readFileSync(path)
  writeFileSync(path, bytes.subarray(0, at + 20))
  const { log } = await checkFolder(folder, quiet)
  t.equal(log.damage, undefined)
  t.match(log.torn, { path, at, bytes: 20 })
  t.equal(readFileSync(path).length, at + 20, 'it is the next start that cuts')
})

t.test('what a checkpoint that was cut short has left in the tables is no damage', async (t) => {
  const { folder, path } = await storeWithLog(t, 8)
  const { lastVersion } = (await checkFolder(folder, quiet)).log
  const put = async (version: number) => {
    const environment = openEnvironment(folder)
    const { key, value } = stored(idKey(keyClass.record, 9), new Uint8Array(5), version)
    environment.transactionSync(() => environment.putSync(key, value))
    await environment.close()
  }
  await put(lastVersion)
  t.equal((await checkFolder(folder, quiet)).tables.found, 0)
  await put(lastVersion + 1)
  t.match((await checkFolder(folder, quiet)).tables, { found: 1, damages: [{ text: /version/ }] })
  flip(path, placeOf(path, 8, 3) + 60)
  t.equal((await checkFolder(folder, quiet)).tables.found, 0, 'the content of the log is unknown')
})

t.test('each damaged pair of the tables is named, whatever its class', async (t) => {
  const folder = join(await temporaryFolder(t), 'store')
  const pairs = somePairs(2_000, 100)
  const environment = makeTables(t, folder, pairs)
  const wanted: string[] = []
  for (const kind of [keyClass.catalog, keyClass.record]) {
    const own = pairs.filter(({ key, value }) => key[0] === kind && value.length > 20)
    for (const { key, value } of [own[0], own[100], own.at(-1)] as Pair[]) {
      const flipped = Uint8Array.from(value)
      flipped[15] = (flipped[15] ?? 0) ^ 1
      putPairs(environment, folder, [{ key, value: flipped }])
      wanted.push(Buffer.from(key).toString('hex'))
    }
  }
  await environment.close()
  const { tables } = await checkFolder(folder, quiet)
  t.equal(tables.found, wanted.length)
  t.strictSame(
    tables.damages.map(({ text }) => /key (\w+)\)/.exec(text)?.[1]).sort(),
    wanted.sort(),
  )
  t.ok(tables.damages.every(({ text }) => /^a stored (?:catalog|record) is damaged/.test(text)))
})

t.test('bits of the file itself that lie in values are found', async (t) => {
  const folder = join(await temporaryFolder(t), 'store')
  const pairs = Array.from({ length: 200 }, (_, number) =>
    stored(idKey(keyClass.record, 4, Uint8Array.of(number)), new Uint8Array(500).fill(number)),
  )
  await makeTables(t, folder, pairs).close()
  const path = join(folder, 'data.mdb')
  const image = readFileSync(path)
  for (const number of [1, 77, 142, 199]) {
    const damaged = Buffer.from(image)
    const value = Buffer.alloc(500, number)
    // Pages that were split still hold what was moved: every copy is flipped.
    for (let at = image.indexOf(value); at >= 0; at = image.indexOf(value, at + 1)) {
      damaged[at + 123] = number ^ 0x10
    }
    writeFileSync(path, damaged)
    // The sums are of the image before: here it is the values' own checksums that tell.
    rmSync(sumsPath(folder), { force: true })
    const { tables }: FolderReport = await checkFolder(folder, quiet)
    const hex = Buffer.of(number).toString('hex')
    const named = { kind: keyClass.record, id: 4, text: new RegExp(`key 0200000004${hex}\\)`) }
    t.match(tables, { found: 1, damages: [named] }, `record ${number}`)
  }
})

t.test('of many damaged pairs the first are named, and all counted', async (t) => {
  const folder = join(await temporaryFolder(t), 'store')
  const strange = Array.from({ length: damagesNamedMax + 50 }, (_, number) => ({
    key: Uint8Array.of(0x70, number),
    value: new Uint8Array(1),
  }))
  await makeTables(t, folder, strange).close()
  const { tables } = await checkFolder(folder, quiet)
  t.equal(tables.found, damagesNamedMax + 50)
  t.equal(tables.damages.length, damagesNamedMax)
  t.equal(tables.damages[0]?.text, 'a stored pair is of no known class (key 7000)')
})

t.test('progress is told in pairs', async (t) => {
  const folder = join(await temporaryFolder(t), 'store')
  await makeTables(t, folder, somePairs(24_000, 10)).close()
  const told: string[] = []
  await checkFolder(folder, (pairs, of) => told.push(`${pairs}/${of}`))
  t.strictSame(told, ['10000/24000', '20000/24000'])
})

t.test('a folder without a store, with another format or in use is refused', async (t) => {
  const room = await temporaryFolder(t)
  const missing = checkFolder(join(room, 'none'), quiet)
  await t.rejects(missing, { code: 96, message: /there is no store in/ })
  t.strictSame(readdirSync(room), [], 'and none is made')
  const folder = join(room, 'store')
  const environment = makeTables(t, folder, [])
  environment.transactionSync(() => environment.putSync(metaKey('format'), Uint8Array.of(77)))
  await environment.close()
  await t.rejects(checkFolder(folder, quiet), { code: 96, message: /format 77/ })
  const other = join(room, 'other')
  const options = { durability: 'commit', clock: systemClock, log: silentLog } as const
  const store = openLmdbStore({ path: other, ...options })
  await t.rejects(checkFolder(other, quiet), { code: 96, message: /in use by another process/ })
  await store.close()
  t.equal((await checkFolder(other, quiet)).tables.found, 0)
  const damaged = join(room, 'damaged')
  await makeTables(t, damaged, []).close()
  const applied = openEnvironment(damaged)
  applied.transactionSync(() => applied.putSync(metaKey('applied'), Uint8Array.of(1)))
  await applied.close()
  await t.rejects(checkFolder(damaged, quiet), { message: /last applied group is damaged/ })
})
