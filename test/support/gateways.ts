// Two gateways over one state. Each is a late store; neither is told of what the other one changes.
// So what is right here is right because the store validates it.

import type { Test } from 'tap'
import { type Clock, systemClock } from '../../src/base/clock.js'
import type {
  Awaitable,
  HeldState,
  LargeChanges,
  Program,
  ReadOptions,
  ReadTx,
  Store,
  StoreStats,
  Tx,
} from '../../src/store/store.js'
import { LateStore } from './late-store.js'
import { seed } from './seed.js'

/** Closed with the test. */
export function openGateways(
  t: Test,
  { clock = systemClock, from = seed }: { readonly clock?: Clock; readonly from?: number } = {},
): readonly [LateStore, LateStore] {
  const options = { conflictChance: 0.2, clock }
  const first = new LateStore({ seed: from, ...options })
  const second = new LateStore({ seed: from + 1, ...options, beside: first })
  t.teardown(async () => {
    if (!t.passing()) t.comment(`gateways: SIGIL_SEED=${seed}`)
    await Promise.all([first.close(), second.close()])
  })
  return [first, second]
}

/** One client whose programs go to two gateways in turns. */
export class GatewaysInTurns implements Store {
  private next = 0

  constructor(private readonly both: readonly [Store, Store]) {}

  read<T>(program: (tx: ReadTx) => Program<T>, options?: ReadOptions): Awaitable<T> {
    return this.turn().read(program, options)
  }

  write<T>(program: (tx: Tx) => Program<T>): Promise<T> {
    return this.turn().write(program)
  }

  writeLarge<T>(program: (tx: Tx) => Program<T>, large: LargeChanges): Promise<T> {
    return this.turn().writeLarge(program, large)
  }

  hold(): Awaitable<HeldState> {
    return this.turn().hold()
  }

  stats(): StoreStats {
    return this.turn().stats()
  }

  async close(): Promise<void> {
    for (const gateway of this.both) await gateway.close()
  }

  private turn(): Store {
    return this.both[this.next++ % 2] as Store
  }
}
