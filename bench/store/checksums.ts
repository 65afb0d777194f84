// Question: what do the checksums of pages add to a checkpoint? Processor time of commits of 20,000
// changes spread over 300,000 pairs, with the sums and without. Scans do not look at sums at all.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { idKey, keyClass } from '../../src/store/layout.js'
import { Pages, verifyPages } from '../../src/store/pages/pages.js'
import { commitSync, openEnvironment } from '../../src/store/tables/lmdb-environment.js'
import { compare, type Figure } from '../support/figure.js'

const pairs = 300_000
const changes = 100_000
const changesPerCommit = 20_000
const value = new Uint8Array(200).fill(1)

export async function storeChecksums(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sigil-checksums-'))
  const environment = openEnvironment(folder)
  const put = (keys: readonly number[], behind: () => void) => {
    for (let from = 0; from < keys.length; from += changesPerCommit) {
      commitSync(environment, folder, () => {
        for (const number of keys.slice(from, from + changesPerCommit)) {
          environment.putSync(keyOf(number), value)
        }
      })
      behind()
    }
  }
  try {
    put(
      Array.from({ length: pairs }, (_, number) => number),
      () => undefined,
    )
    verifyPages(folder)
    const pages = new Pages(folder)
    const checkpoint = (behind: () => void) => async () => {
      pages.noteCommit()
      const started = process.cpuUsage()
      put(spread(), behind)
      const { user, system } = process.cpuUsage(started)
      return (user + system) / 1_000
    }
    const noted = checkpoint(() => void pages.noteCommit())
    const bare = checkpoint(() => undefined)
    const figure = await compare('checkpoint with sums over one without', 'cpu ms', noted, bare)
    pages.close()
    return [figure]
  } finally {
    await environment.close()
    rmSync(folder, { recursive: true })
  }
}

let run = 0

/** Every third key or so, others each time, in their order. */
function spread(): number[] {
  run++
  const step = Math.floor(pairs / changes)
  return Array.from({ length: changes }, (_, i) => i * step + (run % step))
}

function keyOf(number: number): Uint8Array {
  const tail = new Uint8Array(8)
  new DataView(tail.buffer).setUint32(4, number)
  return idKey(keyClass.record, 7, tail)
}
