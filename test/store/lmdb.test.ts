// What is LMDB's alone: the folder, its lock and its format, what survives a restart, what a
// damaged record and a full disk do.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { open } from 'lmdb'
import t, { type Test } from 'tap'
import { systemClock } from '../../src/base/clock.js'
import { codes } from '../../src/base/errors.js'
import { silentLog } from '../../src/base/log.js'
import { turnUnits } from '../../src/base/work/work-figures.js'
import { keyClass } from '../../src/store/layout.js'
import { openLmdbStore } from '../../src/store/lmdb.js'
import type { Store, Tx } from '../../src/store/store.js'
import { frameBytes, writeFrame } from '../../src/store/tables/record-frame.js'
import { temporaryFolder } from '../support/stores.js'

const childPath = fileURLToPath(new URL('../support/store-child.js', import.meta.url))
const key = (...tail: number[]) => Uint8Array.of(keyClass.record, ...tail)
const refusal = { code: codes.OperationFailed.code }

function openIn(path: string): Store {
  return openLmdbStore({ path, durability: 'interval', clock: systemClock, log: silentLog })
}

const change = (store: Store, body: (tx: Tx) => void): Promise<void> =>
  store.write(function* (tx) {
    body(tx)
  })

const versioned = async (store: Store, at: Uint8Array) =>
  store.read(function* (tx) {
    return yield* tx.getVersioned(at)
  })

interface Child {
  readonly process: ChildProcess
  /** The next line that it prints. */
  line(): Promise<string>
}

