// Many programs at once over each store, and a model that knows what every one of them may see:
// 100,000 operations, a million in the long suite, with freezes, checkpoints, pinned states, sudden
// ends and new starts at moments of chance. What is asked comes from the seed; when the threads of
// checkpoints and backups are done is theirs.

import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { equalBytes } from '../../src/base/bytes/bytes.js'
import type { Clock } from '../../src/base/clock.js'
import { silentLog } from '../../src/base/log.js'
import { errorCode } from '../../src/store/files.js'
import { openLmdbStore } from '../../src/store/lmdb.js'
import { openMemoryStore } from '../../src/store/memory.js'
import type { Entry, Store } from '../../src/store/store.js'
import { LateStore } from '../support/late-store.js'
import { runs } from '../support/runs.js'
import { seed } from '../support/seed.js'
import { seededRandom } from '../support/seeded-random.js'
import { type Disk, dumpOf, type Room, StoreRun, type Tally } from '../support/store-run.js'
import { ScriptMaker } from '../support/store-scripts.js'
import { temporaryFolder } from '../support/stores.js'

t.comment(`model: SIGIL_SEED=${seed}`)

const operations = runs(100_000)
/** Of a round, milliseconds: no snapshot gets too old in all rounds that it may live. */
const roundMs = 100
const stepMsMax = 0.08
const MiB = 1_024 * 1_024

/** Moves on a little whenever it is looked at, up to what a round may take. */
class SteppingClock implements Clock {
  private ms = 0
  private untilMs = 0

  constructor(private readonly random: () => number) {}

  now(): number {
    return 0
  }

  elapsed(): number {
    this.ms = Math.min(this.ms + this.random() * stepMsMax, this.untilMs)
    return this.ms
  }

  allow(): void {
    this.untilMs = this.ms + roundMs
  }
}

/** A store in a folder, and its successors in others. */
class DiskRoom implements Room, Disk {
  readonly isOrdered = true
  readonly disk = this
  store: Store
  checkpoints = 0
  private folders = 0
  private folder: string

  constructor(
    private readonly parent: string,
    private readonly clock: SteppingClock,
    private readonly make: ScriptMaker,
  ) {
    this.folder = this.nextFolder()
    this.store = this.open(this.folder)
  }

  allow(): void {
    this.clock.allow()
  }

  async close(): Promise<void> {
    this.checkpoints += this.store.stats().log?.checkpoints ?? 0
    await this.store.close()
  }

  async restart(): Promise<void> {
    await this.close()
    this.store = this.open(this.folder)
  }

  async crash(): Promise<void> {
    const [old, left] = [this.folder, this.copy()]
    await this.close()
    rmSync(old, { recursive: true })
    this.folder = left
    this.store = this.open(left)
  }

  async image(): Promise<Entry[]> {
    const folder = this.copy()
    const store = this.open(folder)
    const entries = await dumpOf(store)
    await store.close()
    rmSync(folder, { recursive: true })
    return entries
  }

  /** A checkpoint with every group, seldom one, or none but those that are asked for. */
  private open(path: string): Store {
    const { make, clock } = this
    const freezeBytes = make.pick([
      1,
      1.2 * MiB,
      1.2 * MiB,
      1.5 * MiB,
      1.5 * MiB,
      3 * MiB,
      3 * MiB,
      64 * MiB,
    ])
    const durability = make.pick(['none', 'interval', 'interval', 'interval', 'commit'] as const)
    return openLmdbStore({ path, durability, freezeBytes, clock, log: silentLog })
  }

  /**
   * The folder as it is at one moment. Nothing but other threads changes it meanwhile: files of the
   * log go, all of which is in the tables, and those are read again until they stay the same.
   */
  private copy(): string {
    const folder = this.nextFolder()
    mkdirSync(join(folder, 'log'), { recursive: true })
    for (const name of readdirSync(join(this.folder, 'log'))) {
      try {
        copyFileSync(join(this.folder, 'log', name), join(folder, 'log', name))
      } catch (error) {
        if (errorCode(error) !== 'ENOENT') throw error
      }
    }
    const [from, to] = [join(this.folder, 'data.mdb'), join(folder, 'data.mdb')]
    do copyFileSync(from, to)
    while (!equalBytes(readFileSync(to), readFileSync(from)))
    return folder
  }

  private nextFolder(): string {
    return join(this.parent, String(this.folders++))
  }
}

async function play(t: Test, room: Room, make: ScriptMaker, share: number): Promise<Tally> {
  const run = new StoreRun(room, make)
  await run.run(operations * share)
  const { tally } = run
  t.comment(JSON.stringify(tally))
  t.ok(tally.pauses > 0 && tally.snapshots > 0, 'readers paused')
  return tally
}

t.test('programs over the memory store see and leave what the model says', async (t) => {
  const random = seededRandom(seed)
  const clock = new SteppingClock(seededRandom(seed))
  const store = openMemoryStore(clock)
  t.teardown(() => store.close())
  const room = { store, isOrdered: true, allow: () => clock.allow() }
  await play(t, room, new ScriptMaker(random), 0.5)
})

t.test('programs over the lmdb store do, through checkpoints and new starts', async (t) => {
  const clock = new SteppingClock(seededRandom(seed + 1))
  const make = new ScriptMaker(seededRandom(seed + 2))
  const room = new DiskRoom(await temporaryFolder(t), clock, make)
  t.teardown(() => room.close())
  const tally = await play(t, room, make, 0.4)
  await room.restart()
  const { checkpoints } = room
  t.comment(`${checkpoints} checkpoints`)
  t.ok(checkpoints > 5, 'memtables were frozen and applied')
  t.ok(tally.restarts > 0, 'it was closed and opened')
  t.ok(tally.images + tally.backups > 0, 'its files were looked at')
})

t.test('programs over the late store do, in whatever order they commit', async (t) => {
  const clock = new SteppingClock(seededRandom(seed + 3))
  const store = new LateStore({ seed, conflictChance: 0.1, clock })
  t.teardown(() => store.close())
  const room = { store, isOrdered: false, allow: () => clock.allow() }
  await play(t, room, new ScriptMaker(seededRandom(seed + 4)), 0.1)
})
