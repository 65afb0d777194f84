// The order of freezing, checkpoints and what waits for them, with a checkpointer that does nothing
// until it is told to.

import { join } from 'node:path'
import t, { type Test } from 'tap'
import { systemClock } from '../../src/base/clock.js'
import { fail } from '../../src/base/errors.js'
import { silentLog } from '../../src/base/log.js'
import { Backups } from '../../src/store/backup/backup.js'
import { folderBackups } from '../../src/store/backup/folder-backups.js'
import { Checkpointer } from '../../src/store/checkpoint/checkpointer.js'
import { nodeFiles } from '../../src/store/files.js'
import { claimFolder, dropFolder } from '../../src/store/folder-lock.js'
import { LayeredTables, segmentBytesMax } from '../../src/store/layered-tables.js'
import { keyClass } from '../../src/store/layout.js'
import { SegmentLog } from '../../src/store/log/log.js'
import type { Memtable } from '../../src/store/memtable/memtable.js'
import { DiskSpace } from '../../src/store/tables/disk-space.js'
import { openEnvironment } from '../../src/store/tables/lmdb-environment.js'
import { prepareFormat } from '../../src/store/tables/lmdb-format.js'
import { StoredView } from '../../src/store/tables/stored-view.js'
import type { GroupView } from '../../src/store/tables/tables.js'
import { temporaryFolder } from '../support/stores.js'

const freezeBytes = 3 * 1_024 * 1_024
const key = (tail: number) => Uint8Array.of(keyClass.record, tail)

class HeldCheckpointer extends Checkpointer {
  /** How many calls fail because the disk is full. */
  refusals = 0
  letGo: () => void = () => undefined
  private readonly held = new Promise<void>((resolve) => {
    this.letGo = resolve
  })

  override async apply(...given: Parameters<Checkpointer['apply']>) {
    await this.held
    if (this.refusals-- > 0) throw fail('OutOfDiskSpace', 'no space left')
    return super.apply(...given)
  }
}

async function open(t: Test, messages = silentLog) {
  const folder = await temporaryFolder(t)
  claimFolder(folder)
  const environment = openEnvironment(folder)
  prepareFormat(environment, folder)
  const given = { folder, clock: systemClock, log: silentLog }
  const checkpointer = new HeldCheckpointer(given)
  const tables = new LayeredTables({
    stored: new StoredView(environment),
    log: SegmentLog.open({
      ...{ ...given, folder: join(folder, 'log'), files: nodeFiles, durability: 'none' },
      after: { group: 0, highestGroup: 0 },
    }),
    checkpointer,
    disk: new DiskSpace({ folder, files: nodeFiles, clock: systemClock, written: () => 0 }),
    backups: new Backups({ ...given, worker: folderBackups(folder) }),
    clock: systemClock,
    messages,
    frozen: [],
    lastVersion: 0,
    freezeBytes,
    tablesBytes: () => 0,
    damages: [],
    closed: async () => {
      await environment.close()
      dropFolder(folder)
    },
  })
  t.teardown(() => tables.close())
  const put = (tail: number, length: number) =>
    tables.commit((view) => view.put(key(tail), new Uint8Array(length), tail))
  return { tables, checkpointer, put, stored: new StoredView(environment) }
}

t.test('a rest comes though its memtable could not be frozen, and was written to', async (t) => {
  const { tables, checkpointer, put, stored } = await open(t)
  put(1, freezeBytes)
  put(2, freezeBytes)
  put(3, 1)
  const rested = tables.atRest(async () => {
    stored.renew()
    t.equal(stored.get(key(3))?.length, 1, 'what was committed before is in the tables')
  })
  put(4, 1)
  checkpointer.letGo()
  await rested
  t.equal(tables.stats().log?.checkpoints, 3)
})

t.test(
  'checkpoints that fail again and again are told of once, and when they work again',
  async (t) => {
    const told: unknown[] = []
    const tell = (...line: unknown[]) => void told.push(line[1])
    const messages = Object.assign(Object.create(silentLog), { error: tell, info: tell })
    const { tables, checkpointer, put } = await open(t, messages)
    checkpointer.refusals = 2
    put(1, freezeBytes)
    put(2, 1)
    checkpointer.letGo()
    while (tables.stats().log?.checkpoints === 0) {
      await new Promise((resolve) => {
        setTimeout(resolve, 10)
      })
    }
    t.same(told, ['a checkpoint failed; it is tried again', 'checkpoints work again'])
  },
)

