// A process of its own over a folder of tables, for tests that limit or refuse it. It prints a line
// for each thing it has done.
//
// Usage: checkpoint-child <folder> lock | checkpoint-child <folder> apply <segment> <last group>

import { once } from 'node:events'
import { systemClock } from '../../src/base/clock.js'
import { GatewayError } from '../../src/base/errors.js'
import { silentLog } from '../../src/base/log.js'
import { Checkpointer } from '../../src/store/checkpoint/checkpointer.js'
import { lockEnvironment } from '../../src/store/folder-lock.js'
import { keyClass } from '../../src/store/layout.js'
import { openEnvironment, readApplied } from '../../src/store/tables/lmdb-environment.js'
import { prepareFormat } from '../../src/store/tables/lmdb-format.js'
import { StoredView } from '../../src/store/tables/stored-view.js'
import { tell } from './told-lines.js'

/** Tries, and tries again once the parent says a line. */
async function apply(folder: string, path: string, lastGroup: number): Promise<void> {
  const environment = openEnvironment(folder)
  prepareFormat(environment, folder)
  const view = new StoredView(environment)
  const range = { start: Uint8Array.of(keyClass.catalog), end: Uint8Array.of(0xff) }
  const checkpointer = new Checkpointer({ folder, clock: systemClock, log: silentLog })
  for (let applied = false; !applied; ) {
    try {
      tell(`applied ${(await checkpointer.apply({ path, lastGroup })).group}`)
      applied = true
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      tell(`refused ${error.codeName}: ${error.message}`)
      tell(`failed ${checkpointer.stats().failed}`)
      view.renew()
      tell(`group ${readApplied(environment).group}`)
      await once(process.stdin, 'data')
    }
  }
  view.renew()
  tell(`read ${[...view.entries(range)].length}`)
  await checkpointer.close()
  await environment.close()
  process.stdin.destroy()
}

function lock(folder: string): void {
  try {
    lockEnvironment(openEnvironment(folder), folder)
    tell('open')
  } catch (error) {
    tell(`refused ${error instanceof Error ? error.message : error}`)
  }
  process.exitCode = 0
}

// The test runner's own listener would end the process at a write beyond its limit: not if there is
// another.
process.on('SIGXFSZ', () => {})

const [folder, task, path, lastGroup] = process.argv.slice(2)
if (folder !== undefined && task === 'lock') lock(folder)
else if (folder !== undefined && path !== undefined) await apply(folder, path, Number(lastGroup))
