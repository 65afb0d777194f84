// What the page reads from a backup while it comes, in pieces of any size, against the server's own
// writer of the format.

import t from 'tap'
import { fail, toGatewayError } from '../../../src/base/errors.js'
import { encodeFailure, encodeHead, encodeTail } from '../../../src/store/backup/backup-format.js'
import { BackupFile } from '../../../src/studio/lib/backup-file.js'

const head = encodeHead({
  ...{ tablesFormat: 1, applied: { group: 1, version: 2 }, time: 3, pairs: 7 },
  sigil: '0.1.0',
})
const tail = encodeTail({ blocks: 1, blocksCrc: 0, pairs: 7, bytes: 9 })

/** A section DATA with a body that is longer than what is kept of it. */
function block(pairs: number): Uint8Array {
  const section = Buffer.alloc(12 + 8 + 3_000)
  section.write('DATA', 4)
  section.writeUInt32LE(section.length - 12, 8)
  section.writeUInt32LE(pairs, 16)
  return section
}

function read(parts: readonly Uint8Array[], step: number): BackupFile {
  const whole = Buffer.concat(parts)
  const file = new BackupFile()
  for (let at = 0; at < whole.length; at += step) file.take(whole.subarray(at, at + step))
  return file
}

const expected = { pairs: 7, pairsTaken: 7, isWhole: true, failure: '' }

t.test('records are counted, and the tail makes it whole', async (t) => {
  for (const step of [1, 5, 12, 1_000, 100_000]) {
    const { pairs, pairsTaken, isWhole, failure } = read([head, block(3), block(4), tail], step)
    t.same({ pairs, pairsTaken, isWhole, failure }, expected, `pieces of ${step}`)
  }
})

t.test('a file that breaks off is not whole, and an error is told', async (t) => {
  t.notOk(read([head, block(3), tail.subarray(0, 20)], 1_000).isWhole)
  const failure = encodeFailure(toGatewayError(fail('InternalError', 'a page is damaged')))
  const file = read([head, block(3), failure], 7)
  t.notOk(file.isWhole)
  t.equal(file.failure, 'a page is damaged')
})
