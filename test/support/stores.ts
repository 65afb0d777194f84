// One body of assertions over every store: memory, LMDB in a folder of its own, the late store, two
// late gateways over one state, and one and two gateways on a PostgreSQL. Engines and commands are tested through this, so that no suite
// knows only one of them.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { Test } from 'tap'
import { type Clock, systemClock } from '../../src/base/clock.js'
import { silentLog } from '../../src/base/log.js'
import { openLmdbStore } from '../../src/store/lmdb.js'
import { openMemoryStore } from '../../src/store/memory.js'
import type { Store } from '../../src/store/store.js'
import { GatewaysInTurns, openGateways } from './gateways.js'
import { LateStore } from './late-store.js'
import { postgresMissing } from './postgres-reference.js'
import { givenSeed, isLong, seed } from './seed.js'
import { openShared, sharedAddress } from './shared-stores.js'
import { givenStores, type StoreKind } from './store-kinds.js'

/** Kinds that need a PostgreSQL server. */
const onPostgres: ReadonlySet<StoreKind> = new Set(['postgres', 'shared'])

export interface StoreCase {
  readonly kind: StoreKind
  readonly store: Store
  readonly clock: Clock
}

export interface StoreCaseOptions {
  /** Unless said all three in the long counts and where SIGIL_SEED is given, else two of them. */
  readonly kinds?: readonly StoreKind[]
  /** The machine's unless said. */
  readonly clock?: Clock
  /** Why it is otherwise on a store that gateways share. */
  readonly notShared?: string
}

/** What one finds of the two at hand the other nearly always does too: short runs draw one of them. */
function kindsOf(name: string): readonly StoreKind[] {
  if (givenStores !== undefined) return givenStores
  if (isLong || givenSeed !== undefined) return ['memory', 'lmdb', 'late']
  return [(seed + crc32(name)) % 2 === 0 ? 'memory' : 'lmdb', 'late']
}

/** What runs in memory is right on the stores of SIGIL_STORES too. */
function replaced(kinds: readonly StoreKind[] | undefined): readonly StoreKind[] | undefined {
  if (givenStores === undefined || kinds?.includes('memory') !== true) return kinds
  return givenStores
}

/**
 * Runs `body` once a store, each in a subtest; the store is closed and its folder removed behind it.
 * A failure of the late store prints its seed; SIGIL_SEED brings it back.
 */
export async function eachStore(
  t: Test,
  name: string,
  body: (t: Test, given: StoreCase) => Promise<void>,
  options: StoreCaseOptions = {},
): Promise<void> {
  const clock = options.clock ?? systemClock
  for (const kind of replaced(options.kinds) ?? kindsOf(name)) {
    const skip = onPostgres.has(kind) && (postgresMissing || (options.notShared ?? false))
    await t.test(`${name} (${kind})`, { skip }, async (t) => {
      await body(t, { kind, clock, store: await openStore(t, kind, clock) })
    })
  }
}

/** As eachStore, for what every store owes its programs: on two gateways and PostgreSQL too. */
export function everyStore(
  t: Test,
  name: string,
  body: (t: Test, given: StoreCase) => Promise<void>,
  options: StoreCaseOptions = {},
): Promise<void> {
  const kinds =
    options.kinds ?? givenStores ?? ([...kindsOf(name), 'gateways', 'postgres', 'shared'] as const)
  return eachStore(t, name, body, { ...options, kinds })
}

/** A store that ends with the test. */
export async function openStore(t: Test, kind: StoreKind, clock = systemClock): Promise<Store> {
  const store = await openKind(t, kind, clock)
  t.teardown(() => store.close())
  return store
}

/** A folder that ends with the test. */
export async function temporaryFolder(t: Test): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'sigil-test-'))
  t.teardown(() => rm(path, { recursive: true, force: true }))
  return path
}

/** Late stores by the name of their test. */
const lateStores = new Map<string, number>()

/** No two are late alike, and each is late alike whatever tests ran in the process before. */
function lateSeed(t: Test): number {
  const name = nameOf(t)
  const count = lateStores.get(name) ?? 0
  lateStores.set(name, count + 1)
  return (seed + crc32(name) + count) >>> 0
}

/** Of a test below the file's own: that one's has the command line in it. */
function nameOf(t: Test): string {
  let root: { readonly fullname: string; readonly parent?: unknown } = t
  while (root.parent !== undefined) root = root.parent as typeof root
  return t.fullname.slice(root.fullname.length)
}

async function openKind(t: Test, kind: StoreKind, clock: Clock): Promise<Store> {
  switch (kind) {
    case 'memory':
      return openMemoryStore(clock)
    case 'lmdb': {
      const path = join(await temporaryFolder(t), 'store')
      return openLmdbStore({ path, durability: 'none', clock, log: silentLog })
    }
    case 'gateways':
      return new GatewaysInTurns(openGateways(t, { clock, from: lateSeed(t) }))
    case 'postgres':
      return openShared(t, await sharedAddress(t), { clock })
    case 'shared': {
      const address = await sharedAddress(t)
      const first = await openShared(t, address, { clock })
      return new GatewaysInTurns([first, await openShared(t, address, { clock })])
    }
    case 'late': {
      t.teardown(() => {
        if (!t.passing()) t.comment(`late store: SIGIL_SEED=${seed}`)
      })
      return new LateStore({ seed: lateSeed(t), conflictChance: 0.2, clock })
    }
  }
}
