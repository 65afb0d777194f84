// Numbers that are given once and never again, such as ids of collections and of large values. A
// transaction takes them in blocks, each by a program of its own. If it counted in its own state,
// any two transactions that need a number would conflict. (docs/design/transactions.md, rule 18)

import { type Bytes, mapKey } from '../../base/bytes/bytes.js'
import type { Account } from '../../base/work/accounts.js'
import { GivenNumbers, NumberRanges } from '../programs/number-ranges.js'
import type { AllocateNumbers, Numbers, Program, ReadTx, Store } from '../store.js'

/** Numbers of a block; those that are left at the end are never given. */
const blockNumbers = 8

/** The numbers of one program of the transaction. */
interface ProgramNumbers extends Numbers {
  /** The program has returned: what it foresaw and did not use is free again. */
  keepUsed(): void
  /** The program has failed: its next run is to get the same numbers, as in a plain store. */
  giveBack(): void
}

export class NumberBlocks {
  /** By the key of the counter, in mapKey form. */
  private readonly blocks = new Map<string, NumberRanges>()

  constructor(private readonly store: Pick<Store, 'write'>) {}

  /** For a program that reads by `reading`. */
  of(reading: ReadTx, account: Account | undefined): ProgramNumbers {
    const given = new GivenNumbers()
    const { store } = this
    const rangesOf = (counter: Bytes) => this.rangesOf(counter)
    function* take(
      counter: Bytes,
      count: number,
      allocate: AllocateNumbers,
      isUsed: boolean,
    ): Program<number> {
      const ranges = rangesOf(counter)
      if (!ranges.has(count)) {
        const size = Math.max(count, blockNumbers)
        const begin = () => ({
          done: store
            .write((tx) => allocate(tx, size), account)
            .then((next) => ranges.add(next, size)),
          end: () => undefined,
        })
        // The reads of a held state may wait, so it is never refused.
        yield* reading.elsewhere({ refusal: undefined, begin })
      }
      return given.take(ranges, count, isUsed)
    }
    return {
      take: (counter, count, allocate) => take(counter, count, allocate, true),
      foresee: (counter, allocate) => take(counter, 1, allocate, false),
      use: (counter, number) => given.use(rangesOf(counter), number),
      keepUsed: () => given.keepUsed(),
      giveBack: () => given.giveBack(),
    }
  }

  private rangesOf(counter: Bytes): NumberRanges {
    const name = mapKey(counter)
    const ranges = this.blocks.get(name) ?? new NumberRanges()
    this.blocks.set(name, ranges)
    return ranges
  }
}
