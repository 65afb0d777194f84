// Where a program reads that can run again. It goes on with guesses, and its first question for a
// few keys is a statement of its own, which checks the guesses. With more questions it goes on in a
// transaction, where all that it was told has to be so as well.

import type { Bytes } from '../../../base/bytes/bytes.js'
import type { Ask, Versioned } from '../../store.js'
import { isCounter } from '../asks.js'
import type { Guesses } from '../guesses.js'
import type { PointReads } from './point-reads.js'
import { type GroupPlace, Outdated, type Place, type ReadGroups } from './read-groups.js'
import { Seen } from './seen.js'
import { keysOf, toldOf } from './sharing.js'

export class StartingPlace implements Place {
  private readonly seen = new Seen()
  /** It was told what no state has confirmed. */
  private isGuessing = false
  private hasAsked = false
  private inGroup: GroupPlace | undefined

  constructor(
    private readonly guesses: Guesses,
    private readonly points: PointReads,
    private readonly groups: ReadGroups,
    private readonly isKept: boolean,
  ) {}

  async answer(ask: Ask): Promise<unknown> {
    if (this.inGroup !== undefined) return this.inGroup.answer(ask)
    const keys = keysOf(ask)
    if (keys !== undefined) {
      const guessed = this.guess(keys)
      if (guessed !== undefined) return toldOf(ask, guessed)
      if (!this.hasAsked && !keys.some(isCounter)) return toldOf(ask, await this.ask(keys))
    }
    this.isGuessing = false
    this.inGroup = this.groups.place()
    if (this.seen.keys.length === 0) return this.inGroup.answer(ask)
    return this.inGroup.answerIfSeen(ask, this.seen)
  }

  confirm(): Promise<void> | undefined {
    return this.isGuessing ? this.ask([]).then(() => undefined) : undefined
  }

  /** Behind it, a program whose state is not kept reads on in another one. */
  pause(): void {
    if (!this.isKept) this.inGroup ??= this.groups.place()
    this.inGroup?.pause()
  }

  leave(): void {
    this.inGroup?.leave()
  }

  private guess(keys: readonly Bytes[]): (Versioned | undefined)[] | undefined {
    const guesses = []
    for (const key of keys) {
      const guess = this.guesses.of(key)
      if (guess === undefined) return undefined
      guesses.push(guess.value)
    }
    this.isGuessing = true
    for (const [at, key] of keys.entries()) this.seen.note(key, guesses[at]?.version)
    return guesses
  }

  /** In a statement of its own, with all that it was told. */
  private async ask(keys: readonly Bytes[]): Promise<readonly (Versioned | undefined)[]> {
    this.hasAsked = true
    this.isGuessing = false
    const { found, changed } = await this.points.ask(keys, this.seen)
    if (changed.length > 0) throw new Outdated(changed)
    for (const [at, key] of keys.entries()) {
      this.seen.note(key, found[at]?.version)
      this.guesses.learn(key, found[at])
    }
    return found
  }
}
