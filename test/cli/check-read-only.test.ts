// `sigil check` of a folder that it may read and not write: as much is looked at as of any other,
// and nothing in the folder is changed.

import { execFile } from 'node:child_process'
import { chmodSync, cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { systemClock } from '../../src/base/clock.js'
import { silentLog } from '../../src/base/log.js'
import { recordKey } from '../../src/engine/collection/collections.js'
import { IndexBuilds } from '../../src/engine/index/index-build-job.js'
import type { Namespace } from '../../src/engine/types.js'
import { openLmdbStore } from '../../src/store/lmdb.js'
import { openReadOnlyStore } from '../../src/store/read-only.js'
import type { Tx } from '../../src/store/store.js'
import { valueFrom } from '../../src/value/literal.js'
import { countingRandom, indexSpecs, jobParts, ManualClock, Room } from '../support/engine-room.js'
import { temporaryFolder } from '../support/stores.js'

const options = { durability: 'commit', clock: systemClock, log: silentLog } as const

/** With documents in the tables and later ones in the log; then `change` is made. */
async function makeFolder(t: Test, change: (tx: Tx, ns: Namespace) => void): Promise<string> {
  const home = await temporaryFolder(t)
  chmodSync(home, 0o755)
  const path = join(home, 'store')
  const below = openLmdbStore({ path, ...options, freezeBytes: 1 })
  const builds = new IndexBuilds(jobParts(below, new ManualClock()), countingRandom)
  await builds.ensure('main', 'things', indexSpecs([{ a: 1 }]))
  await new Room(below).insert({ _id: 1, a: 'x' }, { _id: 2, a: 'y' })
  // Each write freezes what came before it, which is applied beside the next ones.
  for (let id = 10; below.stats().log?.checkpoints === 0; id++) {
    await new Room(below, 'main', 'others').insert({ _id: id })
  }
  await below.close()
  const above = openLmdbStore({ path, ...options })
  const room = new Room(above)
  await room.insert({ _id: 3, a: 'z' })
  const ns = await room.get()
  await above.write(function* (tx) {
    change(tx, ns)
  })
  await above.close()
  return path
}

/** Runs it as a user who may only read; then the folder may be written again. */
async function check(folder: string) {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
  const parts = [
    { path: folder, mode: 0o755 },
    ...paths.map((one) => ({
      path: join(one.parentPath, one.name),
      mode: one.isDirectory() ? 0o755 : 0o644,
    })),
  ]
  for (const { path, mode } of parts.toReversed()) chmodSync(path, mode & 0o555)
  const words = ['build/test/support/check-child.js', folder]
  const result = await new Promise<{ code: number; out: string; errors: string }>((resolve) => {
    execFile(process.execPath, words, (error, out, errors) => {
      resolve({ code: Number(error?.code ?? 0), out, errors })
    })
  })
  for (const { path, mode } of parts) chmodSync(path, mode)
  return result
}

function filesOf(folder: string): Record<string, string> {
  const files: Record<string, string> = {}
  for (const one of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(one.parentPath, one.name)
    if (one.isFile()) files[path] = readFileSync(path).toString('base64')
  }
  return files
}

t.test('a sound folder is looked at as a whole, and stays as it was', async (t) => {
  const folder = await makeFolder(t, () => undefined)
  const before = filesOf(folder)
  const { code, out, errors } = await check(folder)
  t.equal(errors, '')
  t.match(out, /^log: groups \d+ to \d+ to apply, sound\ntables: [1-9]\d* entries, /)
  t.match(out, /main\.things: 3 documents, sound/)
  t.match(out, /Nothing is wrong\.\n$/)
  t.equal(code, 0)
  t.same(filesOf(folder), before)
})

t.test('what the tables and the log say wrong together is named', async (t) => {
  const folder = await makeFolder(t, (tx, ns) => {
    tx.remove(recordKey(ns, valueFrom(2)))
    tx.remove(recordKey(ns, valueFrom(3)))
  })
  const { code, errors } = await check(folder)
  t.match(errors, /main\.things: extraEntry: index a_1: entry [0-9a-f]+ leads to no record/)
  t.match(errors, /count: 1 documents of \d+ bytes are stored, counted as 3/)
  t.equal(code, 1)
})

t.test(
  'a store that is open for reading refuses writes, and reads what any other reads',
  async (t) => {
    const folder = await makeFolder(t, () => undefined)
    const copy = `${folder}-copy`
    cpSync(folder, copy, { recursive: true })
    const store = openReadOnlyStore(folder, systemClock)
    const room = new Room(store)
    t.match(await room.read(1), { a: 'x' })
    t.match(await room.read(3), { a: 'z' })
    await t.rejects(room.insert({ _id: 4 }), { message: /open for reading only/ })
    await store.close()
    const other = openLmdbStore({ path: copy, ...options })
    const all = function* (tx: Parameters<Parameters<typeof store.read>[0]>[0]) {
      return yield* tx.scan({ start: Uint8Array.of(0), end: Uint8Array.of(255) }, 1_000)
    }
    const again = openReadOnlyStore(folder, systemClock)
    t.same(await again.read(all), await other.read(all))
    await again.close()
    await other.close()
  },
)
