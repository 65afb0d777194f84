// What the reader says of whole files: missing, foreign, forged; and that a start after a crash at
// any point finds the same log.

import { dirname } from 'node:path'
import t from 'tap'
import { type Bytes, concatBytes, utf8 } from '../../../src/base/bytes/bytes.js'
import { codes } from '../../../src/base/errors.js'
import { logGroupsPerStart } from '../../../src/store/log/log.js'
import { cutLog, type LogState, readLog } from '../../../src/store/log/log-reader.js'
import {
  fillRecordHeader,
  recordHeaderBytes,
  segmentHeaderBytes,
  segmentName,
} from '../../../src/store/log/log-record.js'
import { FaultyFiles } from '../../support/faulty-files.js'
import { groupOf, logFolder, openLog, readGroups, turn } from '../../support/log-room.js'
import { type SampleGroup, sampleLog } from '../../support/log-sample.js'
import { MemoryFiles } from '../../support/memory-files.js'

const failed = { code: codes.OperationFailed.code }
const sample = await sampleLog()
const at = (i: number): SampleGroup => sample.groups[i] as SampleGroup
const pathOf = (segment: number): string => sample.paths[segment] as string

t.test('no folder and an empty one are an empty log', async (t) => {
  const expected: LogState = {
    segments: [],
    lastGroup: 5,
    highestGroup: 5,
    lastVersion: 0,
    removable: [],
  }
  t.same(readLog(new MemoryFiles(), logFolder, 5), expected)
  const files = new FaultyFiles(new MemoryFiles())
  files.failAt('list', 1, 'ENOENT')
  t.same(readLog(files, logFolder, 5), expected)
})

t.test('groups above the applied one are visited in order, across sessions', async (t) => {
  const { state, groups } = readGroups(sample.files, at(5).group)
  t.same(
    [...groups.keys()],
    sample.groups.slice(6).map(({ group }) => group),
  )
  t.same(state.removable, [pathOf(0)])
  t.same(
    state.segments.map(({ path, lastGroup }) => ({ path, lastGroup })),
    [
      { path: pathOf(1), lastGroup: at(7).group },
      { path: pathOf(2), lastGroup: at(11).group },
    ],
  )
  t.equal(state.lastVersion, 9)
  t.equal(state.lastGroup, at(11).group)
})

t.test('names that are no segments are left alone', async (t) => {
  const files = sample.files.copy()
  for (const name of ['lost+found', '1.log', '0000000001048576.log.old']) {
    files.setContent(`${logFolder}/${name}`, utf8('x'))
  }
  const { state } = readGroups(files)
  t.equal(state.segments.length, 3)
  t.same(state.removable, [])
})

t.test('a missing file below a mark is damage, unless the tables hold it', async (t) => {
  for (const missing of [0, 1]) {
    const files = sample.files.copy()
    files.remove(pathOf(missing))
    const { state } = readGroups(files)
    t.match(state.damage, { group: missing === 0 ? 1 : at(4).group, text: /missing/ })
    t.match(state.damage?.path, missing === 0 ? pathOf(1) : pathOf(0))
    t.equal(
      readGroups(files, at(4 * missing + 2).group).state.damage?.group,
      at(4 * missing + 3).group,
    )
    t.equal(readGroups(files, at(4 * missing + 3).group).state.damage, undefined)
  }
})

t.test('a missing file above every mark ends the log', async (t) => {
  const files = new MemoryFiles()
  const log = openLog(files)
  for (const key of ['a', 'b', 'c']) {
    log.append([groupOf({ key })], 1)
    log.seal()
  }
  const [first = '', second = '', third = ''] = files.paths()
  const bytes = files.contentOf(third).length
  files.remove(second)
  const { state, groups } = readGroups(files)
  t.same([...groups.keys()], [logGroupsPerStart])
  t.same(state.torn, { path: first, at: files.contentOf(first).length, bytes })
  t.equal(state.highestGroup, logGroupsPerStart + 2)
  cutLog(files, logFolder, state)
  t.same(files.paths(), [first])
  t.equal(readGroups(files).state.torn, undefined)
})

t.test('a number of a lost tail is never given out again', async (t) => {
  const files = sample.files.copy()
  files.setContent(pathOf(1), files.contentOf(pathOf(1)).subarray(0, at(6).at))
  const marks = files.contentOf(pathOf(2))
  files.setContent(pathOf(2), marks.subarray(0, 40))
  const { state } = readGroups(files)
  t.equal(state.lastGroup, at(5).group)
  t.equal(state.highestGroup, at(8).group, 'the name of the file tells')
  cutLog(files, logFolder, state)
  const log = openLog(files, {
    after: { group: state.lastGroup, highestGroup: state.highestGroup },
  })
  t.ok(log.append([groupOf({ key: 'k' })], 1) > at(11).group)
})

t.test('another format, and a file under another name, are refused', async (t) => {
  const format = sample.files.copy()
  const bytes = format.contentOf(pathOf(2))
  bytes.writeUInt32LE(2, 8)
  format.setContent(pathOf(2), bytes)
  t.match(readGroups(format).state.damage, {
    path: pathOf(2),
    at: 0,
    group: at(8).group,
    text: /has format 2, and this version reads format 1$/,
  })
  const renamed = sample.files.copy()
  renamed.setContent(`${logFolder}/${segmentName(at(11).group + 5)}`, bytes)
  renamed.remove(pathOf(2))
  t.match(readGroups(renamed).state.damage?.text, /has format 2/)
  bytes.writeUInt32LE(1, 8)
  renamed.setContent(`${logFolder}/${segmentName(at(11).group + 5)}`, bytes)
  t.match(readGroups(renamed).state.damage?.text, /is the segment of group/)
})

