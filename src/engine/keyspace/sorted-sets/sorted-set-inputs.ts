// Inputs of ZUNION and similar commands: sorted sets, and sets whose members count with score 1. An
// input is read completely or by single lookups, whichever is cheaper.

import type { Slice } from '../../../base/bytes/slice.js'
import { GrowingMap } from '../../../base/heap/growing-map.js'
import { wrongType } from '../../../base/reply-error.js'
import type { ReadAhead } from '../../../store/read-ahead.js'
import { Done } from '../../../store/steps.js'
import type { Program, Step } from '../../../store/store.js'
import { ExpectedMembers } from '../containers/expected-members.js'
import { eachInTurns, mapInTurns } from '../containers/in-turns.js'
import type { Key } from '../keys/key.js'
import type { Keyspace } from '../keyspace.js'
import { type MemberSet, setOf } from '../sets/set.js'
import { type ScoredMember, type SortedSet, sortedSetOf } from './sorted-set.js'

/** The score of a member; undefined if it is not a member. */
export type Scores = (member: Slice) => Step<number | undefined>

/** Above this ratio of size to lookups, an input is read by single lookups. */
const wholeFactor = 8

export interface Input {
  readonly size: number
  all(): Program<ScoredMember[]>
  score(member: Slice): Program<number | undefined>
  /** Prepares for lookups of these members, or of some of them in this order. */
  scores(asked: readonly ScoredMember[]): Program<Scores>
}

/** Throws WRONGTYPE for other types; a missing key is an empty input. */
export function inputOf(ks: Keyspace, key: Key): Input {
  if (key.type === 'set') return new SetInput(ks, key)
  if (key.exists && key.type !== 'zset') throw wrongType()
  return new SortedSetInput(ks, key)
}

abstract class AnyInput implements Input {
  constructor(protected readonly ks: Keyspace) {}

  abstract readonly size: number
  abstract all(): Program<ScoredMember[]>
  protected abstract readonly isSmall: boolean
  abstract score(member: Slice): Program<number | undefined>
  protected abstract ahead(count: number, at: (index: number) => Slice): ReadAhead | undefined

  *scores(asked: readonly ScoredMember[]): Program<Scores> {
    if (!this.isSmall && this.size > asked.length * wholeFactor) return this.scoresOf(asked)
    const whole = new GrowingMap<number>()
    yield* eachInTurns(this.ks.tx, yield* this.all(), ({ member, score }) => {
      whole.set(member.mapKey(), score)
    })
    return (member) => new Done(whole.get(member.mapKey()))
  }

  private scoresOf(asked: readonly ScoredMember[]): Scores {
    const ahead = this.ahead(asked.length, (index) => (asked[index] as ScoredMember).member)
    if (ahead === undefined) return (member) => this.score(member)
    const expected = new ExpectedMembers(
      asked.map(({ member }) => member),
      ahead,
    )
    const score = (member: Slice) => this.score(member)
    return function* (member) {
      yield* expected.before(member)
      return yield* score(member)
    }
  }
}

class SortedSetInput extends AnyInput {
  readonly size: number
  protected readonly isSmall: boolean
  private readonly set: SortedSet

  constructor(ks: Keyspace, key: Key) {
    super(ks)
    this.set = sortedSetOf(ks, key)
    this.size = this.set.size
    this.isSmall = key.head === undefined
  }

  all(): Program<ScoredMember[]> {
    return this.set.byRank(0, this.size)
  }

  score(member: Slice): Program<number | undefined> {
    return this.set.score(member)
  }

  protected ahead(count: number, at: (index: number) => Slice): ReadAhead | undefined {
    return this.set.scoresAhead(count, at)
  }
}

class SetInput extends AnyInput {
  readonly size: number
  protected readonly isSmall: boolean
  private readonly set: MemberSet

  constructor(ks: Keyspace, key: Key) {
    super(ks)
    this.set = setOf(ks, key)
    this.size = this.set.size
    this.isSmall = key.head === undefined
  }

  *all(): Program<ScoredMember[]> {
    return yield* mapInTurns(this.ks.tx, yield* this.set.all(), (member) => ({ member, score: 1 }))
  }

  *score(member: Slice): Program<number | undefined> {
    return (yield* this.set.has(member)) ? 1 : undefined
  }

  protected ahead(count: number, at: (index: number) => Slice): ReadAhead | undefined {
    return this.set.ahead(count, at)
  }
}
