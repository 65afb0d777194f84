// Applying segments to the tables: what is in them afterwards, whatever cut the work short.

import { statSync } from 'node:fs'
import { readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { mapKey } from '../../../src/base/bytes/bytes.js'
import { codes, fail } from '../../../src/base/errors.js'
import {
  type ApplyOptions,
  applySegment,
  checkpointBytesMax,
  checkpointPutsMax,
} from '../../../src/store/checkpoint/checkpoint.js'
import { keyClass } from '../../../src/store/layout.js'
import {
  type Environment,
  openEnvironment,
  readApplied,
} from '../../../src/store/tables/lmdb-environment.js'
import { prepareFormat } from '../../../src/store/tables/lmdb-format.js'
import { StoredView } from '../../../src/store/tables/stored-view.js'
import { makeRoom, pagesOf, reusableBytes } from '../../../src/store/tables/tables-room.js'
import { runs } from '../../support/runs.js'
import { seed } from '../../support/seed.js'
import { seededRandom } from '../../support/seeded-random.js'
import { type Change, writeSegment } from '../../support/segments.js'
import { temporaryFolder } from '../../support/stores.js'

const record = (...tail: number[]) => Uint8Array.of(keyClass.record, ...tail)
const all = { start: Uint8Array.of(1), end: Uint8Array.of(0xff) }

interface Tables {
  readonly folder: string
  readonly environment: Environment
  apply(
    segment: { path: string; lastGroup: number },
    options?: Partial<ApplyOptions>,
  ): ReturnType<typeof applySegment>
}

async function openTables(t: Test): Promise<Tables> {
  const folder = await temporaryFolder(t)
  const environment = openEnvironment(folder)
  prepareFormat(environment, folder)
  t.teardown(() => environment.close())
  return {
    folder,
    environment,
    apply: (segment, options) => {
      const applied = readApplied(environment)
      const room = (pages: number) => makeRoom(environment, folder, pages, 0)
      return applySegment(environment, segment, { folder, applied, makeRoom: room, ...options })
    },
  }
}

function contents(environment: Environment): Map<string, { value: number[]; version: number }> {
  const view = new StoredView(environment)
  view.renew()
  const found = new Map<string, { value: number[]; version: number }>()
  for (const { key, value } of view.entries(all)) {
    const version = key[0] === keyClass.record ? (view.getVersioned(key)?.version ?? -1) : 0
    found.set(mapKey(key), { value: [...value], version })
  }
  return found
}

t.test('the newest change of each key is in the tables, with its version', async (t) => {
  const { environment, folder, apply } = await openTables(t)
  const segment = await writeSegment(`${folder}/a`, 1, [
    [
      { key: record(1), value: Uint8Array.of(1), version: 10 },
      { key: record(2), value: Uint8Array.of(2), version: 10 },
      { key: Uint8Array.of(keyClass.entry, 1), value: new Uint8Array(0), version: 10 },
    ],
    [{ key: record(1), value: Uint8Array.of(3), version: 2 ** 40 }, { key: record(2) }],
    [{ key: record(9) }],
  ])
  t.same(apply(segment), {
    applied: { group: 3, version: 2 ** 40 },
    changes: 6,
    puts: 4,
    commits: 1,
  })
  t.same(readApplied(environment), { group: 3, version: 2 ** 40 })
  t.same(
    [...contents(environment).values()],
    [
      { value: [3], version: 2 ** 40 },
      { value: [], version: 0 },
    ],
  )
  t.same(apply(segment), {
    applied: { group: 3, version: 2 ** 40 },
    changes: 0,
    puts: 0,
    commits: 0,
  })
})

t.test('groups that are applied already are passed over, later ones are not read', async (t) => {
  const { environment, folder, apply } = await openTables(t)
  const groups = [1, 2, 3, 4].map((i) => [{ key: record(i), value: Uint8Array.of(i), version: i }])
  const { path } = await writeSegment(`${folder}/a`, 7, groups)
  apply({ path, lastGroup: 9 }, { applied: { group: 7, version: 50 } })
  t.same(
    [...contents(environment).values()].map(({ version }) => version),
    [2, 3],
  )
  t.same(readApplied(environment), { group: 9, version: 50 })
})

function sizeOf(environment: Environment): number {
  environment.resetReadTxn()
  let size = 0
  for (const _ of environment.getKeys(all)) size++
  return size
}

t.test('a commit is bounded in changes and in bytes', async (t) => {
  const { environment, folder, apply } = await openTables(t)
  const count = 2 * checkpointPutsMax + 1
  const small: Change[] = Array.from({ length: count }, (_, i) => ({
    key: record(i >>> 16, i >>> 8, i),
    value: Uint8Array.of(1),
  }))
  t.equal(apply(await writeSegment(`${folder}/a`, 1, [small])).commits, 3)
  t.equal(sizeOf(environment), count)
  const value = new Uint8Array(checkpointBytesMax / 8)
  const large: Change[] = Array.from({ length: 20 }, (_, i) => ({ key: record(9, i), value }))
  t.equal(apply(await writeSegment(`${folder}/b`, 2, [large])).commits, 3)
  const deletes = small.map(({ key }) => ({ key }))
  t.equal(apply(await writeSegment(`${folder}/c`, 3, [deletes])).commits, 3)
  t.equal(sizeOf(environment), 20)
})

t.test('on a disk with little space the commits are small', async (t) => {
  const { environment, folder, apply } = await openTables(t)
  const count = checkpointPutsMax
  const puts: Change[] = Array.from({ length: count }, (_, i) => ({
    key: record(i >>> 8, i),
    value: Uint8Array.of(1),
  }))
  const pagesLeft = pagesOf(count / 16, 0)
  const narrow = (pages: number) => {
    if (pages > pagesLeft) throw fail('OutOfDiskSpace', 'no space left')
    makeRoom(environment, folder, pages, 0)
  }
  const segment = await writeSegment(`${folder}/a`, 1, [puts])
  t.ok(apply(segment, { makeRoom: narrow }).commits > 16)
  t.equal(sizeOf(environment), count)
  const deletes = await writeSegment(`${folder}/b`, 2, [puts.map(({ key }) => ({ key }))])
  const none = () => {
    throw fail('OutOfDiskSpace', 'no space left')
  }
  t.throws(() => apply(deletes, { makeRoom: none }), /no space left/)
  t.ok(apply(deletes, { makeRoom: narrow }).commits > 16)
  t.equal(sizeOf(environment), 0)
  environment.resetReadTxn()
  const { size } = statSync(join(folder, 'data.mdb'))
  const reusable = reusableBytes(environment, folder)
  t.ok(reusable > size / 2, `${reusable} of ${size} bytes serve later commits`)
})

t.test('a segment that comes in parts ends the same', async (t) => {
  const { environment, folder, apply } = await openTables(t)
  const groups = Array.from({ length: 100 }, (_, g) =>
    Array.from({ length: 5 }, (_, i) => ({
      key: record((g * 7 + i) % 40),
      value: new Uint8Array(20).fill(g),
      version: g + 1,
    })),
  )
  const segment = await writeSegment(`${folder}/a`, 1, groups)
  const done = apply(segment, { partBytesMax: 1_000 })
  t.ok(done.commits > 20, `${done.commits}`)
  t.same(done.applied, { group: 100, version: 100 })
  const parts = contents(environment)
  apply(segment, { applied: { group: 0, version: 0 } })
  t.same(contents(environment), parts)
  t.throws(() => apply(segment, { applied: { group: 0, version: 0 }, partBytesMax: 100 }), {
    code: codes.InternalError.code,
  })
})

t.test('work cut short before any commit is repaired by applying it again', async (t) => {
  const { environment, folder, apply } = await openTables(t)
  const value = new Uint8Array(checkpointBytesMax / 4)
  const groups = Array.from({ length: 12 }, (_, i) => [{ key: record(i), value, version: i + 1 }])
  const segment = await writeSegment(`${folder}/a`, 1, groups)
  for (let cut = 0; cut < 3; cut++) {
    let commits = 0
    const beforeCommit = () => {
      if (commits++ === cut) throw new Error('cut')
    }
    t.throws(() => apply(segment, { beforeCommit }), { message: 'cut' })
    t.equal(sizeOf(environment), 4 * cut)
    t.same(readApplied(environment), { group: 0, version: 0 }, 'it moves in the last commit only')
  }
  t.same(apply(segment).applied, { group: 12, version: 12 })
  t.equal(sizeOf(environment), 12)
})

t.test('a damaged record is never applied, wherever a bit is flipped', async (t) => {
  const { environment, folder, apply } = await openTables(t)
  const groups = [1, 2, 3].map((i) => [{ key: record(i), value: Uint8Array.of(i), version: i }])
  const { path } = await writeSegment(`${folder}/a`, 5, groups)
  const sound = await readFile(path)
  for (let at = 0; at < sound.length; at++) {
    const broken = Buffer.from(sound)
    broken[at] = (broken[at] ?? 0) ^ (1 << (at % 8))
    await writeFile(path, broken)
    t.throws(() => apply({ path, lastGroup: 7 }), {
      code: codes.InternalError.code,
      message: /^the log is damaged: .*\/a, offset \d+, group \d+ of 7/,
    })
  }
  await writeFile(path, sound)
  await truncate(path, sound.length - 1)
  t.throws(() => apply({ path, lastGroup: 7 }), { code: codes.InternalError.code })
  t.throws(() => apply({ path, lastGroup: 8 }), { code: codes.InternalError.code })
  t.equal(sizeOf(environment), 0)
  t.same(apply({ path, lastGroup: 6 }).applied, { group: 6, version: 2 }, 'torn behind the last')
  t.equal(sizeOf(environment), 2)
})

t.test('random segments leave what a map leaves', async (t) => {
  const { environment, folder, apply } = await openTables(t)
  const random = seededRandom(seed)
  const model = new Map<string, { value: number[]; version: number }>()
  let group = 1
  for (let round = 0; round < runs(30); round++) {
    const groups: Change[][] = []
    for (let g = 0; g < 1 + random() * 20; g++) {
      const changes: Change[] = []
      for (let c = 0; c < 1 + random() * 20; c++) {
        const kind = random() < 0.7 ? keyClass.record : keyClass.entry
        const tail = Array.from({ length: random() * 4 }, () => Math.floor(random() * 3))
        const key = Uint8Array.of(kind, ...tail)
        const version = group + g
        if (random() < 0.3) {
          changes.push({ key })
          model.delete(mapKey(key))
          continue
        }
        const value = Array.from({ length: random() * 10 }, () => Math.floor(random() * 256))
        changes.push({ key, value: Uint8Array.from(value), version })
        model.set(mapKey(key), { value, version: kind === keyClass.record ? version : 0 })
      }
      groups.push(changes)
    }
    const segment = await writeSegment(`${folder}/a`, group, groups)
    apply(segment, { partBytesMax: 1_000 + Math.floor(random() * 5_000) })
    group = segment.lastGroup + 1
    const sorted = [...model].sort(([a], [b]) => (a < b ? -1 : 1))
    t.same([...contents(environment)], sorted, `seed ${seed}, round ${round}`)
  }
})
