// Small commands of several connections that wait for the same group share one program. They share
// its fixed costs, and open containers write their heads once. Each command stays atomic. If the
// program fails, the commands of each connection run again by themselves, so no client waits for
// the privileges of another.

import { assert } from '../../../base/errors.js'
import { programPutsMax } from '../../../base/limits/engine.js'
import { KiB } from '../../../base/units.js'
import { isRevocable } from '../../../identity/rights/revocation-check.js'
import type { RunningCall } from '../running-call.js'

/**
 * Commands of several connections that share a program, and their words: a few milliseconds of
 * work; words and bytes of one such command. A larger one runs alone.
 */
export const sharedCommandsMax = 512
export const sharedWordsMax = 2_048
export const sharedCommandWordsMax = 64
export const sharedCommandBytesMax = 4 * KiB
assert(2 * sharedWordsMax < programPutsMax, 'what is shared is no large program')

/** Calls of a program that has not begun; more may join. */
export interface SharedProgram {
  /** Calls of one connection are adjacent and in order. */
  readonly calls: RunningCall[]
  /** Time of the last join, so that no command runs at a time before its arrival. */
  now: number
  words: number
  /** Number of batches that joined. */
  batches: number
  /** Resolves after the commit, when every call has its reply, or with the reason for a failure. */
  readonly over: Promise<Failure | undefined>
}

export interface Failure {
  readonly error: unknown
}

/** Runs the calls of one connection again after their shared program failed. */
type RunAgain = (
  calls: readonly RunningCall[],
  now: number,
  error: unknown,
  wasAlone: boolean,
) => Promise<void>

/** After a failed program, this many times its batches do not share. */
const unsharedTimes = 8

export class SharedWrites {
  private open: SharedProgram | undefined
  /** Number of next batches that do not share, so that a repeated failure costs the others less. */
  private unshared = 0

  /** `begin` runs a program of the calls present at its start, and calls `close` then. */
  constructor(
    private readonly begin: (shared: SharedProgram) => Promise<Failure | undefined>,
    private readonly again: RunAgain,
  ) {}

  /** Undefined if these calls cannot share a program; nothing has happened then. */
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

  /** Closes the program to further calls, because it starts. */
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

/** Their number of words; undefined if one of them must not share. */
function wordsToShare(calls: readonly RunningCall[]): number | undefined {
  let words = 0
  for (let i = 0; i < calls.length; i++) {
    const { command, args, session } = calls[i] as RunningCall
    if (!command.isBrief) return undefined
    const { count } = args
    if (count > sharedCommandWordsMax || args.argumentBytes > sharedCommandBytesMax) {
      return undefined
    }
    // A wallet's check runs inside its program, and a failed check would fail the whole program.
    if (isRevocable(session.identity)) return undefined
    words += count
  }
  return words
}
