// Bits that flip in the structure of the tables, while the store is closed and while it is open:
// headers, pointers, keys, values, branch pages, lists of free pages and the first pages. Each is
// named or harmless; no scan is shorter for it, no key is missed, and no process ends.

import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { systemClock } from '../../src/base/clock.js'
import { silentLog } from '../../src/base/log.js'
import { openLmdbStore } from '../../src/store/lmdb.js'
import { type FlipFinding, FlipReader, flippedPairs, flipSome } from '../support/flips.js'
import { runs } from '../support/runs.js'
import { seed } from '../support/seed.js'
import { seededRandom } from '../support/seeded-random.js'
import { runSigil, settingsFor } from '../support/sigil-process.js'
import { temporaryFolder } from '../support/stores.js'

t.comment(`page flips: SIGIL_SEED=${seed}`)
const flips = runs(20)
/** Stores that are open at a time. */
const atOnce = 10
/** Of which a check is run. */
const checked = 4

/** A closed store of the known pairs, all of them in its tables. */
async function soundStore(t: Test): Promise<string> {
  const folder = join(await temporaryFolder(t), 'store')
  const store = openLmdbStore({
    path: folder,
    durability: 'commit',
    clock: systemClock,
    log: silentLog,
  })
  const pairs = flippedPairs()
  for (const isLater of [false, true]) {
    for (let from = 0; from < pairs.length; from += 1_000) {
      await store.write(function* (tx) {
        // The second time some are written again, so that there are free pages.
        for (const { key, value } of pairs.slice(from, from + (isLater ? 5 : 1_000)))
          tx.put(key, value)
      })
    }
    const backup = await store.backup?.({ sigil: 'test', bytesPerSecond: 1e12 })
    await backup?.end()
  }
  await store.close()
  return folder
}

function judge(t: Test, place: string, finding: FlipFinding | undefined): void {
  t.ok(finding !== undefined, `${place}: the process lives`)
  t.same(finding?.wrong.slice(0, 3), [], `${place}: nothing wrong is answered`)
}

t.test('a bit that flips in a closed store is named or harmless', async (t) => {
  const random = seededRandom(seed)
  const sound = await soundStore(t)
  const reader = new FlipReader()
  t.teardown(() => reader.close())
  t.same(await reader.ask({ kind: 'stopped', path: sound }), [{ wrong: [], named: [] }])
  let named = 0
  for (let flip = 0; flip < flips; flip++) {
    const folder = `${sound}-${flip}`
    cpSync(sound, folder, { recursive: true })
    const place = flipSome(folder, flip, random)
    const [finding] = (await reader.ask({ kind: 'stopped', path: folder })) ?? []
    judge(t, place, finding)
    if ((finding?.named.length ?? 0) > 0) named++
    if (flip < checked && finding !== undefined) {
      const check = await runSigil(['check'], settingsFor(folder))
      const isNamed = /damaged/.test(check.errors)
      t.equal(isNamed, finding.named.length > 0, `${place}: ${check.errors}`)
      t.equal(check.code, isNamed ? 1 : 0)
    }
    rmSync(folder, { recursive: true })
  }
  t.ok(named > flips / 2, `${named} of ${flips} are named`)
})

t.test('a bit that flips under an open store is found and named', async (t) => {
  const random = seededRandom(seed + 1)
  const sound = await soundStore(t)
  const reader = new FlipReader()
  t.teardown(() => reader.close())
  let named = 0
  for (let flip = 0; flip < flips; flip += atOnce) {
    const folders = Array.from(
      { length: Math.min(atOnce, flips - flip) },
      (_, more) => `${sound}-${flip + more}`,
    )
    for (const folder of folders) cpSync(sound, folder, { recursive: true })
    const before = await reader.ask({ kind: 'open', paths: folders })
    t.ok(before?.every(({ wrong, named }) => wrong.length + named.length === 0))
    const places = folders.map((folder, more) => flipSome(folder, flip + more, random))
    const findings = await reader.ask({ kind: 'flipped' })
    for (const [more, place] of places.entries()) {
      judge(t, place, findings?.[more])
      if ((findings?.[more]?.named.length ?? 0) > 0) named++
    }
    for (const folder of folders) rmSync(folder, { recursive: true })
  }
  t.ok(named > flips / 2, `${named} of ${flips} are named`)
})
