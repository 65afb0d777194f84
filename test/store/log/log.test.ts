// The log as it is written: numbers, files, and what every failing call of the system leaves
// behind.

import t from 'tap'
import { codes } from '../../../src/base/errors.js'
import { logGroupsPerStart, logWritePiecesMax } from '../../../src/store/log/log.js'
import { recordHeaderBytes, segmentHeaderBytes } from '../../../src/store/log/log-record.js'
import { FaultyFiles } from '../../support/faulty-files.js'
import { cutAt, groupOf, logFolder, openLog, readGroups, turn } from '../../support/log-room.js'
import { MemoryFiles } from '../../support/memory-files.js'

const first = logGroupsPerStart
const noSpace = { code: codes.OutOfDiskSpace.code }
const failed = { code: codes.OperationFailed.code }
const group = (value: string) => groupOf({ key: 'k', value, version: 7 }, { key: 'gone' })

t.test('groups are numbered on, far above those of the last session', async (t) => {
  const log = openLog(new MemoryFiles(), { after: { group: 41, highestGroup: 50 } })
  t.equal(log.lastGroup, 41)
  t.equal(log.syncedGroup, 41)
  t.equal(log.append([group('a')], 2), 50 + first)
  t.equal(log.append([group('b')], 2), 51 + first)
  t.equal(log.lastGroup, 51 + first)
  await log.close()
})

t.test('a group is one write, with the header of the file in the first', async (t) => {
  const files = new MemoryFiles()
  const log = openLog(files)
  t.same(files.paths(), [])
  log.append([group('a')], 2)
  log.append([group('b')], 2)
  log.append(cutAt(group('c'), recordHeaderBytes, 60), 2)
  const path = `${logFolder}/0000000001048576.log`
  t.same(files.paths(), [path])
  t.same(
    files.journal.filter((line) => line.startsWith('write')),
    [`writev ${path}`, `write ${path}`, `writev ${path}`],
  )
  const { state, groups } = readGroups(files)
  t.same([...groups.keys()], [first, first + 1, first + 2])
  t.ok(groups.get(first + 2)?.equals(group('c').subarray(recordHeaderBytes)))
  t.equal(state.lastVersion, 7)
  t.equal(log.stats().groups, 3)
  t.equal(log.stats().segmentBytes, files.contentOf(path).length)
  t.equal(log.writtenBytes, files.contentOf(path).length)
  await log.close()
})

t.test('a sealed file is followed by a new one that knows it', async (t) => {
  const files = new MemoryFiles()
  const log = openLog(files)
  t.equal(log.seal(), undefined)
  log.append([group('a')], 2)
  log.append([group('b')], 2)
  const sealed = log.seal()
  t.match(sealed, { firstGroup: first, lastGroup: first + 1 })
  t.equal(sealed?.bytes, files.contentOf(sealed?.path ?? '').length)
  t.equal(log.seal(), undefined)
  log.append([group('c')], 2)
  t.equal(files.paths().length, 2)
  const { state } = readGroups(files)
  t.same(state.segments[0], sealed)
  t.equal(state.lastGroup, first + 2)
  await log.close()
  t.equal(files.openFiles, 0)
})

t.test('a discarded file goes, and its loss is no gap', async (t) => {
  const files = new MemoryFiles()
  const log = openLog(files)
  log.append([group('a')], 2)
  const sealed = log.seal()
  log.append([group('b')], 2)
  const bytes = log.stats().segmentBytes
  if (sealed !== undefined) log.discard(sealed)
  t.equal(log.stats().segmentBytes, bytes - (sealed?.bytes ?? 0))
  await log.close()
  t.equal(files.paths().length, 1)
  t.match(readGroups(files, first).state, { lastGroup: first + 1, damage: undefined })
})

t.test('a file that cannot be removed is left to the next start', async (t) => {
  const files = new FaultyFiles(new MemoryFiles())
  const log = openLog(files)
  log.append([group('a')], 2)
  const sealed = log.seal()
  files.failAt('unlink', 1, 'EIO')
  if (sealed !== undefined) log.discard(sealed)
  await log.close()
  t.same(readGroups(files, first).state.removable, [sealed?.path])
})

t.test('a write that takes part of its bytes is gone on with, wherever it stops', async (t) => {
  const whole = new MemoryFiles()
  const record = group('some value')
  const random = { bytes: () => Uint8Array.of(1, 2, 3, 4) }
  const log = openLog(whole, { random })
  log.append([record.slice()], 2)
  log.append([record.slice()], 2)
  const expected = whole.contentOf(whole.paths()[0] ?? '')
  for (let short = 1; short < segmentHeaderBytes + record.length; short++) {
    const files = new MemoryFiles()
    const faulty = new FaultyFiles(files)
    const shortened = openLog(faulty, { random })
    faulty.shorten(short, 1, 3)
    shortened.append(cutAt(record, recordHeaderBytes, recordHeaderBytes + 20), 2)
    faulty.shorten(Math.min(short, record.length - 1), 2)
    shortened.append([record.slice()], 2)
    t.ok(files.contentOf(files.paths()[0] ?? '').equals(expected), `short after ${short}`)
  }
})

