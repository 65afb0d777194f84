// New folders, folders of the format before, and folders of others.

import { open } from 'lmdb'
import t, { type Test } from 'tap'
import { codes } from '../../../src/base/errors.js'
import { keyClass } from '../../../src/store/layout.js'
import { openEnvironment, readApplied } from '../../../src/store/tables/lmdb-environment.js'
import { prepareFormat } from '../../../src/store/tables/lmdb-format.js'
import { frameBytes, writeFrame } from '../../../src/store/tables/record-frame.js'
import { StoredView } from '../../../src/store/tables/stored-view.js'
import { temporaryFolder } from '../../support/stores.js'

const formatKey = Buffer.from('\0format', 'latin1')
const versionsKey = Buffer.from('\0versions', 'latin1')

/** A folder written by other means, with the options that the foundation had. */
async function folderWith(t: Test, pairs: readonly (readonly [Uint8Array, Uint8Array])[]) {
  const folder = await temporaryFolder(t)
  const raw = open<Uint8Array, Uint8Array>({
    path: folder,
    noSubdir: false,
    overlappingSync: true,
    keyEncoding: 'binary',
    encoding: 'binary',
  })
  raw.transactionSync(() => {
    for (const [key, value] of pairs) raw.putSync(key, value)
  })
  await raw.close()
  return folder
}

t.test('a new folder gets this format, with nothing applied', async (t) => {
  const folder = await temporaryFolder(t)
  for (let times = 0; times < 2; times++) {
    const environment = openEnvironment(folder)
    prepareFormat(environment, folder)
    t.same([...(environment.get(formatKey) ?? [])], [2])
    t.same(readApplied(environment), { group: 0, version: 0 })
    await environment.close()
  }
})

t.test('a folder of format 1 keeps its records and its versions', async (t) => {
  const key = Uint8Array.of(keyClass.record, 1)
  const chunk = Uint8Array.of(keyClass.chunk, 1)
  const framed = new Uint8Array(frameBytes + 3)
  writeFrame(framed, Uint8Array.of(1, 2, 3), 77)
  const versions = Buffer.alloc(8)
  versions.writeBigUInt64LE(123_456_789_012n)
  const folder = await folderWith(t, [
    [formatKey, Uint8Array.of(1)],
    [versionsKey, versions],
    [key, framed],
    [chunk, Uint8Array.of(5, 6)],
  ])
  for (let times = 0; times < 2; times++) {
    const environment = openEnvironment(folder)
    prepareFormat(environment, folder)
    const view = new StoredView(environment)
    t.same([...(environment.get(formatKey) ?? [])], [2])
    t.equal(environment.get(versionsKey), undefined)
    t.same(readApplied(environment), { group: 0, version: 123_456_789_012 })
    t.same(view.getVersioned(key), { value: Uint8Array.of(1, 2, 3), version: 77 })
    t.same([...(view.get(chunk) ?? [])], [5, 6])
    await environment.close()
  }
})

t.test('a format 1 that was never written to is converted', async (t) => {
  const folder = await folderWith(t, [[formatKey, Uint8Array.of(1)]])
  const environment = openEnvironment(folder)
  prepareFormat(environment, folder)
  t.same(readApplied(environment), { group: 0, version: 0 })
  await environment.close()
})

t.test('another format, and data of another program, are refused and left alone', async (t) => {
  for (const [value, seen] of [
    [Uint8Array.of(9), '9'],
    [Uint8Array.of(1, 2), 'unknown'],
  ] as const) {
    const folder = await folderWith(t, [[formatKey, value]])
    const environment = openEnvironment(folder)
    t.throws(() => prepareFormat(environment, folder), {
      code: codes.OperationFailed.code,
      message: `the store in ${folder} has format ${seen}; this version reads format 2`,
    })
    t.same(environment.get(formatKey), value)
    await environment.close()
  }
  const folder = await folderWith(t, [[Buffer.from('name'), Buffer.from('value')]])
  const environment = openEnvironment(folder)
  t.throws(() => prepareFormat(environment, folder), { message: /another program's data/ })
  t.equal(environment.get(formatKey), undefined)
  await environment.close()
})

t.test('a damaged number of the last applied group is told', async (t) => {
  const folder = await folderWith(t, [
    [formatKey, Uint8Array.of(2)],
    [Buffer.from('\0applied', 'latin1'), Uint8Array.of(1)],
  ])
  const environment = openEnvironment(folder)
  prepareFormat(environment, folder)
  t.throws(() => readApplied(environment), { code: codes.InternalError.code })
  await environment.close()
})
