// When the disk counts as nearly full, and how often it is asked.

import t from 'tap'
import { diskReserveBytesMax } from '../../../src/base/limits/store.js'
import { DiskSpace, diskAskBytes, diskAskMs } from '../../../src/store/tables/disk-space.js'
import { FaultyFiles } from '../../support/faulty-files.js'
import { ManualTime } from '../../support/log-room.js'
import { MemoryFiles } from '../../support/memory-files.js'

const MiB = 2 ** 20

function lowWith(freeBytes: number, totalBytes: number): string | undefined {
  const files = new MemoryFiles()
  files.space = { freeBytes, totalBytes }
  return new DiskSpace({ folder: '/data', files, clock: new ManualTime() }).low()
}

t.test('the reserve is the smaller of a twentieth and a gibibyte', async (t) => {
  t.equal(lowWith(5 * MiB, 100 * MiB), undefined)
  t.match(lowWith(5 * MiB - 1, 100 * MiB), /\/data is nearly full: 4 MiB free, 5 MiB are kept/)
  t.equal(lowWith(diskReserveBytesMax, 2 ** 44), undefined)
  t.match(lowWith(diskReserveBytesMax - 1, 2 ** 44), /nearly full/)
})

t.test('free pages of the tables count, while the log has space', async (t) => {
  const files = new MemoryFiles()
  const low = (freeBytes: number, reusable: () => number) => {
    files.space = { freeBytes, totalBytes: 100 * MiB }
    return new DiskSpace({ folder: '/data', files, clock: new ManualTime(), reusable }).low()
  }
  t.equal(
    low(2.5 * MiB, () => 5 * MiB),
    undefined,
  )
  t.match(
    low(2.5 * MiB, () => 5 * MiB - 1),
    /nearly full/,
  )
  t.match(
    low(2.5 * MiB - 1, () => 50 * MiB),
    /nearly full/,
  )
  const fails = () => {
    throw new Error('the tables cannot be read')
  }
  t.match(low(4 * MiB, fails), /nearly full/)
})

t.test('the disk is asked again after a time, or after some bytes', async (t) => {
  const files = new MemoryFiles()
  const clock = new ManualTime()
  let bytes = 0
  const disk = new DiskSpace({ folder: '/data', files, clock, written: () => bytes })
  t.equal(disk.low(), undefined)
  files.space = { freeBytes: 0, totalBytes: MiB }
  clock.pass(diskAskMs - 1)
  bytes = diskAskBytes - 1
  t.equal(disk.low(), undefined)
  bytes++
  t.match(disk.low(), /nearly full/)
  files.space = { freeBytes: MiB, totalBytes: MiB }
  t.match(disk.low(), /nearly full/)
  clock.pass(diskAskMs)
  t.equal(disk.low(), undefined, 'room again without a restart')
})

t.test('a file system that cannot tell its free space stops no write', async (t) => {
  const files = new FaultyFiles(new MemoryFiles())
  files.failAt('room', 1, 'ENOSYS')
  t.equal(new DiskSpace({ folder: '/data', files, clock: new ManualTime() }).low(), undefined)
})
