// The checkpoint worker as its owner sees it: what it promises, and what its failures look like.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { systemClock } from '../../../src/base/clock.js'
import { codes } from '../../../src/base/errors.js'
import { silentLog } from '../../../src/base/log.js'
import { checkpointPutsMax } from '../../../src/store/checkpoint/checkpoint.js'
import { Checkpointer } from '../../../src/store/checkpoint/checkpointer.js'
import { claimFolder, dropFolder, lockEnvironment } from '../../../src/store/folder-lock.js'
import { keyClass } from '../../../src/store/layout.js'
import {
  type Environment,
  openEnvironment,
  readApplied,
} from '../../../src/store/tables/lmdb-environment.js'
import { prepareFormat } from '../../../src/store/tables/lmdb-format.js'
import { StoredView } from '../../../src/store/tables/stored-view.js'
import { type Change, type Segment, writeSegment } from '../../support/segments.js'
import { temporaryFolder } from '../../support/stores.js'

const childPath = fileURLToPath(new URL('../../support/checkpoint-child.js', import.meta.url))
const endingWorker = new URL('../../support/ending-worker.js', import.meta.url)
const record = (number: number) =>
  Uint8Array.of(keyClass.record, number >>> 16, number >>> 8, number)

interface Opened {
  readonly folder: string
  readonly environment: Environment
  readonly view: StoredView
  readonly checkpointer: Checkpointer
}

async function openTables(t: Test, entry?: URL): Promise<Opened> {
  const folder = await temporaryFolder(t)
  claimFolder(folder)
  const environment = openEnvironment(folder)
  lockEnvironment(environment, folder)
  prepareFormat(environment, folder)
  const given = { folder, clock: systemClock, log: silentLog }
  const checkpointer = new Checkpointer(entry === undefined ? given : { ...given, entry })
  t.teardown(async () => {
    await checkpointer.close()
    await environment.close()
    dropFolder(folder)
  })
  return { folder, environment, view: new StoredView(environment), checkpointer }
}

/** One group, whose changes take `commits` commits. */
function slowSegment(folder: string, group: number, commits: number): Promise<Segment> {
  const value = Uint8Array.of(group)
  const count = commits * checkpointPutsMax
  const changes = Array.from({ length: count }, (_, i) => ({ key: record(i), value }))
  return writeSegment(join(folder, `slow-${group}`), group, [changes])
}

t.test(
  'segments are applied in the order of the calls, and the worker starts with the first',
  async (t) => {
    const { folder, environment, checkpointer, view } = await openTables(t)
    t.same(checkpointer.stats(), {
      waiting: 0,
      segments: 0,
      commits: 0,
      changes: 0,
      puts: 0,
      lastMs: 0,
      maxMs: 0,
      scrubs: 0,
    })
    const asked = []
    for (let group = 1; group <= 5; group++) {
      const change: Change = { key: record(1), value: Uint8Array.of(group), version: 10 * group }
      const segment = await writeSegment(join(folder, `${group}`), group, [[change, change]])
      asked.push(checkpointer.apply(segment))
    }
    t.equal(checkpointer.stats().waiting, 5)
    t.same(
      await Promise.all(asked),
      [1, 2, 3, 4, 5].map((group) => ({ group, version: 10 * group })),
    )
    view.renew()
    t.same(view.getVersioned(record(1)), { value: Uint8Array.of(5), version: 50 })
    t.same(readApplied(environment), { group: 5, version: 50 })
    const { lastMs, maxMs, scrubs: _, ...counts } = checkpointer.stats()
    t.same(counts, { waiting: 0, segments: 5, commits: 5, changes: 10, puts: 5 })
    t.ok(lastMs > 0 && maxMs >= lastMs)
  },
)

t.test('close ends the worker after the running commit, and queued work is told', async (t) => {
  const { folder, environment, checkpointer } = await openTables(t)
  const closing = { code: codes.ShutdownInProgress.code }
  const asked = [
    t.rejects(checkpointer.apply(await slowSegment(folder, 1, 3)), closing),
    t.rejects(checkpointer.apply(await slowSegment(folder, 2, 3)), closing),
  ]
  await checkpointer.close()
  await Promise.all(asked)
  await t.rejects(checkpointer.apply({ path: folder, lastGroup: 1 }), closing)
  await checkpointer.close()
  t.same(readApplied(environment), { group: 0, version: 0 })
  t.equal(checkpointer.stats().failed, undefined)
})

t.test('the folder stays locked while the worker comes and goes', async (t) => {
  const { folder, checkpointer, view, environment } = await openTables(t)
  t.match(await secondOpening(t, folder), /^refused .*in use by another process/)
  await checkpointer.apply(await writeSegment(join(folder, '1'), 1, [[{ key: record(1) }]]))
  t.match(await secondOpening(t, folder), /^refused /)
  const pinned = view.pin()
  await checkpointer.apply(await slowSegment(folder, 2, 2))
  pinned.release()
  await checkpointer.close()
  t.match(await secondOpening(t, folder), /^refused /, 'the worker closed its handle alone')
  view.renew()
  t.ok(view.get(record(1)))
  t.same(readApplied(environment), { group: 2, version: 0 })
})

