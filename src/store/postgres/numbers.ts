// Numbers that are given once, such as ids of collections, containers and large values, in blocks.
// A block is taken by a statement of its own, which commits before any of its numbers is used, so
// groups of several gateways do not conflict on the record. Numbers that are left are never given.
// (docs/design/many-gateways.md, "The store")

import { type Bytes, mapKey } from '../../base/bytes/bytes.js'
import { Asked } from '../steps.js'
import type { Numbers, Step } from '../store.js'
import { type Link, type Statement, settled } from './link.js'
import { packOne } from './packed.js'

/** Numbers of a block, if no more are wanted at once. */
const blockNumbers = 256

/** A record is the next number, in eight bytes (catalog-ids.ts); without one that is 1. */
const takeNumbers: Statement = {
  name: 'take_numbers',
  text: `INSERT INTO pairs AS p (key, version, value)
    VALUES ($1::bytea, 0, int8send(1 + $2::bigint))
    ON CONFLICT (key) DO UPDATE
      SET value = int8send(('x' || encode(p.value, 'hex'))::bit(64)::bigint + $2::bigint)
    RETURNING ('x' || encode(value, 'hex'))::bit(64)::bigint - $2::bigint`,
}

interface Block {
  next: number
  readonly end: number
}

/** Runs statements outside of any transaction. */
type RunBeside = <T>(run: (link: Link) => Promise<T>) => Promise<T>

/** Numbers that a group needs before it can go on. */
type Wanted = ReadonlyMap<string, { readonly counter: Bytes; readonly count: number }>

/** The blocks of one gateway, by the key of the record. */
export class NumberBlocks {
  private readonly blocks = new Map<string, Block>()
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
    const block = this.blocks.get(mapKey(counter))
    return block !== undefined && block.end - block.next >= count
  }

  /** Takes new blocks; what is left of those before is not given. */
  async fill(wanted: Wanted): Promise<void> {
    const { writer } = this
    const taken = [...wanted].map(async ([name, { counter, count }]) => {
      const size = Math.max(count, blockNumbers)
      const rows = await this.beside((link) => link.run(takeNumbers, [packOne(counter), size]))
      const next = Number(rows[0]?.[0])
      if (this.writer === writer) this.blocks.set(name, { next, end: next + size })
    })
    await settled(taken)
  }

  /** For programs that run to learn what they need: each number will probably be given next. */
  foreseen(): Numbers {
    const given = new Map<string, number>()
    return this.numbers((counter, count) => {
      const before = given.get(mapKey(counter)) ?? 0
      const block = this.blocks.get(mapKey(counter))
      if (block === undefined || !this.has(counter, before + count)) return before + count
      given.set(mapKey(counter), before + count)
      return { first: block.next + before }
    })
  }

  given(): Numbers {
    return this.numbers((counter, count) => {
      const block = this.blocks.get(mapKey(counter))
      if (block === undefined || !this.has(counter, count)) return count
      const first = block.next
      block.next += count
      return { first }
    })
  }

  /** `take` returns the first number, or how many the block is to have. */
  private numbers(
    take: (counter: Bytes, count: number) => { readonly first: number } | number,
  ): Numbers {
    return {
      *take(counter, count) {
        for (;;) {
          const taken = take(counter, count)
          if (typeof taken === 'object') return taken.first
          const filled: Step<void> = new Asked(
            { kind: 'numbers', counter, count: taken },
            () => undefined,
          )
          yield* filled
        }
      },
    }
  }
}
