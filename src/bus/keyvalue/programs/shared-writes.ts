// Small commands of several connections that wait for the same group share one program. The fixed
// costs of a program are then paid once, and open containers write their heads once. Each command
// stays atomic. If one makes the program fail, those of each connection run again by themselves, so
// no client waits for the privileges of another.

import {
  sharedCommandBytesMax,
  sharedCommandsMax,
  sharedCommandWordsMax,
  sharedWordsMax,
} from '../../../base/limits.js'
import { isRevocable } from '../../../identity/rights/revocation-check.js'
import type { RunningCall } from '../running-call.js'

/** Calls of a program that has not begun: more may join them. */
export interface SharedProgram {
  /** Those of one connection stand together and in their order. */
  readonly calls: RunningCall[]
  /** Of those that joined last: no command is run at a time before the one that it came at. */
  now: number
  words: number
  /** How many commands joined it. */
  batches: number
  /** When it is committed, and every call has its reply; or why nothing of it is there. */
  readonly over: Promise<Failure | undefined>
}

export interface Failure {
  readonly error: unknown
}

/** Runs calls of one connection whose shared program has failed. */
export type RunAgain = (
  calls: readonly RunningCall[],
  now: number,
  error: unknown,
  wasAlone: boolean,
) => Promise<void>

/** Behind a program that failed, so many times as many do not share as it was of. */
const unsharedTimes = 8

export class SharedWrites {
  private open: SharedProgram | undefined
  /** So many of those that come next do not share: one that keeps failing costs the others less. */
  private unshared = 0

  /** `begin` makes a program of the calls that are there when it begins, and calls `close` then. */
  constructor(
    private readonly begin: (shared: SharedProgram) => Promise<Failure | undefined>,
    private readonly again: RunAgain,
  ) {}

  /** Undefined where they cannot share: then nothing has been done. */
  join(calls: readonly RunningCall[], now: number): Promise<void> | undefined {
    if (this.unshared > 0) {
      this.unshared--
      return undefined
    }
    const words = wordsToShare(calls)
    if (words === undefined) return undefined
    const { open } = this
    if (
      open !== undefined &&
      open.words + words <= sharedWordsMax &&
      open.calls.length + calls.length <= sharedCommandsMax
    ) {
      for (let i = 0; i < calls.length; i++) open.calls.push(calls[i] as RunningCall)
      open.words += words
      open.batches++
      open.now = Math.max(open.now, now)
      return this.outcome(open, calls)
    }
    return this.outcome(this.first(calls, now, words), calls)
  }

  /** No further command joins it: it starts. */
  close(shared: SharedProgram): void {
    if (this.open === shared) this.open = undefined
  }

  private outcome(shared: SharedProgram, calls: readonly RunningCall[]): Promise<void> {
    return shared.over.then((failure) => {
      if (failure === undefined) return undefined
      const wasAlone = shared.batches === 1
      if (!wasAlone) this.unshared = unsharedTimes * shared.batches
      return this.again(calls, shared.now, failure.error, wasAlone)
    })
  }

  private first(calls: readonly RunningCall[], now: number, words: number): SharedProgram {
    let end: (over: SharedProgram['over']) => void = () => {}
    const over: SharedProgram['over'] = new Promise((resolve) => {
      end = resolve
    })
    const shared: SharedProgram = { calls: [...calls], now, words, batches: 1, over }
    this.open = shared
    end(this.begin(shared))
    return shared
  }
}

/** How many words they have together; undefined where one of them is better left alone. */
function wordsToShare(calls: readonly RunningCall[]): number | undefined {
  let words = 0
  for (let i = 0; i < calls.length; i++) {
    const { command, args, session } = calls[i] as RunningCall
    if (!command.isBrief) return undefined
    const { count } = args
    if (count > sharedCommandWordsMax || args.argumentBytes > sharedCommandBytesMax) {
      return undefined
    }
    // A wallet is looked at in the program of its commands, and what it may not do fails them.
    if (isRevocable(session.identity)) return undefined
    words += count
  }
  return words
}
