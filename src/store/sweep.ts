// A sweep is a command in more than one transaction: a generator of phases, each a read or write
// program that a driver runs. A completed phase is permanent. (docs/design/transactions.md, rule 2)

import type { Account } from '../base/work/accounts.js'
import { turnUnits } from '../base/work/work-figures.js'
import type { LargeChanges, Program, ProgramRunner, ReadOptions, ReadTx, Tx } from './store.js'

export type Phase =
  | {
      readonly mode: 'read'
      readonly program: (tx: ReadTx) => Program<unknown>
      readonly options?: ReadOptions
    }
  | {
      readonly mode: 'write'
      readonly program: (tx: Tx) => Program<unknown>
      readonly large?: LargeChanges
    }

export type Sweep<T> = Generator<Phase, T, unknown>

/** One pausable read: `const keys = yield* readPhase((tx) => collect(tx))`. */
export function* readPhase<T>(
  program: (tx: ReadTx) => Program<T>,
  options?: ReadOptions,
): Sweep<T> {
  return (yield options === undefined
    ? { mode: 'read', program }
    : { mode: 'read', program, options }) as T
}

/** Yields to other work, for loops of a sweep that run no program. */
export function pausePhase(): Sweep<void> {
  return readPhase(givesWay)
}

function* givesWay(tx: ReadTx): Program<void> {
  yield* tx.pause(turnUnits)
}

/** One write program; its error is thrown here and may be caught. */
export function* writePhase<T>(program: (tx: Tx) => Program<T>): Sweep<T> {
  return (yield { mode: 'write', program }) as T
}

/** Like writePhase, with changes that exceed the limits of a program. */
export function* largePhase<T>(program: (tx: Tx) => Program<T>, large: LargeChanges): Sweep<T> {
  return (yield { mode: 'write', program, large }) as T
}

/**
 * Runs a sweep to its end. `onPhase` is called before each phase after the first: a throw from it
 * (time limit, kill) is thrown into the sweep there.
 */
export async function runSweep<T>(
  store: ProgramRunner,
  sweep: Sweep<T>,
  onPhase?: () => void,
  account?: Account,
): Promise<T> {
  let next = sweep.next()
  while (next.done !== true) {
    const phase = next.value
    let result: unknown
    try {
      result = await runPhase(store, phase, onPhase, account)
      onPhase?.()
    } catch (error) {
      next = sweep.throw(error)
      continue
    }
    next = sweep.next(result)
  }
  return next.value
}

function runPhase(
  store: ProgramRunner,
  phase: Phase,
  onPause: (() => void) | undefined,
  account: Account | undefined,
): unknown {
  if (phase.mode === 'write') {
    const { program, large } = phase
    if (large === undefined) return store.write(program, account)
    return store.writeLarge(program, large, account)
  }
  const { snapshot = false, serializable = false, runsAgain = false } = phase.options ?? {}
  return store.read(phase.program, { snapshot, serializable, runsAgain, onPause, account })
}