/** A process that does `task` with the store in `folder`; `through` is a program that starts it. */
function startChild(t: Test, folder: string, task: string, through: string[] = []): Child {
  const [program, ...args] = [...through, process.execPath, childPath, folder, task]
  const child = spawn(program ?? '', args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  t.teardown(() => child.kill('SIGKILL'))
  return {
    process: child,
    line: async () => String((await lines.next()).value),
  }
}

t.test('the folder is made for its owner alone', async (t) => {
  const path = join(await temporaryFolder(t), 'deep', 'store')
  const store = openIn(path)
  t.equal((await stat(path)).mode & 0o777, 0o700)
  for (const name of ['data.mdb', 'lock.mdb']) {
    t.equal((await stat(join(path, name))).mode & 0o777, 0o600, name)
  }
  t.ok((await stat(join(path, 'data.mdb'))).size < 1_000_000, 'the map is not allocated at once')
  await store.close()
})

t.test('what was written is there when the store is opened again', async (t) => {
  const path = await temporaryFolder(t)
  const first = openIn(path)
  await change(first, (tx) => {
    tx.put(key(1), Uint8Array.of(1, 2, 3))
    tx.add(Uint8Array.of(keyClass.count, 1), 3, 30)
  })
  const before = await versioned(first, key(1))
  await first.close()
  const second = openIn(path)
  t.same(await versioned(second, key(1)), before)
  t.same(
    await second.read(function* (tx) {
      return yield* tx.count(Uint8Array.of(keyClass.count, 1))
    }),
    { documents: 3, bytes: 30 },
  )
  await change(second, (tx) => tx.put(key(1), Uint8Array.of(1, 2, 3)))
  const after = await versioned(second, key(1))
  t.ok((after?.version ?? 0) > (before?.version ?? 0), 'versions grow over a restart')
  await second.close()
})

t.test('much that was written last is in the tables when the store is closed', async (t) => {
  const path = await temporaryFolder(t)
  const options = { path, durability: 'interval', clock: systemClock, log: silentLog } as const
  const first = openLmdbStore({ ...options, freezeBytes: 1 })
  await change(first, (tx) => tx.put(key(1), Uint8Array.of(1)))
  // The worker of the checkpoints is there then: a close does not wait for long.
  while (first.stats().log?.checkpoints !== 1) await new Promise((resolve) => setImmediate(resolve))
  const large = new Uint8Array(100_000).fill(2)
  await change(first, (tx) => {
    for (let i = 0; i < 20; i++) tx.put(key(2, i), large)
  })
  await first.close()
  const second = openIn(path)
  t.equal(second.stats().log?.memtableEntries, 0, 'a start reads nothing')
  t.same((await versioned(second, key(2, 19)))?.value, large)
  await change(second, (tx) => tx.put(key(3), Uint8Array.of(3)))
  await second.close()
  const third = openIn(path)
  t.equal(third.stats().log?.memtableEntries, 1, 'little stays in the log')
  t.same((await versioned(third, key(3)))?.value, Uint8Array.of(3))
  await third.close()
})

t.test('versions are never given out twice, whatever a crash cut off', async (t) => {
  const path = await temporaryFolder(t)
  const seen: number[] = []
  for (let round = 0; round < 3; round++) {
    const store = openIn(path)
    for (let i = 0; i < 3; i++) {
      await change(store, (tx) => tx.put(key(1), Uint8Array.of(i)))
      seen.push((await versioned(store, key(1)))?.version ?? 0)
    }
    await store.close()
  }
  t.same(
    seen,
    [...new Set(seen)].sort((a, b) => a - b),
  )
})

t.test('a second opening in this process is refused', async (t) => {
  const path = await temporaryFolder(t)
  const store = openIn(path)
  t.throws(() => openIn(path), { ...refusal, message: /in use by another process/ })
  await change(store, (tx) => tx.put(key(1), key()))
  await store.close()
  await openIn(path).close()
})

t.test('a second process is refused, until the first is gone, even by kill -9', async (t) => {
  const path = await temporaryFolder(t)
  for (const end of ['SIGKILL', 'SIGTERM'] as const) {
    const child = startChild(t, path, 'hold')
    t.equal(await child.line(), 'open')
    t.throws(() => openIn(path), { ...refusal, message: /in use by another process/ })
    child.process.kill(end)
    await once(child.process, 'exit')
    const store = openIn(path)
    await change(store, (tx) => tx.put(key(1), key()))
    await store.close()
  }
})

t.test('the lock holds while the holder writes, and through its snapshots', async (t) => {
  const path = await temporaryFolder(t)
  const store = openIn(path)
  await change(store, (tx) => tx.put(key(1), key()))
  let running = true
  const reading = store.read(
    function* (tx) {
      while (running) yield* tx.pause(turnUnits)
      return yield* tx.get(key(1))
    },
    { snapshot: true },
  )
  for (let i = 0; i < 5; i++) await change(store, (tx) => tx.put(key(i), key()))
  t.equal(await secondOpening(t, path), 'refused')
  running = false
  await reading
  t.equal(await secondOpening(t, path), 'refused')
  await change(store, (tx) => tx.put(key(2), key()))
  t.equal(await secondOpening(t, path), 'refused')
  await store.close()
  t.equal(await secondOpening(t, path), 'open')
})

/** Whether another process may open the store now. */
async function secondOpening(t: Test, path: string): Promise<'open' | 'refused'> {
  const child = spawn(process.execPath, [childPath, path, 'hold'], { stdio: 'pipe' })
  t.teardown(() => child.kill('SIGKILL'))
  const first = await Promise.race([
    once(child.stdout, 'data').then(() => 'open' as const),
    once(child, 'exit').then(() => 'refused' as const),
  ])
  child.kill('SIGKILL')
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return first
}

t.test('another format is refused with one line', async (t) => {
  const path = await temporaryFolder(t)
  await openIn(path).close()
  const raw = open<Uint8Array, Uint8Array>({
    path,
    noSubdir: false,
    keyEncoding: 'binary',
    encoding: 'binary',
  })
  const formatKey = Buffer.from('\u0000format', 'latin1')
  t.same([...(raw.get(formatKey) ?? [])], [2])
  await raw.put(formatKey, Uint8Array.of(9))
  await raw.close()
  t.throws(() => openIn(path), {
    ...refusal,
    message: `the store in ${path} has format 9; this version reads format 2`,
  })
})

t.test('data of another program is left alone', async (t) => {
  const path = await temporaryFolder(t)
  const raw = open<string, string>({ path, noSubdir: false })
  await raw.put('name', 'value')
  await raw.close()
  t.throws(() => openIn(path), { ...refusal, message: /another program's data/ })
})

t.test('a folder that cannot be used is one clear refusal', async (t) => {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'file')
  await writeFile(file, 'text')
  t.throws(() => openIn(file), { ...refusal, message: /^cannot open the store in .*file: EEXIST/ })
  t.throws(() => openIn(join(file, 'x')), { ...refusal, message: /ENOTDIR/ })
  const blocked = join(folder, 'blocked')
  await mkdir(join(blocked, 'data.mdb'), { recursive: true })
  t.throws(() => openIn(blocked), { ...refusal, message: /^cannot open the store in / })
})

t.test('a damaged record is never served', async (t) => {
  const path = await temporaryFolder(t)
  await openIn(path).close()
  const raw = open<Uint8Array, Uint8Array>({
    path,
    noSubdir: false,
    keyEncoding: 'binary',
    encoding: 'binary',
  })
  const sound = new Uint8Array(frameBytes + 3)
  writeFrame(sound, Uint8Array.of(1, 2, 3), 7)
  await raw.put(Buffer.from(key(1)), sound)
  for (let at = 0; at < sound.length; at++) {
    const broken = Uint8Array.from(sound)
    broken[at] = (broken[at] ?? 0) ^ 0x40
    await raw.put(Buffer.from(key(2, at)), broken)
  }
  await raw.put(Buffer.from(key(3)), sound.subarray(0, 5))
  await raw.close()
  const again = openIn(path)
  const damage = { code: codes.InternalError.code, message: /a stored record is damaged/ }
  const get = async (at: Uint8Array) =>
    again.read(function* (tx) {
      return yield* tx.get(at)
    })
  for (let at = 0; at < sound.length; at++) await t.rejects(get(key(2, at)), damage)
  await t.rejects(get(key(3)), damage)
  const scanning = async () =>
    again.read(function* (tx) {
      return yield* tx.scan({ start: key(), end: key(9) }, 10)
    })
  await t.rejects(scanning(), damage)
  t.same([...((await get(key(1))) ?? [])], [1, 2, 3])
  await change(again, (tx) => tx.put(key(4), key()))
  await again.close()
})

t.test(
  'a full disk refuses writes, reads go on, and writes again when there is room',
  async (t) => {
    // A limit on the size of files stands for the full disk: it needs no rights to set and to lift.
    const path = await temporaryFolder(t)
    const child = startChild(t, path, 'fill', ['prlimit', '--fsize=4000000:unlimited'])
    const found = await Promise.race([
      child.line(),
      once(child.process, 'error').then(() => 'missing'),
    ])
    if (found === 'missing') {
      t.notOk(process.env.CI === 'true', 'prlimit of util-linux is needed for this test')
      t.comment('not run: prlimit is not installed')
      return
    }
    t.match(await child.line(), /^refused OutOfDiskSpace: (no space left on )?the disk of /)
    t.match(await child.line(), /^refusing (no space left on )?the disk of /)
    t.equal(await child.line(), 'read 50000 undefined')
    const raise = spawn('prlimit', ['--pid', String(child.process.pid), '--fsize=unlimited:'])
    await once(raise, 'exit')
    child.process.stdin?.write('go on\n')
    t.equal(await child.line(), 'again 50000 undefined')
    await once(child.process, 'exit')
    const store = openIn(path)
    t.ok(store.stats().sizeBytes > 3_000_000)
    await store.close()
  },
)
