// Stores out of backups: the same pairs, or nothing at all and the reason.

import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type Bytes, concatBytes, equalBytes } from '../../../src/base/bytes/bytes.js'
import { fail } from '../../../src/base/errors.js'
import {
  Block,
  encodeFailure,
  encodeHead,
  encodeTail,
  nextBlocksCrc,
} from '../../../src/store/backup/backup-format.js'
import { restoreStore } from '../../../src/store/backup/restore.js'
import { idKey, keyClass } from '../../../src/store/layout.js'
import { openEnvironment, readApplied } from '../../../src/store/tables/lmdb-environment.js'
import {
  applied,
  backupsOf,
  fileOf,
  makeTables,
  type Pair,
  piecesOf,
  somePairs,
  stored,
} from '../../support/backups.js'
import { runs } from '../../support/runs.js'
import { seededRandom } from '../../support/seeded-random.js'
import { temporaryFolder } from '../../support/stores.js'

async function backupOf(t: Test, pairs: readonly Pair[]): Promise<Bytes> {
  const folder = join(await temporaryFolder(t), 'source')
  makeTables(t, folder, pairs)
  return fileOf(await backupsOf(t, folder).start())
}

/** A file of one block, whatever its pairs. */
function fileWith(pairs: readonly Pair[], tablesFormat = 2): Bytes {
  const block = new Block(0)
  for (const { key, value } of pairs) block.add(key, value)
  const { section, crc } = block.close()
  const head = { tablesFormat, applied, time: 0, pairs: pairs.length, sigil: '9.9.9' }
  const blocksCrc = nextBlocksCrc(0, crc)
  const tail = { blocks: 1, blocksCrc, pairs: block.pairs, bytes: block.bytes }
  return concatBytes(encodeHead(head), section, encodeTail(tail))
}

async function holds(folder: string, pairs: readonly Pair[]): Promise<boolean> {
  const environment = openEnvironment(folder)
  try {
    let at = 0
    for (const { key, value } of environment.getRange({ start: Uint8Array.of(1) })) {
      const pair = pairs[at++]
      if (pair === undefined) return false
      if (!equalBytes(pair.key, key) || !equalBytes(pair.value, value)) return false
    }
    const { group, version } = readApplied(environment)
    return at === pairs.length && group === applied.group && version === applied.version
  } finally {
    await environment.close()
  }
}

t.test('a restored store holds the pairs of the backup, and nothing lies beside it', async (t) => {
  const pairs = somePairs(20_000, 400)
  const file = await backupOf(t, pairs)
  const room = await temporaryFolder(t)
  for (const name of ['absent', 'empty', 'deeper/absent']) {
    const folder = join(room, name)
    if (name === 'empty') mkdirSync(folder)
    const told: number[] = []
    const progress = (bytes: number) => told.push(bytes)
    const restored = await restoreStore({ folder, pieces: piecesOf(file), progress })
    t.match(restored, { pairs: pairs.length, head: { applied, sigil: '1.2.3' } })
    t.equal(told.at(-1), file.length)
    t.strictSame(readdirSync(folder), ['data.mdb'])
    t.equal(statSync(join(folder, 'data.mdb')).mode & 0o777, 0o600)
    t.ok(await holds(folder, pairs), name)
  }
  t.strictSame(readdirSync(room).sort(), ['absent', 'deeper', 'empty'])
})

t.test('a folder on another disk is filled from within', async (t) => {
  const other = '/dev/shm'
  const room = await temporaryFolder(t)
  if (!existsSync(other) || statSync(other).dev === statSync(room).dev) {
    t.pass('this machine has no other disk')
    return
  }
  const there = await mkdtemp(join(other, 'sigil-test-'))
  t.teardown(() => rm(there, { recursive: true, force: true }))
  mkdirSync(join(there, 'lost+found'))
  mkdirSync(join(there, 'restoring'))
  symlinkSync(there, join(room, 'data'))
  const pairs = somePairs(100, 400)
  const file = await backupOf(t, pairs)
  await restoreStore({ folder: join(room, 'data'), pieces: piecesOf(file) })
  t.strictSame(readdirSync(room), ['data'])
  t.strictSame(readdirSync(there).sort(), ['data.mdb', 'lost+found'])
  t.ok(await holds(there, pairs))
})

t.test('a folder with anything in it is refused and left alone', async (t) => {
  const file = await backupOf(t, somePairs(10, 10))
  const folder = await temporaryFolder(t)
  const restore = () => restoreStore({ folder, pieces: piecesOf(file) })
  writeFileSync(join(folder, 'notes.txt'), 'mine')
  await t.rejects(restore(), { code: 96, message: /is not empty \(notes.txt\)/ })
  t.strictSame(readdirSync(folder), ['notes.txt'])
  const inFile = restoreStore({ folder: join(folder, 'notes.txt'), pieces: piecesOf(file) })
  await t.rejects(inFile, { code: 96, message: /is not a folder/ })
  const within = join(folder, 'notes.txt', 'data')
  const unmade = restoreStore({ folder: within, pieces: piecesOf(file) })
  await t.rejects(unmade, { code: 96, message: /cannot make the folder/ })
})

