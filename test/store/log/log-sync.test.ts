// When groups reach the disk, in the three durabilities; time passes by hand.

import t from 'tap'
import { codes } from '../../../src/base/errors.js'
import { logSyncMs } from '../../../src/base/limits/store.js'
import type { SegmentLogOptions } from '../../../src/store/log/log.js'
import { logGroupsPerStart } from '../../../src/store/log/log.js'
import { FaultyFiles } from '../../support/faulty-files.js'
import {
  groupOf,
  logFolder,
  ManualTime,
  openLog,
  readGroups,
  turn,
} from '../../support/log-room.js'
import { MemoryFiles } from '../../support/memory-files.js'

const first = logGroupsPerStart
const failed = { code: codes.OperationFailed.code }
const group = () => groupOf({ key: 'k', value: 'v' })

function room(options: Partial<SegmentLogOptions>) {
  const memory = new MemoryFiles()
  const files = new FaultyFiles(memory)
  const time = new ManualTime()
  const log = openLog(files, { clock: time, later: time.later, ...options })
  const syncs = () => memory.journal.filter((line) => /^(?:datasync|syncFolder) /.test(line))
  return { memory, files, time, log, syncs }
}

t.test('commit: a group resolves when a sync begun behind it has ended', async (t) => {
  const { log, files, syncs } = room({ durability: 'commit' })
  files.holdSyncs()
  const done: string[] = []
  const wait = (name: string) => log.synced(log.lastGroup)?.then(() => void done.push(name))
  log.append([group()], 1)
  wait('a')
  t.equal(files.syncsHeld, 1, 'a sync begins at once')
  for (const name of ['b', 'c', 'd']) {
    log.append([group()], 1)
    wait(name)
  }
  t.equal(files.syncsHeld, 1, 'one at a time')
  files.letSyncs()
  await turn()
  t.same(done, ['a'])
  t.equal(log.syncedGroup, first)
  t.equal(files.syncsHeld, 1, 'the next begins at once')
  files.letSyncs()
  await turn()
  t.same(done, ['a', 'b', 'c', 'd'], 'groups that came meanwhile share it')
  t.equal(log.syncedGroup, first + 3)
  t.equal(syncs().filter((line) => line.startsWith('datasync')).length, 2)
  t.equal(log.synced(log.lastGroup), undefined, 'nothing is left to wait for')
  await log.close()
})

t.test('the names of a new file and of the folder are synced before it counts', async (t) => {
  const { log, files, memory } = room({ durability: 'commit' })
  files.holdSyncs()
  log.append([group()], 1)
  files.letSyncs(true)
  await log.synced(first)
  const path = memory.paths()[0] ?? ''
  t.same(memory.journal.slice(2), [
    `writev ${path}`,
    `datasync ${path}`,
    'syncFolder /data',
    `syncFolder ${logFolder}`,
  ])
  log.append([group()], 1)
  await log.synced(first + 1)
  t.same(memory.journal.slice(-1), [`datasync ${path}`], 'once')
  log.seal()
  log.append([group()], 1)
  await log.synced(first + 2)
  t.same(memory.journal.slice(-1), [`syncFolder ${logFolder}`])
  await log.close()
})

t.test('a group in a new file waits for the sealed one before it', async (t) => {
  const { log, files, syncs } = room({ durability: 'commit' })
  files.holdSyncs()
  log.append([group()], 1)
  log.append([group()], 1)
  log.seal()
  log.append([group()], 1)
  const done = log.synced(log.lastGroup)
  files.letSyncs()
  await turn()
  t.equal(log.syncedGroup, first)
  files.letSyncs(true)
  await done
  t.equal(log.syncedGroup, first + 2)
  const order = syncs().filter((line) => line.startsWith('datasync'))
  t.same(
    order.map((line) => line.includes(`${first}.log`)),
    [true, true, false],
  )
  await log.close()
})

t.test('interval: no write waits, and a sync follows within its time', async (t) => {
  const { log, files, time, syncs } = room({ durability: 'interval' })
  log.append([group()], 1)
  t.equal(log.synced(log.lastGroup), undefined)
  t.equal(log.syncedGroup, 0)
  time.pass(logSyncMs / 2)
  log.append([group()], 1)
  t.equal(log.stats().unsyncedMs, logSyncMs / 2)
  files.holdSyncs()
  time.pass(logSyncMs / 2)
  t.equal(files.syncsHeld, 1)
  time.pass(30)
  log.append([group()], 1)
  files.letSyncs()
  await turn()
  t.equal(log.syncedGroup, first + 1)
  t.match(log.stats(), { syncs: 1, lastSyncMs: 30, maxSyncMs: 30, unsyncedMs: 0 })
  time.pass(logSyncMs - 1)
  t.equal(files.syncsHeld, 0)
  time.pass(1)
  t.equal(files.syncsHeld, 1, 'counted from the first group that the last one did not cover')
  files.letSyncs(true)
  await turn()
  t.equal(log.syncedGroup, first + 2)
  const count = syncs().length
  time.pass(10 * logSyncMs)
  await turn()
  t.equal(syncs().length, count, 'nothing is synced twice')
  t.equal(time.timersSet, 0)
  await log.close()
})

t.test('interval: a slow sync is followed at once by what waited too long', async (t) => {
  const { log, files, time } = room({ durability: 'interval' })
  log.append([group()], 1)
  files.holdSyncs()
  time.pass(logSyncMs)
  log.append([group()], 1)
  time.pass(3 * logSyncMs)
  t.equal(log.stats().unsyncedMs, 4 * logSyncMs)
  files.letSyncs()
  await turn()
  time.pass(0)
  t.equal(files.syncsHeld, 1)
  files.letSyncs(true)
  await turn()
  t.equal(log.syncedGroup, first + 1)
  t.equal(log.stats().maxSyncMs, 3 * logSyncMs)
  await log.close()
})