t.test('a record of more pieces than one call takes is written by several', async (t) => {
  const files = new MemoryFiles()
  const log = openLog(files)
  const changes = Array.from({ length: 2 * logWritePiecesMax }, (_, i) => ({ key: `key ${i}` }))
  const record = groupOf(...changes)
  const places = changes.map((_, i) => recordHeaderBytes + 5 * i)
  log.append(cutAt(record, ...places), changes.length)
  const { groups } = readGroups(files)
  t.ok(groups.get(first)?.equals(record.subarray(recordHeaderBytes)))
})

t.test('a write that fails leaves no trace, and the log goes on', async (t) => {
  for (const [code, expected] of [
    ['ENOSPC', noSpace],
    ['EDQUOT', noSpace],
    ['EFBIG', noSpace],
    ['EIO', failed],
  ] as const) {
    for (const before of [0, 1, 2]) {
      for (const short of [undefined, 1, 40]) {
        const files = new MemoryFiles()
        const faulty = new FaultyFiles(files)
        const log = openLog(faulty)
        for (let i = 0; i < before; i++) log.append([group(`before ${i}`)], 2)
        const bytes = files.paths().map((path) => files.contentOf(path))
        if (short !== undefined) faulty.shorten(short)
        const nth = short === undefined ? 1 : 2
        faulty.failAt('write', nth, code)
        faulty.failAt('writev', nth, code)
        t.throws(() => log.append(cutAt(group('lost'), 40, 44), 2), expected)
        t.same(
          files.paths().map((path) => files.contentOf(path)),
          before === 0 ? [Buffer.alloc(0)] : bytes,
          `${code}, ${before} before, ${short}`,
        )
        t.equal(log.refusing, undefined)
        faulty.heal()
        t.equal(log.append([group('after')], 2), first + before)
        t.equal(readGroups(files).state.lastGroup, first + before)
        t.equal(readGroups(files).state.torn, undefined)
      }
    }
  }
})

t.test('a write that takes nothing more fails instead of trying for ever', async (t) => {
  const files = new FaultyFiles(new MemoryFiles())
  const log = openLog(files)
  log.append([group('a')], 2)
  files.shorten(0)
  t.throws(() => log.append([group('b')], 2), failed)
  t.equal(log.append([group('c')], 2), first + 1)
})

t.test('a file that cannot be made fails its group alone', async (t) => {
  for (const [code, expected] of [
    ['ENOSPC', noSpace],
    ['EMFILE', failed],
  ] as const) {
    const files = new FaultyFiles(new MemoryFiles())
    const log = openLog(files)
    log.append([group('a')], 2)
    log.seal()
    files.failAt('create', 1, code)
    t.throws(() => log.append([group('b')], 2), expected)
    t.equal(log.append([group('c')], 2), first + 1)
    t.equal(readGroups(files).groups.size, 2)
  }
})

t.test('a failed write that cannot be cut off stops the log for good', async (t) => {
  const files = new MemoryFiles()
  const faulty = new FaultyFiles(files)
  const log = openLog(faulty)
  log.append([group('a')], 2)
  faulty.shorten(50)
  faulty.failAt('write', 2, 'ENOSPC')
  faulty.failAt('truncate', 1, 'EIO')
  t.throws(() => log.append([group('b')], 2), failed)
  t.match(log.refusing, /could not be undone.*EIO/)
  t.throws(() => log.append([group('c')], 2), { ...failed, message: log.refusing })
  t.match(log.seal(), { lastGroup: first })
  await log.close()
  const { state, groups } = readGroups(files)
  t.same([...groups.keys()], [first])
  t.equal(state.torn?.bytes, 50)
})

t.test('a folder that cannot be made is told in one line', async (t) => {
  const files = new FaultyFiles(new MemoryFiles())
  files.failAt('makeFolder', 1, 'EACCES')
  t.throws(() => openLog(files), { ...failed, message: /\/data\/log: EACCES/ })
})

t.test('a closed log takes nothing, and leaves no empty file', async (t) => {
  const files = new MemoryFiles()
  const faulty = new FaultyFiles(files)
  const log = openLog(faulty)
  faulty.failAt('writev', 1, 'ENOSPC')
  t.throws(() => log.append([group('a')], 2), noSpace)
  t.equal(files.paths().length, 1)
  await log.close()
  await log.close()
  t.same(files.paths(), [])
  t.equal(files.openFiles, 0)
  t.throws(() => log.append([group('b')], 2), { code: codes.ShutdownInProgress.code })
  await turn()
})
