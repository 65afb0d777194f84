// Runs the programs of a write group side by side, to learn what they read in few round trips. They
// take effect in order afterwards. If an earlier program has changed what one has read, it runs
// again then, on what is known; else this run counts.

import type { Bytes } from '../../base/bytes/bytes.js'
import { type Applied, AskingTx } from '../programs/asking.js'
import type { WriteProgram } from '../programs/group.js'
import { WriteBuffer } from '../programs/write-buffer.js'
import type { Ask, Numbers, Program } from '../store.js'
import type { Guesses } from './guesses.js'
import type { Known } from './known.js'
import type { Link } from './link.js'

interface LearningOptions {
  readonly link: Link
  readonly known: Known
  readonly guesses: Guesses
  readonly nextVersion: () => number
  readonly foreseen: Numbers
  /** `Tx.gateway` of the programs. */
  readonly gateway: string
  /** Runs a part of a program within its work budget. */
  readonly slice: <T>(act: () => T) => T
}

/** A run that may take effect as it is. */
export interface LearnedRun {
  readonly value: unknown
  readonly buffer: WriteBuffer
  readonly applied: readonly Applied[]
}

/**
 * The first programs in their order, each with its run: all, unless they read much. The group keeps
 * that to its end.
 */
export async function learn(
  programs: readonly WriteProgram[],
  options: LearningOptions,
): Promise<readonly Learner[]> {
  const { known, link } = options
  let learners = programs.map((make) => new Learner(make, options))
  for (;;) {
    if (known.isFull) learners = firstHalf(learners)
    const running = new Set(learners.filter((learner) => !learner.hasEnded))
    if (running.size === 0) return learners
    const asks = [...running].flatMap((learner) => learner.asks())
    await known.learn(link, asks)
    learners = learners.map((learner) => {
      if (!running.has(learner)) return learner
      const right = learner.hasGuessedRight() ? learner : new Learner(learner.make, options)
      right.goOn((ask) => known.answer(ask))
      return right
    })
  }
}

/** Of programs that have not all ended, half, or those that have before one that has not. */
function firstHalf(learners: readonly Learner[]): Learner[] {
  const running = learners.findIndex((learner) => !learner.hasEnded)
  return running < 0 ? [...learners] : learners.slice(0, Math.max(running, learners.length >> 1, 1))
}

/** One program. If it throws, it does so again when it runs in order. */
export class Learner {
  private readonly buffer: WriteBuffer
  private readonly tx: AskingTx
  private program: Program<unknown> | undefined
  private value: unknown
  /** What it waits for. */
  private ask: Ask | undefined
  private hasThrown = false
  /** The numbers that it was given may be given to an earlier program. */
  private hasNumbers = false
  private readonly asked: Ask[] = []
  /** What it went on with before the answer had come. */
  private readonly guessed: { readonly key: Bytes; readonly version: number | undefined }[] = []

  constructor(
    readonly make: WriteProgram,
    private readonly options: LearningOptions,
  ) {
    this.buffer = new WriteBuffer(options.nextVersion)
    this.tx = new AskingTx(this.buffer, options.gateway, this.numbers())
    this.tried(() => {
      this.program = make(this.tx)
      this.next(undefined)
    })
  }

  get hasEnded(): boolean {
    return this.ask === undefined
  }

  get hasRecorded(): boolean {
    return this.hasEnded && !this.hasThrown && this.buffer.appended !== undefined
  }

  /** Undefined if the program has to run again, behind what is known now. */
  get run(): LearnedRun | undefined {
    const { tx, buffer, value, asked } = this
    if (this.hasThrown || this.hasNumbers || tx.knowsVersions) return undefined
    if (asked.some((ask) => this.options.known.hasChanged(ask))) return undefined
    return { value, buffer, applied: tx.applied }
  }

  /** What it asks for, and what it would ask for behind that if the guesses are right. */
  asks(): Ask[] {
    const { known, guesses } = this.options
    const asks: Ask[] = []
    this.goOn((ask) => {
      const answered = known.answer(ask)
      if (answered !== undefined) return answered
      asks.push(ask)
      if (ask.kind !== 'get') return undefined
      const guess = guesses.of(ask.key)
      if (guess !== undefined) this.guessed.push({ key: ask.key, version: guess.value?.version })
      return guess
    })
    return asks
  }

  hasGuessedRight(): boolean {
    const { known } = this.options
    return this.guessed.every(({ key, version }) => known.versionOf(key) === version)
  }

  /** Goes on as far as there are answers. */
  goOn(answerOf: (ask: Ask) => { readonly value: unknown } | undefined): void {
    this.tried(() => {
      while (this.ask !== undefined) {
        const answered = answerOf(this.ask)
        if (answered === undefined) return
        this.asked.push(this.ask)
        this.next(answered.value)
      }
    })
  }

  private next(answer: unknown): void {
    const next = this.program?.next(answer)
    this.ask = next?.done === false ? next.value : undefined
    if (next?.done === true) this.value = next.value
  }

  private tried(act: () => void): void {
    try {
      this.options.slice(act)
    } catch {
      this.ask = undefined
      this.hasThrown = true
    }
  }

  private numbers(): Numbers {
    const { foreseen } = this.options
    const noted = () => {
      this.hasNumbers = true
      return foreseen
    }
    return {
      take: (...args) => noted().take(...args),
      foresee: (...args) => noted().foresee(...args),
      use: (...args) => noted().use(...args),
    }
  }
}