t.test('a store that appears meanwhile is not replaced', async (t) => {
  const file = await backupOf(t, somePairs(10, 10))
  const room = await temporaryFolder(t)
  const folder = join(room, 'data')
  const late = async function* () {
    yield* piecesOf(file)
    makeTables(t, folder, somePairs(3, 3))
  }
  await t.rejects(restoreStore({ folder, pieces: late() }), { code: 96 })
  t.strictSame(readdirSync(room), ['data'])
  t.ok(await holds(folder, somePairs(3, 3)))
})

t.test('two restores into one folder do not meet', async (t) => {
  const pairs = somePairs(1_000, 100)
  const file = await backupOf(t, pairs)
  const room = await temporaryFolder(t)
  const folder = join(room, 'data')
  let refused: Promise<unknown> | undefined
  const pieces = async function* () {
    refused = t.rejects(restoreStore({ folder, pieces: piecesOf(file) }), { message: /in use/ })
    await refused
    yield* piecesOf(file)
  }
  await restoreStore({ folder, pieces: pieces() })
  t.ok(refused !== undefined)
  t.ok(await holds(folder, pairs))
})

t.test('what a killed restore left beside the folder goes', async (t) => {
  const pairs = somePairs(1_000, 100)
  const file = await backupOf(t, pairs)
  const room = await temporaryFolder(t)
  const left = makeTables(t, join(room, 'data.restoring'), somePairs(50, 50, 9))
  await left.close()
  await restoreStore({ folder: join(room, 'data'), pieces: piecesOf(file) })
  t.strictSame(readdirSync(room), ['data'])
  t.ok(await holds(join(room, 'data'), pairs))
})

t.test('flipped bits at random places are named, and leave nothing behind', async (t) => {
  const file = await backupOf(t, somePairs(6_000, 1_000))
  const room = await temporaryFolder(t)
  const seed = 20_261_122
  const next = seededRandom(seed)
  for (let round = 0; round < runs(20); round++) {
    const at = Math.floor(next() * file.length)
    const damaged = Uint8Array.from(file)
    damaged[at] = (damaged[at] ?? 0) ^ (1 << Math.floor(next() * 8))
    const restore = restoreStore({ folder: join(room, 'data'), pieces: piecesOf(damaged) })
    await t.rejects(restore, { message: /damaged at byte \d+|not whole|no backup|format/ }, `${at}`)
    t.strictSame(readdirSync(room), [], `seed ${seed}, byte ${at}`)
  }
})

t.test('a cut backup, and one whose server failed, leave nothing behind', async (t) => {
  const file = await backupOf(t, somePairs(6_000, 1_000))
  const room = await temporaryFolder(t)
  const restore = (given: Bytes) =>
    restoreStore({ folder: join(room, 'data'), pieces: piecesOf(given) })
  for (const length of [0, 5, 60, file.length >>> 1, file.length - 1]) {
    await t.rejects(restore(file.subarray(0, length)), { message: /not whole|no backup/ })
    t.strictSame(readdirSync(room), [])
  }
  const failure = encodeFailure(fail('OutOfDiskSpace', 'the disk is full'))
  const broken = concatBytes(encodeHead({ ...fileHead, pairs: 3 }), failure)
  await t.rejects(restore(broken), { code: 14031, message: 'the disk is full' })
  const torn = async function* () {
    yield file.subarray(0, 2_000_000)
    throw new Error('the medium is gone')
  }
  const read = restoreStore({ folder: join(room, 'data'), pieces: torn() })
  await t.rejects(read, { message: /cannot restore into .*: the medium is gone/ })
  t.strictSame(readdirSync(room), [])
})

const fileHead = { tablesFormat: 2, applied, time: 0, sigil: '1' }

t.test('pairs that no store would have written are refused, whatever the checksums', async (t) => {
  const room = await temporaryFolder(t)
  const a = stored(idKey(keyClass.record, 1), Uint8Array.of(1))
  const b = stored(idKey(keyClass.record, 2), Uint8Array.of(2))
  const flipped = {
    key: b.key,
    value: Uint8Array.from(b.value, (byte, i) => (i === 12 ? 9 : byte)),
  }
  const own = { key: Uint8Array.of(keyClass.meta, 1), value: Uint8Array.of(1) }
  const cases: [Bytes, RegExp][] = [
    [fileWith([b, a]), /in the backup, keys are out of order at key 0200000001/],
    [fileWith([a, a]), /in the backup, keys are out of order/],
    [fileWith([own, a]), /in the backup, keys are out of order at key 0001/],
    [fileWith([a, flipped]), /in the backup, a stored record is damaged.*0200000002/],
    [fileWith([a, b], 3), /tables of format 3, made by Sigil 9.9.9; this version reads format 2/],
  ]
  for (const [file, message] of cases) {
    const restore = restoreStore({ folder: join(room, 'data'), pieces: piecesOf(file) })
    await t.rejects(restore, { message })
    t.strictSame(readdirSync(room), [])
  }
  await restoreStore({ folder: join(room, 'data'), pieces: piecesOf(fileWith([a, b])) })
  t.ok(await holds(join(room, 'data'), [a, b]))
})
