// Runs the programs of a write group side by side, to learn what they read in few round trips. What
// they change is discarded: they run in order afterwards, on what is known then.

import type { Bytes } from '../../base/bytes/bytes.js'
import type { WriteProgram } from '../programs/group.js'
import { WriteBuffer } from '../programs/write-buffer.js'
import type { Ask, Program, Tx } from '../store.js'
import type { Guesses } from './guesses.js'
import type { Known } from './known.js'
import type { Link } from './link.js'

interface LearningOptions {
  readonly link: Link
  readonly known: Known
  readonly guesses: Guesses
  readonly nextVersion: () => number
  readonly txOn: (buffer: WriteBuffer) => Tx
  /** Runs a part of a program within its work budget. */
  readonly slice: <T>(act: () => T) => T
}

/** Resolves to whether the programs record changes. */
export async function learn(
  programs: readonly WriteProgram[],
  options: LearningOptions,
): Promise<boolean> {
  const { known, link } = options
  let running = programs.map((make) => new Learner(make, options))
  let isRecording = false
  for (;;) {
    isRecording ||= running.some((learner) => learner.hasRecorded)
    running = running.filter((learner) => !learner.hasEnded)
    if (running.length === 0) return isRecording
    const asks = running.flatMap((learner) => learner.asks())
    await known.learn(link, asks)
    running = running.map((learner) => {
      const right = learner.hasGuessedRight() ? learner : new Learner(learner.make, options)
      right.goOn((ask) => known.answer(ask))
      return right
    })
  }
}

/** One program. If it throws, it does so again when it runs in order. */
class Learner {
  private readonly buffer: WriteBuffer
  private program: Program<unknown> | undefined
  /** What it waits for. */
  private ask: Ask | undefined
  private hasThrown = false
  /** What it went on with before the answer had come. */
  private readonly guessed: { readonly key: Bytes; readonly version: number | undefined }[] = []

  constructor(
    readonly make: WriteProgram,
    private readonly options: LearningOptions,
  ) {
    this.buffer = new WriteBuffer(options.nextVersion)
    this.tried(() => {
      this.program = make(options.txOn(this.buffer))
      this.next(undefined)
    })
  }

  get hasEnded(): boolean {
    return this.ask === undefined
  }

  get hasRecorded(): boolean {
    return this.hasEnded && !this.hasThrown && this.buffer.appended !== undefined
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
        this.next(answered.value)
      }
    })
  }

  private next(answer: unknown): void {
    const next = this.program?.next(answer)
    this.ask = next?.done === false ? next.value : undefined
  }

  private tried(act: () => void): void {
    try {
      this.options.slice(act)
    } catch {
      this.ask = undefined
      this.hasThrown = true
    }
  }
}