t.test('a copy of an older file between the others is refused', async (t) => {
  const files = sample.files.copy()
  files.setContent(pathOf(1), files.contentOf(pathOf(2)))
  t.match(readGroups(files).state.damage?.text, /is the segment of group/)
})

/** A record as a client may write it into a value: all is right but the salt. */
function forged(group: number, synced: number): Bytes {
  const record = groupOf({ key: 'stolen' })
  fillRecordHeader([record], record.length - recordHeaderBytes, 1, group, synced, 0x12345678)
  return record
}

t.test('a value that looks like a record is never taken for one', async (t) => {
  const files = new MemoryFiles()
  const log = openLog(files, { after: { group: 9 } })
  log.append([groupOf({ key: 'a', value: 'b' })], 1)
  const next = log.lastGroup + 1
  const records = [1, 2, 3].map((i) => forged(next + i, next + i - 1))
  log.append([groupOf({ key: 'k', value: concatBytes(...records) })], 1)
  const path = files.paths()[0] ?? ''
  const whole = files.contentOf(path)
  t.equal(readGroups(files, 9).groups.size, 2)
  for (const cut of [whole.length - 1, whole.length - 10]) {
    files.setContent(path, whole.subarray(0, cut))
    const { state, groups } = readGroups(files, 9)
    t.equal(groups.size, 1)
    t.equal(state.damage, undefined, 'a torn tail is no damage')
    t.equal(state.lastGroup, next - 1)
    t.equal(state.highestGroup, next - 1)
  }
})

t.test('a sound record whose changes are malformed is not served', async (t) => {
  for (const spoil of [
    (record: Bytes) => record.fill(7, 32, 33),
    (record: Bytes) => record.fill(9, 33, 34),
    (record: Bytes) => record.fill(1, 37, 38),
  ]) {
    const files = new MemoryFiles()
    const log = openLog(files)
    const record = groupOf({ key: 'a', value: 'b' })
    spoil(record)
    log.append([record], 1)
    t.equal(readGroups(files).groups.size, 0)
  }
  const files = new MemoryFiles()
  openLog(files).append([groupOf({ key: 'a' })], 2)
  t.equal(readGroups(files).groups.size, 0, 'nor one with another number of changes')
})

t.test('an unreadable file is told in one line', async (t) => {
  for (const call of ['list', 'open', 'size', 'read'] as const) {
    const files = new FaultyFiles(sample.files.copy())
    files.failAt(call, 1, 'EIO')
    t.throws(() => readLog(files, logFolder, 0), {
      ...failed,
      message: /^cannot read the log.*EIO/,
    })
  }
})

t.test('an error of the visitor is its own', async (t) => {
  const visit = () => {
    throw new RangeError('mine')
  }
  t.throws(() => readLog(sample.files, logFolder, 0, visit), RangeError)
})

/** Cut in the middle of its second file's third group; nothing says that this was on the disk. */
async function unsyncedLog(): Promise<MemoryFiles> {
  const files = new MemoryFiles()
  const log = openLog(files)
  for (let segment = 0; segment < 4; segment++) {
    for (let i = 0; i < 3; i++) log.append([groupOf({ key: `key ${i}`, value: 'v' })], 1)
    log.seal()
  }
  await turn()
  const torn = files.paths()[1] ?? ''
  const bytes = files.contentOf(torn)
  files.setContent(torn, bytes.fill(0, bytes.length - 20))
  return files
}

t.test('a cut keeps what is before it, syncs it, and removes what is behind', async (t) => {
  const files = await unsyncedLog()
  const [first = '', second = '', third = '', fourth = ''] = files.paths()
  const record = (files.contentOf(first).length - segmentHeaderBytes) / 3
  const { state } = readGroups(files)
  t.equal(state.torn?.at, segmentHeaderBytes + 2 * record)
  files.journal.length = 0
  const openBefore = files.openFiles
  cutLog(files, logFolder, state)
  t.same(files.journal, [
    `unlink ${fourth}`,
    `unlink ${third}`,
    `datasync ${first}`,
    `truncate ${second}`,
    `datasync ${second}`,
    `syncFolder ${logFolder}`,
    `syncFolder ${dirname(logFolder)}`,
  ])
  t.equal(files.openFiles, openBefore)
  const again = readGroups(files)
  const { torn, ...whole } = state
  t.equal(torn?.path, second)
  t.same(again.state, { ...whole, removable: [], highestGroup: state.lastGroup })
})

t.test('a cut that fails anywhere is told, and made good by the next start', async (t) => {
  const expected = [...readGroups(await unsyncedLog()).groups.keys()]
  for (const call of [
    'unlinkSync',
    'open',
    'truncate',
    'datasyncSync',
    'syncFolderSync',
  ] as const) {
    for (const nth of [1, 2]) {
      const files = new FaultyFiles(await unsyncedLog())
      const { state } = readGroups(files)
      files.failAt(call, nth, 'EIO')
      const fails = nth === 1 || ['unlinkSync', 'open', 'datasyncSync'].includes(call)
      if (fails) {
        const message = /^cannot cut the log.*EIO/
        t.throws(() => cutLog(files, logFolder, state), { ...failed, message })
      }
      files.heal()
      const next = readGroups(files)
      t.same([...next.groups.keys()], expected, `${call} ${nth}`)
      cutLog(files, logFolder, next.state)
      t.same([...readGroups(files).groups.keys()], expected)
    }
  }
})

t.test('a damaged log is never cut', async (t) => {
  const files = sample.files.copy()
  files.remove(pathOf(1))
  const { state } = readGroups(files)
  t.throws(() => cutLog(files, logFolder, state), /damaged log is not cut/)
})
