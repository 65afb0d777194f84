// Backups of tables that are written to meanwhile: what they hold, who may have one, and what ends
// them.

import { join } from 'node:path'
import t, { type Test } from 'tap'
import { compareBytes, equalBytes } from '../../../src/base/bytes/bytes.js'
import { systemClock } from '../../../src/base/clock.js'
import { type CodeName, fail } from '../../../src/base/errors.js'
import { backupBytesPerSecond, backupRestMsMax } from '../../../src/base/limits/store.js'
import { silentLog } from '../../../src/base/log.js'
import { Pace } from '../../../src/store/backup/backup.js'
import type { BackupHead } from '../../../src/store/backup/backup-format.js'
import { BackupReader } from '../../../src/store/backup/backup-reader.js'
import { TablesDamaged } from '../../../src/store/backup/backup-thread.js'
import { idKey, keyClass } from '../../../src/store/layout.js'
import { openLmdbStore } from '../../../src/store/lmdb.js'
import { openMemoryStore } from '../../../src/store/memory.js'
import {
  applied,
  backupOptions,
  backupsOf,
  fileOf,
  makeTables,
  type Pair,
  piecesOf,
  putPairs,
  somePairs,
  stored,
} from '../../support/backups.js'
import { runs } from '../../support/runs.js'
import { temporaryFolder } from '../../support/stores.js'

async function read(file: Uint8Array): Promise<{ head: BackupHead | undefined; pairs: Pair[] }> {
  const pairs: Pair[] = []
  let head: BackupHead | undefined
  const reader = new BackupReader({
    head: (given) => {
      head = given
    },
    pair: (key, value) => {
      pairs.push({ key: Uint8Array.from(key), value: Uint8Array.from(value) })
    },
  })
  for await (const piece of piecesOf(file)) reader.push(piece)
  reader.finish()
  return { head, pairs }
}

function code(kind: CodeName): { code: number } {
  return { code: fail(kind, '').code }
}

/** Of many pairs only the first difference is worth printing. */
function same(t: Test, found: readonly Pair[], wanted: readonly Pair[]): void {
  t.equal(found.length, wanted.length)
  const differs = found.findIndex(({ key, value }, i) => {
    const other = wanted[i] as Pair
    return !equalBytes(key, other.key) || !equalBytes(value, other.value)
  })
  t.equal(differs, -1, 'no pair differs')
}

t.test('a backup holds every pair of the tables as it lies there', async (t) => {
  const folder = join(await temporaryFolder(t), 'a')
  const pairs = somePairs(20_000, 400)
  makeTables(t, folder, pairs)
  const { start } = backupsOf(t, folder)
  const backup = await start()
  t.equal(backup.pairs, pairs.length)
  const found = await read(await fileOf(backup))
  t.match(found.head, { applied, sigil: '1.2.3', pairs: pairs.length, tablesFormat: 2 })
  t.ok(Math.abs((found.head?.time ?? 0) - systemClock.now()) < 60_000)
  same(t, found.pairs, pairs)
})

t.test(
  'a value that fills several blocks has one of its own; empty tables have none',
  async (t) => {
    const folder = join(await temporaryFolder(t), 'a')
    const environment = makeTables(t, folder, [])
    const { start } = backupsOf(t, folder)
    same(t, (await read(await fileOf(await start()))).pairs, [])
    const pairs = [3_000_000, 5, 1_048_576, 8_000_000, 0].map((length, number) =>
      stored(idKey(keyClass.record, number), new Uint8Array(length).fill(number)),
    )
    putPairs(environment, folder, pairs)
    same(t, (await read(await fileOf(await start()))).pairs, pairs)
  },
)

t.test('a backup is of the state at its start, whatever is written while it is read', async (t) => {
  const folder = join(await temporaryFolder(t), 'a')
  const pairs = somePairs(20_000, 400)
  const environment = makeTables(t, folder, pairs)
  const { start, resting } = backupsOf(t, folder)
  const backup = await start()
  t.equal(resting(), 0, 'the tables are let go once the state is fixed')
  const pieces: Uint8Array[] = []
  let round = 0
  for await (const section of backup) {
    pieces.push(section)
    round++
    const changed = somePairs(400, 400, 1 + round)
    putPairs(environment, folder, changed)
    environment.transactionSync(() => environment.removeSync(pairs[round]?.key ?? new Uint8Array()))
  }
  t.ok(round > 3)
  same(t, (await read(Buffer.concat(pieces))).pairs, pairs)
})