/** Puts what is there with one byte more, where it will lie; answers how many bytes there were. */
function lengthen({ memtable, peekUnder }: InPlaceView, tail: number): number | undefined {
  const bytes = key(tail)
  const under = (valueLength: number) => {
    const write = memtable.beginWrite(bytes.length, valueLength)
    write.bytes.set(bytes, write.keyAt)
    return { write, found: peekUnder(write, (_, start, end) => end - start) }
  }
  const { found } = under(0)
  const { write } = under((found ?? 0) + 1)
  write.bytes.fill(tail, write.valueAt, write.valueAt + write.valueLength)
  memtable.keepWrite(write, tail)
  return found
}

interface InPlaceView {
  readonly memtable: Memtable
  readonly peekUnder: GroupView['peekUnder']
}

t.test('what is written where it lies sees every layer below', async (t) => {
  const { tables, checkpointer, put } = await open(t)
  const found: (number | undefined)[] = []
  const lengthenIn = (...tails: number[]) =>
    tables.commit((view) => {
      const inPlace = { memtable: view.memtable, peekUnder: view.peekUnder.bind(view) }
      for (const tail of tails) found.push(lengthen(inPlace, tail))
    })
  put(1, 10)
  put(2, freezeBytes)
  put(3, 30)
  tables.commit((view) => view.remove(key(4)))
  lengthenIn(1, 3, 4, 5)
  t.strictSame(found.splice(0), [10, 30, undefined, undefined], 'frozen and active ones')
  checkpointer.letGo()
  await tables.atRest(async () => {})
  t.equal(tables.get(key(1))?.length, 11)
  // Read twice, it is kept as a hot value.
  t.equal(tables.get(key(1))?.length, 11)
  lengthenIn(1, 3, 4, 5, 6)
  t.strictSame(found.splice(0), [11, 31, 1, 1, undefined], 'and those in the tables')
  t.equal(tables.get(key(1))?.length, 12)
  for (let i = 0; i < 9; i++) put(7, 70 + i)
  await tables.atRest(async () => {})
  lengthenIn(7, 1)
  t.strictSame(found.splice(0), [78, 12], 'and the memtable that was applied last')
})

t.test('a part of the log is ended by its own bytes where keys are written again', async (t) => {
  const { tables, checkpointer, put } = await open(t)
  checkpointer.letGo()
  const bytes = 100_000
  for (let at = 0; at * bytes < segmentBytesMax; at++) put(1, bytes)
  await tables.atRest(async () => {})
  t.equal(tables.stats().log?.checkpoints, 2, 'one for its bytes, one for the rest')
  t.ok((tables.stats().log?.memtableBytes ?? 0) < freezeBytes)
  t.equal(tables.get(key(1))?.length, bytes)
})

t.test('what was written again and again reads the same behind its checkpoint', async (t) => {
  const { tables, checkpointer, put } = await open(t)
  checkpointer.letGo()
  for (const length of [10, 20]) for (const tail of [1, 2, 3]) put(tail, length)
  tables.commit((view) => view.remove(key(3)))
  await tables.atRest(async () => {})
  /** The length of a value, read under a write that is not kept. */
  const peek = (tail: number) => {
    let length: number | undefined
    tables.commit((view) => {
      const bytes = key(tail)
      const write = view.memtable.beginWrite(bytes.length, 0)
      write.bytes.set(bytes, write.keyAt)
      length = view.peekUnder(write, (_, start, end) => end - start)
    })
    return length
  }
  t.equal(tables.get(key(1))?.length, 20)
  t.equal(peek(1), 20)
  t.equal(tables.get(key(3)), undefined, 'a removed one is gone')
  t.equal(peek(3), undefined)
  t.equal(tables.get(key(4)), undefined)
  put(1, 7)
  t.equal(peek(1), 7, 'what is newer counts')
  // Of keys that are written once nothing is kept: they are read from the tables.
  await tables.atRest(async () => {})
  t.equal(tables.get(key(1))?.length, 7)
  t.equal(peek(2), 20)
})
