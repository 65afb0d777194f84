// Numbers that are given once and never again, such as ids of collections and of large values. A
// transaction takes them in blocks, each by a program of its own. If it counted in its own state,
// any two transactions that need a number would conflict. (docs/design/transactions.md, rule 18)

import { mapKey } from '../../base/bytes/bytes.js'
import { assert } from '../../base/errors.js'
import type { Account } from '../../base/work/accounts.js'
import type { Numbers, ReadTx, Store } from '../store.js'

/** Numbers of a block; those that are left at the end are never given. */
const blockNumbers = 8

interface Block {
  next: number
  readonly end: number
}

/** The numbers of one program of the transaction. */
interface ProgramNumbers extends Numbers {
  /** The program has failed: its next run is to get the same numbers, as in a plain store. */
  giveBack(): void
}

export class NumberBlocks {
  /** By the key of the counter, in mapKey form. */
  private readonly blocks = new Map<string, Block[]>()

  constructor(private readonly store: Pick<Store, 'write'>) {}

  /** For a program that reads by `reading`. */
  of(reading: ReadTx, account: Account | undefined): ProgramNumbers {
    const given = new Map<Block[], Block[]>()
    const allBlocks = this.blocks
    const { store } = this
    return {
      *take(counter, count, allocate) {
        const name = mapKey(counter)
        const blocks = allBlocks.get(name) ?? []
        allBlocks.set(name, blocks)
        if (!blocks.some((block) => hasRoom(block, count))) {
          const size = Math.max(count, blockNumbers)
          const begin = () => ({
            done: store
              .write((tx) => allocate(tx, size), account)
              .then((next) => {
                blocks.push({ next, end: next + size })
              }),
            end: () => undefined,
          })
          // The reads of a held state may wait, so it is never refused.
          yield* reading.elsewhere({ refusal: undefined, begin })
        }
        const block = blocks.find((each) => hasRoom(each, count))
        assert(block !== undefined, 'a block has been allocated')
        const first = block.next
        block.next += count
        const mine = given.get(blocks) ?? []
        mine.push({ next: first, end: block.next })
        given.set(blocks, mine)
        return first
      },
      giveBack() {
        for (const [blocks, mine] of given) blocks.unshift(...mine)
        given.clear()
      },
    }
  }
}

function hasRoom({ next, end }: Block, count: number): boolean {
  return end - next >= count
}
