// Where temporary files of sorts and groups go: in SPILL_DIR, which other gateways may use too, or
// beside the tables.

import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { systemClock, systemRandom } from '../../../src/base/clock.js'
import { openSpills, SpillScope } from '../../../src/engine/sources/spill.js'
import { temporaryFolder } from '../../support/stores.js'

const open = (STORE: string, SPILL_DIR?: string) =>
  openSpills({ STORE, SPILL_DIR }, systemClock, systemRandom)

t.test('gateways of one machine may share SPILL_DIR', async (t) => {
  const folder = await temporaryFolder(t)
  writeFileSync(join(folder, 'of-others'), '')
  const address = 'postgres://sigil@127.0.0.1/sigil'
  const files = [open(address, folder), open(address, folder)].map((spills) => {
    if (spills === undefined) throw new Error('SPILL_DIR is a folder')
    spills.clear()
    const file = new SpillScope(spills, true, 'owner').open?.()
    if (file === undefined) throw new Error('a sort may spill')
    return file
  })
  for (const [at, file] of files.entries()) file.append(Uint8Array.of(at))
  t.same(readdirSync(folder), ['of-others'], 'files have no name, and those of others stay')
  for (const [at, file] of files.entries()) {
    const read = new Uint8Array(1)
    file.read(read, 0)
    t.equal(read[0], at)
    file.close()
  }
})

t.test('without SPILL_DIR only a data folder has one', async (t) => {
  const folder = await temporaryFolder(t)
  const beside = open(`lmdb:${folder}`)
  const file = beside && new SpillScope(beside, true, 'owner').open?.()
  t.same(readdirSync(folder), ['spill'])
  file?.close()
  t.equal(open('memory:'), undefined)
  t.equal(open('postgres://sigil@127.0.0.1/sigil'), undefined)
})