async function secondOpening(t: Test, folder: string): Promise<string> {
  const child = startChild(t, [folder, 'lock'])
  return child.line()
}

t.test('the file does not grow because of a reader', async (t) => {
  const { folder, checkpointer, view } = await openTables(t)
  const value = new Uint8Array(100)
  const load = Array.from({ length: 20_000 }, (_, i) => ({ key: record(i), value }))
  await checkpointer.apply(await writeSegment(join(folder, 'log'), 1, [load]))
  let reading = true
  const reader = (async () => {
    let reads = 0
    for (; reading; reads++) {
      view.get(record(Math.imul(reads, 7_919) % 20_000))
      await new Promise((resolve) => setImmediate(resolve))
    }
    return reads
  })()
  let early = 0
  for (let round = 1; round <= 50; round++) {
    const changes = Array.from({ length: 2_000 }, (_, i) => ({
      key: record(Math.imul(i + round * 2_000, 7_919) % 20_000),
      value: new Uint8Array(100).fill(round),
    }))
    await checkpointer.apply(await writeSegment(join(folder, 'log'), round + 1, [changes]))
    if (round === 5) early = statSync(join(folder, 'data.mdb')).size
  }
  reading = false
  t.ok((await reader) > 50)
  const late = statSync(join(folder, 'data.mdb')).size
  t.ok(late < early * 1.3, `${early} bytes after 5 checkpoints, ${late} after 50`)
})

t.test('a segment that cannot be flushed ends checkpoints for good', async (t) => {
  const { checkpointer, environment } = await openTables(t)
  // A device that takes no fdatasync.
  const refused = { code: codes.OperationFailed.code, message: /could not be flushed: \/dev\/null/ }
  await t.rejects(checkpointer.apply({ path: '/dev/null', lastGroup: 1 }), refused)
  t.match(checkpointer.stats().failed, /could not be flushed/)
  await t.rejects(checkpointer.apply({ path: '/dev/null', lastGroup: 1 }), refused)
  t.same(readApplied(environment), { group: 0, version: 0 })
})

t.test('a damaged segment ends checkpoints for good', async (t) => {
  const { folder, checkpointer } = await openTables(t)
  const { path } = await writeSegment(join(folder, '1'), 1, [[{ key: record(1) }]])
  const damage = { code: codes.InternalError.code, message: /^the log is damaged: / }
  await t.rejects(checkpointer.apply({ path, lastGroup: 2 }), damage)
  t.match(checkpointer.stats().failed, /^the log is damaged: /)
})

t.test('the death of the worker rejects all that waits, and what comes later', async (t) => {
  const { folder, checkpointer } = await openTables(t, endingWorker)
  const segment = await writeSegment(join(folder, '1'), 1, [[{ key: record(1) }]])
  const death = {
    code: codes.OperationFailed.code,
    message: 'the checkpoint worker failed: an accident',
  }
  const asked = [checkpointer.apply(segment), checkpointer.apply(segment)]
  for (const one of asked) await t.rejects(one, death)
  await t.rejects(checkpointer.apply(segment), death)
  t.equal(checkpointer.stats().failed, death.message)
  t.equal(checkpointer.stats().waiting, 0)
  await checkpointer.close()
})

t.test('a full disk refuses a checkpoint, and the next try may succeed', async (t) => {
  // A limit on the size of files stands for the full disk: it needs no rights to set and to lift.
  const folder = await temporaryFolder(t)
  const value = new Uint8Array(10_000)
  const changes = Array.from({ length: 3_000 }, (_, i) => ({ key: record(i), value }))
  const { path } = await writeSegment(join(folder, 'segment'), 1, [changes])
  const child = startChild(
    t,
    [folder, 'apply', path, '1'],
    ['prlimit', '--fsize=24000000:unlimited'],
  )
  const found = await Promise.race([
    child.line(),
    once(child.process, 'error').then(() => 'missing'),
  ])
  if (found === 'missing') {
    t.notOk(process.env.CI === 'true', 'prlimit of util-linux is needed for this test')
    t.comment('not run: prlimit is not installed')
    return
  }
  t.match(found, /^refused OutOfDiskSpace: (no space left on )?the disk of /)
  t.equal(await child.line(), 'failed undefined')
  t.equal(await child.line(), 'group 0')
  child.process.stdin?.write('try\n')
  t.match(await child.line(), /^refused OutOfDiskSpace: /)
  t.equal(await child.line(), 'failed undefined')
  t.equal(await child.line(), 'group 0')
  const raise = spawn('prlimit', ['--pid', String(child.process.pid), '--fsize=unlimited:'])
  await once(raise, 'exit')
  child.process.stdin?.write('try\n')
  t.equal(await child.line(), 'applied 1')
  t.equal(await child.line(), 'read 3000')
  await once(child.process, 'exit')
})

interface Child {
  readonly process: ChildProcess
  /** The next line that it prints. */
  line(): Promise<string>
}

function startChild(t: Test, given: readonly string[], through: readonly string[] = []): Child {
  const [program = '', ...args] = [...through, process.execPath, childPath, ...given]
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  t.teardown(() => child.kill('SIGKILL'))
  return { process: child, line: async () => String((await lines.next()).value) }
}