t.test('there is one backup at a time, and another after it', async (t) => {
  const folder = join(await temporaryFolder(t), 'a')
  makeTables(t, folder, somePairs(10_000, 400))
  const { start, backups } = backupsOf(t, folder)
  const first = await start()
  await t.rejects(start(), code('ConflictingOperationInProgress'))
  t.match(backups.stats(), { pairs: 10_000, donePairs: 0, doneBytes: 0 })
  await fileOf(first)
  t.equal(backups.stats(), undefined)
  await fileOf(await start())
})

t.test(
  'leaving a backup, ending it, aborting it or closing the store frees the place',
  async (t) => {
    const folder = join(await temporaryFolder(t), 'a')
    makeTables(t, folder, somePairs(10_000, 400))
    const { start, backups } = backupsOf(t, folder)
    for await (const section of await start()) {
      t.ok(section.length > 0)
      break
    }
    t.equal(backups.stats(), undefined, 'left')
    await (await start()).end()
    t.equal(backups.stats(), undefined, 'ended')
    const abort = new AbortController()
    const aborted = await start({ signal: abort.signal })
    const taken = async () => {
      for await (const _ of aborted) abort.abort()
    }
    await t.rejects(taken(), code('Interrupted'))
    t.equal(backups.stats(), undefined, 'aborted')
    await t.rejects(start({ signal: abort.signal }), code('Interrupted'))
    const closed = await start()
    await backups.close()
    await t.rejects(fileOf(closed), code('ShutdownInProgress'))
  },
)

t.test('a wait for the rate ends with the backup', async (t) => {
  const folder = join(await temporaryFolder(t), 'a')
  makeTables(t, folder, somePairs(10_000, 400))
  const { start } = backupsOf(t, folder)
  const abort = new AbortController()
  const slow = await start({ bytesPerSecond: 1, signal: abort.signal })
  const sections = slow[Symbol.asyncIterator]()
  await sections.next()
  await sections.next()
  const third = sections.next()
  abort.abort()
  await t.rejects(third, code('Interrupted'))
})

t.test('what keeps the tables from being brought up to date fails the backup', async (t) => {
  const folder = join(await temporaryFolder(t), 'a')
  makeTables(t, folder, [])
  const { backups, start } = backupsOf(t, folder)
  const full = { atRest: () => Promise.reject(new Error('the disk is full')) }
  await t.rejects(backups.start(full, backupOptions), { message: 'the disk is full' })
  await fileOf(await start())
})

t.test('a backup that still waits for the tables ends with the store', async (t) => {
  const folder = join(await temporaryFolder(t), 'a')
  makeTables(t, folder, [])
  const { backups } = backupsOf(t, folder)
  let rest: () => Promise<void> = async () => undefined
  const asked = new Promise<void>((resolve) => {
    const late = {
      atRest: (body: () => Promise<void>) => {
        rest = body
        resolve()
        return new Promise<void>(() => undefined)
      },
    }
    void t.rejects(backups.start(late, backupOptions), code('ShutdownInProgress'))
  })
  await asked
  await backups.close()
  await t.rejects(rest(), code('ShutdownInProgress'), 'the tables are not held up by it')
})

t.test('a damaged value is named, and fails the backup', async (t) => {
  const folder = join(await temporaryFolder(t), 'a')
  const pairs = somePairs(10_000, 400)
  const environment = makeTables(t, folder, pairs)
  const { start, backups } = backupsOf(t, folder)
  const records = pairs.filter(({ key }) => key[0] === keyClass.record)
  for (const at of [0, 1_234, records.length - 1]) {
    const { key, value } = records[at] as Pair
    const flipped = Uint8Array.from(value)
    flipped[value.length >>> 1] = (flipped[value.length >>> 1] ?? 0) ^ 4
    putPairs(environment, folder, [{ key, value: flipped }])
    const error = await start()
      .then(fileOf)
      .catch((thrown: unknown) => thrown)
    t.ok(error instanceof TablesDamaged)
    const hex = Buffer.from(key).toString('hex')
    t.match(error, {
      codeName: 'ChecksumMismatch',
      message: `a stored record is damaged: its checksum does not match (key ${hex})`,
      damage: { kind: keyClass.record, id: 5 },
    })
    t.equal(backups.stats(), undefined)
    putPairs(environment, folder, [{ key, value }])
  }
  await fileOf(await start())
})

