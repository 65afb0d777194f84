// The machine's file system behind the log: the same log as in memory, in a folder for its owner.

import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { systemClock } from '../../src/base/clock.js'
import { errorCode, isNoSpace, nodeFiles } from '../../src/store/files.js'
import { cutLog, readLog } from '../../src/store/log/log-reader.js'
import { cutAt, groupOf, openLog } from '../support/log-room.js'
import { temporaryFolder } from '../support/stores.js'

t.test('a log on the disk is written, sealed, read, cut and discarded', async (t) => {
  const folder = join(await temporaryFolder(t), 'log')
  const log = openLog(nodeFiles, { folder, durability: 'commit', clock: systemClock })
  log.append(cutAt(groupOf({ key: 'a', value: 'b' }), 32, 40), 1)
  log.append([groupOf({ key: 'c' })], 1)
  await log.synced(log.lastGroup)
  t.equal(log.syncedGroup, log.lastGroup)
  const sealed = log.seal()
  log.append([groupOf({ key: 'd' })], 1)
  await log.close()
  t.equal((await stat(folder)).mode & 0o777, 0o700)
  t.equal((await stat(sealed?.path ?? '')).mode & 0o777, 0o600)
  const last = join(folder, (await readdir(folder)).sort()[1] ?? '')
  const file = nodeFiles.open(last, 'write')
  nodeFiles.truncate(file, nodeFiles.size(file) - 1)
  nodeFiles.close(file)
  const state = readLog(nodeFiles, folder, 0)
  t.same(state.segments, [sealed])
  t.equal(state.torn?.path, last)
  cutLog(nodeFiles, folder, state)
  t.same(await readdir(folder), [(sealed?.path ?? '').slice(folder.length + 1)])
  const next = openLog(nodeFiles, { folder, after: { group: state.lastGroup }, ...state })
  t.equal(next.stats().segmentBytes, sealed?.bytes)
  if (sealed !== undefined) next.discard(sealed)
  await next.close()
  t.same(await readdir(folder), [])
})

t.test('failures keep their code', async (t) => {
  const folder = await temporaryFolder(t)
  const caught = (body: () => unknown): unknown => {
    try {
      return body()
    } catch (error) {
      return error
    }
  }
  t.equal(errorCode(caught(() => nodeFiles.open(join(folder, 'none'), 'read'))), 'ENOENT')
  t.equal(errorCode(caught(() => nodeFiles.create('/dev/full'))), 'EEXIST')
  const full = nodeFiles.open('/dev/full', 'write')
  t.ok(isNoSpace(caught(() => nodeFiles.write(full, new Uint8Array(9), 0))))
  nodeFiles.close(full)
  await t.rejects(nodeFiles.unlink(join(folder, 'none')), { code: 'ENOENT' })
  await t.rejects(nodeFiles.syncFolder(join(folder, 'none')), { code: 'ENOENT' })
  t.equal(errorCode(new Error('x')), undefined)
})

t.test('the room of a disk is told in bytes', async (t) => {
  const { freeBytes, totalBytes } = nodeFiles.room(await temporaryFolder(t))
  t.ok(freeBytes > 0 && freeBytes <= totalBytes)
})
