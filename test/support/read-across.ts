// A read on one snapshot that begins before writes and ends behind them: whatever they do, it sees
// what was there before.

import { turnUnits } from '../../src/base/work/work-figures.js'
import type { KeyRange, Program, ReadTx, Store } from '../../src/store/store.js'

/** What `look` sees behind the writes, on a snapshot that a scan of `range` began before them. */
export async function readAcross<T>(
  store: Store,
  written: readonly Promise<unknown>[],
  range: KeyRange,
  look: (tx: ReadTx) => Program<T>,
): Promise<T> {
  let isOver = false
  void Promise.all(written).then(() => {
    isOver = true
  })
  return store.read(
    function* (tx) {
      yield* tx.scan(range, 1)
      while (!isOver) yield* tx.pause(turnUnits)
      return yield* look(tx)
    },
    { snapshot: true },
  )
}