t.test(
  'a damaged part of a large document, a strange class and a strange version are',
  async (t) => {
    const folder = join(await temporaryFolder(t), 'a')
    const environment = makeTables(t, folder, [])
    const { start } = backupsOf(t, folder)
    const cases: [Pair, string][] = [
      [{ key: idKey(keyClass.chunk, 7), value: Uint8Array.of(0, 0, 0, 1, 5) }, 'a stored chunk is'],
      [
        { key: Uint8Array.of(0x44, 1), value: new Uint8Array(3) },
        'is of no known class (key 4401)',
      ],
      [stored(idKey(keyClass.record, 7), new Uint8Array(1), 1_000_001), 'has version 1000001'],
      [{ key: idKey(keyClass.count, 7), value: new Uint8Array(15) }, 'has an impossible length'],
    ]
    for (const [pair, text] of cases) {
      putPairs(environment, folder, [pair])
      const error = await start()
        .then(fileOf)
        .catch((thrown: Error) => thrown)
      t.ok(error instanceof TablesDamaged && error.message.includes(text), `${error}`)
      environment.transactionSync(() => environment.removeSync(pair.key))
    }
  },
)

t.test(
  'a backup of a store holds whole groups, and all that was acknowledged before',
  async (t) => {
    const path = join(await temporaryFolder(t), 'store')
    const options = { durability: 'none', clock: systemClock, log: silentLog } as const
    const store = openLmdbStore({ path, ...options })
    t.teardown(() => store.close())
    const [first, last] = [idKey(keyClass.record, 1), idKey(keyClass.record, 9)]
    let acknowledged = 0
    let wanted = true
    const writing = (async () => {
      for (let stamp = 1; wanted; stamp++) {
        // Enough between the two for a checkpoint to take several commits.
        await store.write(function* (tx) {
          const value = Uint8Array.of(stamp >>> 8, stamp)
          tx.put(first, value)
          tx.put(last, value)
          for (let i = 0; i < 4_000; i++) {
            tx.put(idKey(keyClass.record, 5, Uint8Array.of(stamp & 15, i >>> 8, i)), value)
          }
        })
        acknowledged = stamp
      }
    })()
    for (let round = 0; round < runs(4); round++) {
      const before = acknowledged
      while (acknowledged === before) await new Promise((resolve) => setImmediate(resolve))
      const least = acknowledged
      const backup = await store.backup?.(backupOptions)
      const stamps = new Map<number, number>()
      const reader = new BackupReader({
        pair: (key, value) => {
          if (key.length !== 5) return
          stamps.set(key[4] ?? 0, ((value.at(-2) ?? 0) << 8) | (value.at(-1) ?? 0))
        },
      })
      for await (const section of backup ?? []) reader.push(section)
      reader.finish()
      t.equal(stamps.get(1), stamps.get(9), `round ${round}: one group`)
      t.ok((stamps.get(1) ?? 0) >= least, `round ${round}: ${stamps.get(1)} of ${least}`)
    }
    wanted = false
    await writing
  },
)

t.test('bytes are spread over time, and time that was not used is gone', async (t) => {
  let now = 1_000
  const pace = new Pace({ now: () => now, elapsed: () => now }, 1_000_000)
  t.equal(pace.delayMs(500_000, 9_000), 0)
  t.equal(pace.delayMs(500_000, 0), 500)
  now += 400
  t.equal(pace.delayMs(1_000_000, 0), 600)
  now += 60_000
  t.equal(pace.delayMs(1_000_000, 0), 0)
  t.equal(pace.delayMs(1, 0), 1_000)
})

t.test('a backup without a rate rests behind each block as long as that took', async (t) => {
  let now = 0
  const pace = new Pace({ now: () => now, elapsed: () => now }, undefined)
  t.equal(pace.delayMs(1, 80), 80)
  t.equal(pace.delayMs(backupBytesPerSecond, 80), 80)
  t.equal(Math.round(pace.delayMs(1, 80)), 1_000, 'the rate bounds it too')
  now += 60_000
  t.equal(pace.delayMs(1, 3_600_000), backupRestMsMax)
})

t.test('a store in memory has no backups', async (t) => {
  const store = openMemoryStore()
  t.teardown(() => store.close())
  await t.rejects(async () => store.backup?.(backupOptions), code('CommandNotSupported'))
})

t.test('pairs of a test are in key order', async (t) => {
  const pairs = somePairs(1_000, 10)
  t.ok(pairs.every(({ key }, i) => i === 0 || compareBytes(pairs[i - 1]?.key ?? key, key) < 0))
})
