// Numbers that are given once, such as ids of collections, containers and large values, in blocks.
// A block is taken by a statement of its own, which commits before any of its numbers is used, so
// groups of several gateways do not conflict on the record. Numbers that are left are never given.
// (docs/design/many-gateways.md, "The store")

import { type Bytes, mapKey } from '../../base/bytes/bytes.js'
import { assert } from '../../base/errors.js'
import { GivenNumbers, NumberRanges } from '../programs/number-ranges.js'
import { Asked } from '../steps.js'
import type { Numbers, Program, Step } from '../store.js'
import { type Link, settled } from './link.js'
import { packOne } from './packed.js'
import type { Statement } from './statement.js'

/** Numbers of a block, if no more are wanted at once. */
const blockNumbers = 256

/**
 * A record is the next number, in eight bytes (catalog-ids.ts); without one that is 1. Whatever
 * DURABILITY says, no crash takes a block back: a command may hold a number of it for long.
 */
const takeNumbers: Statement = {
  name: 'take_numbers',
  text: `INSERT INTO pairs AS p (key, version, value)
    VALUES ($1::bytea, 0, int8send(1 + $2::bigint))
    ON CONFLICT (key) DO UPDATE
      SET value = int8send(('x' || encode(p.value, 'hex'))::bit(64)::bigint + $2::bigint)
    RETURNING ('x' || encode(value, 'hex'))::bit(64)::bigint - $2::bigint,
      set_config('synchronous_commit', 'on', true)`,
}

/** Runs statements outside of any transaction. */
type RunBeside = <T>(run: (link: Link) => Promise<T>) => Promise<T>

/** Numbers that a group needs before it can go on, by the key of the record. */
export type WantedNumbers = Map<string, { readonly counter: Bytes; readonly count: number }>

/** The numbers of one run of a program. */
export interface ProgramNumbers extends Numbers {
  /** The program has run to its end: what it foresaw and did not use is free again. */
  keepUsed(): void
  /** The program has failed, or its group does not commit: its next run gets the same numbers. */
  giveBack(): void
}

/** The blocks of one gateway, by the key of the record. */
export class NumberBlocks {
  private readonly blocks = new Map<string, NumberRanges>()
  private writer: Link | undefined

  constructor(private readonly beside: RunBeside) {}

  /**
   * Forgets all blocks if the gateway writes on another connection than before: PostgreSQL may have
   * lost the last commits in a crash, and would give their numbers again.
   */
  useOn(writer: Link): void {
    if (this.writer !== writer) this.blocks.clear()
    this.writer = writer
  }

  has(counter: Bytes, count: number): boolean {
    return this.blocks.get(mapKey(counter))?.has(count) === true
  }

  /** Takes new blocks. */
  async fill(wanted: WantedNumbers): Promise<void> {
    const { writer } = this
    const taken = [...wanted].map(async ([name, { counter, count }]) => {
      const size = Math.max(count, blockNumbers)
      const rows = await this.beside((link) => link.run(takeNumbers, [packOne(counter), size]))
      if (this.writer !== writer) return
      const ranges = this.blocks.get(name) ?? new NumberRanges()
      ranges.add(Number(rows[0]?.[0]), size)
      this.blocks.set(name, ranges)
    })
    await settled(taken)
  }

  /** For programs that run to learn what they need: each number will probably be given next. */
  foreseen(): Numbers {
    const before = new Map<string, number>()
    const { blocks } = this
    function* take(counter: Bytes, count: number): Program<number> {
      const name = mapKey(counter)
      const others = before.get(name) ?? 0
      before.set(name, others + count)
      for (;;) {
        const number = blocks.get(name)?.foresee(count, others)
        if (number !== undefined) return number
        yield* filled(counter, others + count)
      }
    }
    return { take, foresee: (counter) => take(counter, 1), use: () => undefined }
  }

  given(): ProgramNumbers {
    const given = new GivenNumbers()
    const { blocks } = this
    function* take(counter: Bytes, count: number, isUsed: boolean): Program<number> {
      for (;;) {
        const ranges = blocks.get(mapKey(counter))
        if (ranges?.has(count) === true) return given.take(ranges, count, isUsed)
        yield* filled(counter, count)
      }
    }
    return {
      take: (counter, count) => take(counter, count, true),
      foresee: (counter) => take(counter, 1, false),
      use(counter, number) {
        const ranges = blocks.get(mapKey(counter))
        assert(ranges !== undefined, 'the number was foreseen')
        given.use(ranges, number)
      },
      keepUsed: () => given.keepUsed(),
      giveBack: () => given.giveBack(),
    }
  }
}

/** Waits until a block has so many numbers. */
function filled(counter: Bytes, count: number): Step<void> {
  return new Asked({ kind: 'numbers', counter, count }, () => undefined)
}
