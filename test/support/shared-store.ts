// One store in this process as several gateways have it: none is told of what the others change,
// as over a database on another machine. It is closed with the last of them.

import type { Account } from '../../src/base/work/accounts.js'
import { openMemoryStore } from '../../src/store/memory.js'
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

export function openSharedStores(count: number): readonly Store[] {
  const store = openMemoryStore()
  let open = count
  const close = async () => {
    open--
    if (open === 0) await store.close()
  }
  return Array.from({ length: count }, () => new SharedStore(store, close))
}

class SharedStore implements Store {
  readonly ownsData = false

  constructor(
    private readonly inner: Store,
    readonly close: () => Promise<void>,
  ) {}

  read<T>(program: (tx: ReadTx) => Program<T>, options?: ReadOptions): Awaitable<T> {
    return this.inner.read(program, options)
  }

  write<T>(program: (tx: Tx) => Program<T>, account?: Account): Promise<T> {
    return this.inner.write(program, account)
  }

  writeLarge<T>(
    program: (tx: Tx) => Program<T>,
    large: LargeChanges,
    account?: Account,
  ): Promise<T> {
    return this.inner.writeLarge(program, large, account)
  }

  hold(): Awaitable<HeldState> {
    return this.inner.hold()
  }

  stats(): StoreStats {
    return this.inner.stats()
  }
}