t.test('none: nothing is synced before the end, and then every file', async (t) => {
  const { log, time, memory, syncs } = room({ durability: 'none' })
  for (let i = 0; i < 3; i++) {
    log.append([group()], 1)
    t.equal(log.synced(log.lastGroup), undefined)
    time.pass(logSyncMs)
    const sealed = log.seal()
    if (i === 0 && sealed !== undefined) log.discard(sealed)
  }
  t.equal(memory.openFiles, 2, 'what the tables hold is closed')
  log.append([group()], 1)
  await turn()
  t.same(syncs(), [])
  t.equal(log.stats().unsyncedMs, 0)
  const left = memory.paths().map((path) => `datasync ${path}`)
  t.equal(left.length, 3)
  await log.close()
  t.same(syncs().slice(0, 3), left, 'the end of the log is marked: none before it may be lost')
  t.equal(memory.openFiles, 0)
})

t.test('close syncs what is left, stops the timer and waits for a sync at work', async (t) => {
  for (const durability of ['interval', 'commit'] as const) {
    const { log, files, time, memory } = room({ durability })
    log.append([group()], 1)
    files.holdSyncs()
    time.pass(logSyncMs)
    log.append([group()], 1)
    const closed = log.close()
    files.letSyncs(true)
    await closed
    t.equal(log.syncedGroup, first + 1, durability)
    t.equal(time.timersSet, 0)
    t.equal(memory.openFiles, 0)
  }
})

t.test('a failed sync rejects those who wait and refuses writes for good', async (t) => {
  for (const call of ['datasync', 'syncFolder'] as const) {
    for (const code of ['EIO', 'ENOSPC']) {
      const { log, files, memory } = room({ durability: 'commit' })
      files.holdSyncs()
      files.failAt(call, 1, code)
      log.append([group()], 1)
      const covered = log.synced(log.lastGroup)
      log.append([group()], 1)
      const next = log.synced(log.lastGroup)
      files.letSyncs(true)
      await t.rejects(covered ?? Promise.resolve(), failed)
      await t.rejects(next ?? Promise.resolve(), failed, 'a later sync would prove nothing')
      t.match(log.refusing, new RegExp(`could not be synced.*restart.*${code}`))
      t.throws(() => log.append([group()], 1), failed)
      await t.rejects(log.synced(log.lastGroup) ?? Promise.resolve(), failed)
      t.equal(log.syncedGroup, 0)
      await log.close()
      t.equal(memory.openFiles, 0)
      t.equal(readGroups(files).groups.size, 2, 'what was written is still read')
    }
  }
})

t.test('a sync that fails without a waiting write refuses writes too', async (t) => {
  const { log, files, time } = room({ durability: 'interval' })
  log.append([group()], 1)
  files.failAt('datasync', 1, 'EIO')
  time.pass(logSyncMs)
  await turn()
  t.throws(() => log.append([group()], 1), failed)
  await log.close()
})

t.test('a last sync that fails rejects close', async (t) => {
  for (const durability of ['interval', 'none'] as const) {
    const { log, files, memory } = room({ durability })
    log.append([group()], 1)
    files.failAt('datasync', 1, 'EIO')
    await t.rejects(log.close(), failed)
    t.equal(memory.openFiles, 0)
  }
})

t.test('groups written before a stop of the log are synced still', async (t) => {
  const { log, files } = room({ durability: 'commit' })
  files.holdSyncs()
  log.append([group()], 1)
  log.append([group()], 1)
  const waited = log.synced(log.lastGroup)
  files.shorten(3)
  files.failAt('write', 2, 'EIO')
  files.failAt('truncate', 1, 'EIO')
  t.throws(() => log.append([group()], 1), failed)
  files.letSyncs(true)
  await waited
  t.equal(log.syncedGroup, first + 1)
  await log.close()
})

t.test('a file that the tables hold is not synced any more', async (t) => {
  const { log, memory, time, syncs } = room({ durability: 'interval' })
  log.append([group()], 1)
  const sealed = log.seal()
  if (sealed !== undefined) log.discard(sealed)
  t.equal(memory.openFiles, 0)
  time.pass(logSyncMs)
  await turn()
  t.notMatch(syncs().join(), /datasync/)
  t.equal(log.syncedGroup, first)
  await log.close()
})

t.test('a file is not closed while a sync is at work on it', async (t) => {
  const { log, files, memory, time } = room({ durability: 'interval' })
  log.append([group()], 1)
  files.holdSyncs()
  time.pass(logSyncMs)
  const sealed = log.seal()
  if (sealed !== undefined) log.discard(sealed)
  t.equal(memory.openFiles, 1)
  files.letSyncs(true)
  await turn()
  t.equal(log.refusing, undefined)
  t.equal(memory.openFiles, 0)
  await log.close()
})

t.test('each record carries the last synced group', async (t) => {
  const { log, memory, files } = room({ durability: 'commit', after: { group: 3 } })
  files.holdSyncs()
  for (let i = 0; i < 3; i++) log.append([group()], 1)
  files.letSyncs(true)
  await log.synced(log.lastGroup)
  log.append([group()], 1)
  await log.close()
  // Told by its effect: a bad third record is damage, as the fourth says it was on the disk.
  const path = memory.paths()[0] ?? ''
  const bytes = memory.contentOf(path)
  const record = (bytes.length - 32) / 4
  bytes.fill(0, 32 + 2 * record, 32 + 3 * record)
  memory.setContent(path, bytes)
  t.equal(readGroups(memory, 3).state.damage?.group, first + 5)
})
