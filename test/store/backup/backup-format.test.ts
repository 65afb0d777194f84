// The file of a backup: whatever is flipped, missing, swapped or too much in it is found.

import t from 'tap'
import { type Bytes, concatBytes } from '../../../src/base/bytes/bytes.js'
import { fail, GatewayError } from '../../../src/base/errors.js'
import {
  Block,
  backupFormat,
  encodeFailure,
  encodeHead,
  encodeTail,
  nextBlocksCrc,
  preludeBytes,
} from '../../../src/store/backup/backup-format.js'
import { BackupReader } from '../../../src/store/backup/backup-reader.js'
import { runs } from '../../support/runs.js'
import { seededRandom } from '../../support/seeded-random.js'

const head = {
  tablesFormat: 2,
  applied: { group: 2 ** 40 + 3, version: 2 ** 50 + 1 },
  time: 1_700_000_000_000,
  pairs: 9,
  sigil: '0.1.0',
}

/** Three blocks of three pairs, as pieces: head, blocks, tail. */
function sections(): Bytes[] {
  const made: Bytes[] = [encodeHead(head)]
  const seen = { blocks: 0, blocksCrc: 0, pairs: 0, bytes: 0 }
  for (let number = 0; number < 3; number++) {
    const block = new Block(number)
    for (let pair = 0; pair < 3; pair++) {
      block.add(Uint8Array.of(2, number, pair), new Uint8Array(10 * pair).fill(number))
    }
    const { section, crc } = block.close()
    made.push(Uint8Array.from(section))
    seen.blocks++
    seen.blocksCrc = nextBlocksCrc(seen.blocksCrc, crc)
    seen.pairs += block.pairs
    seen.bytes += block.bytes
  }
  return [...made, encodeTail(seen)]
}

const whole = concatBytes(...sections())

/** The error that reading ends with; undefined for a sound file. */
function errorOf(file: Bytes, pieceBytes = file.length): GatewayError | undefined {
  const reader = new BackupReader()
  try {
    for (let at = 0; at < file.length; at += pieceBytes) {
      reader.push(file.subarray(at, at + pieceBytes))
    }
    reader.finish()
    return undefined
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
}

t.test('a backup is read the same in pieces of any size', async (t) => {
  for (let pieceBytes = 1; pieceBytes <= whole.length; pieceBytes++) {
    const keys: string[] = []
    const counts: number[] = []
    const reader = new BackupReader({
      head: (found) => t.strictSame(found, head),
      pair: (key, value) => keys.push(`${key.join()}:${value.length}`),
      progress: (pairs) => counts.push(pairs),
    })
    for (let at = 0; at < whole.length; at += pieceBytes) {
      reader.push(whole.subarray(at, at + pieceBytes))
    }
    const tail = reader.finish()
    if (tail.pairs !== 9 || tail.blocks !== 3 || tail.bytes !== 9 * 3 + 90) t.fail(`${pieceBytes}`)
    if (keys.length !== 9 || keys[5] !== '2,1,2:20') t.fail(`${pieceBytes}: ${keys}`)
    if (counts.join() !== '3,6,9') t.fail(`${pieceBytes}: ${counts}`)
  }
})

t.test('every flipped bit is found, and its place is named', async (t) => {
  for (let bit = 0; bit < 8 * whole.length; bit++) {
    const file = Uint8Array.from(whole)
    file[bit >>> 3] = (file[bit >>> 3] ?? 0) ^ (1 << (bit & 7))
    const error = errorOf(file)
    if (error === undefined) t.fail(`bit ${bit}`)
    const isPrelude = bit < 8 * preludeBytes
    const kind = isPrelude ? 'OperationFailed' : 'ChecksumMismatch'
    if (error?.kind !== kind) t.fail(`bit ${bit}: ${error}`)
    const at = Number(/at byte (\d+)/.exec(error?.message ?? '')?.[1] ?? 0)
    if (at > bit >>> 3) t.fail(`bit ${bit}: ${error?.message}`)
  }
})

t.test('several damaged bytes at random places are found', async (t) => {
  const seed = 20_261_121
  const next = seededRandom(seed)
  for (let round = 0; round < runs(2_000); round++) {
    const file = Uint8Array.from(whole)
    for (let count = 1 + Math.floor(next() * 8); count > 0; count--) {
      const at = Math.floor(next() * file.length)
      file[at] = (file[at] ?? 0) ^ (1 + Math.floor(next() * 255))
    }
    if (Buffer.compare(file, whole) === 0) continue
    if (errorOf(file, 1 + Math.floor(next() * 100)) === undefined) t.fail(`seed ${seed}: ${round}`)
  }
})

t.test('a backup that is cut anywhere is not whole', async (t) => {
  for (let length = 0; length < whole.length; length++) {
    const error = errorOf(whole.subarray(0, length), 7)
    if (error === undefined) t.fail(`${length}`)
    if (length >= preludeBytes && !error?.message.includes(`ends at byte ${length}`)) {
      t.fail(`${length}: ${error}`)
    }
  }
  t.match(errorOf(new Uint8Array(0)), { message: 'this is no backup of Sigil' })
})

t.test('sections that are missing, swapped, repeated or too many are found', async (t) => {
  const [first, a, b, c, last] = sections() as [Bytes, Bytes, Bytes, Bytes, Bytes]
  const cases: [string, Bytes[], RegExp][] = [
    ['missing block', [first, a, c, last], /block 2 follows 1 others/],
    ['swapped blocks', [first, b, a, c, last], /block 1 follows 0 others/],
    ['repeated block', [first, a, a, b, c, last], /block 0 follows 1 others/],
    ['last block missing', [first, a, b, last], /its end does not agree/],
    ['no block', [first, last], /its end does not agree/],
    ['repeated head', [first, first.subarray(preludeBytes), a, b, c, last], /does not belong/],
    ['no head', [first.subarray(0, preludeBytes), a, b, c, last], /does not belong/],
    ['more after the end', [first, a, b, c, last, Uint8Array.of(0)], /something follows/],
    ['twice', [whole, whole], /something follows/],
  ]
  for (const [name, parts, text] of cases) {
    for (const pieceBytes of [1, 1_000_000]) {
      t.match(errorOf(concatBytes(...parts), pieceBytes), { message: text }, name)
    }
  }
})

t.test('a block of another backup is found', async (t) => {
  const parts = sections()
  const strange = new Block(1)
  strange.add(Uint8Array.of(2, 1, 0), new Uint8Array(30))
  parts[2] = strange.close().section
  t.match(errorOf(concatBytes(...parts)), { message: /its end does not agree/ })
})

t.test('a format that this version does not know is said to be one', async (t) => {
  const file = Buffer.from(whole)
  file.writeUInt32LE(backupFormat + 1, 8)
  t.match(errorOf(file), { code: 96, message: /format 2; this version reads format 1/ })
  t.match(errorOf(Buffer.from('PK\x03\x04 something else')), { message: /no backup of Sigil/ })
})

t.test('a failure that the server sends is thrown as it was there', async (t) => {
  const [first, a] = sections() as [Bytes, Bytes]
  const sent = encodeFailure(fail('ChecksumMismatch', 'a stored record is damaged'))
  const error = errorOf(concatBytes(first, a, sent))
  t.match(error, { kind: 'ChecksumMismatch', message: 'a stored record is damaged' })
})
