// EXEC: runs the queued commands in one program, in order. The error of one command is its reply
// and rolls back no other command. Effects on connections and channels happen after the commit.

import type { Clock } from '../../../base/clock.js'
import { assert } from '../../../base/errors.js'
import { errorLine } from '../../../base/reply-error.js'
import type { Place } from '../../../engine/keyspace/spaces.js'
import type { Metering } from '../../metering.js'
import type { Watches } from '../clients/session.js'
import type { Figures } from '../figures.js'
import { nullArray, type Reply } from '../reply.js'
import type { RevocationChecks } from '../revocation-checks.js'
import { recorded, runLocal } from '../row-running.js'
import type { RunningCall } from '../running-call.js'
import type { Before, Programs } from './programs.js'
import type { TransactionPrograms } from './transaction-programs.js'

/** A watched key changed while EXEC ran; EXEC replies as if it had changed before. */
export class WatchedKeyChanged extends Error {}

/** What EXEC needs from the bus besides programs. */
interface TransactionsOptions {
  readonly clock: Clock
  readonly metering: Metering
  readonly figures: Figures
  readonly revocationChecks: RevocationChecks
  readonly inTransactions: TransactionPrograms
}

export class Transactions {
  constructor(
    private readonly programs: Programs,
    private readonly options: TransactionsOptions,
  ) {}

  /** The reply of EXEC. Rejects if EXEC fails as a whole. */
  async run(call: RunningCall): Promise<Reply> {
    const { session, queue = [] } = call
    const { watches } = session
    session.watches = undefined
    const { clock } = this.options
    const startedMs = clock.elapsed()
    const programs: RunningCall[] = []
    let isWrite = false
    try {
      let { place } = session
      for (let i = 0; i < queue.length; i++) {
        const queued = queue[i] as RunningCall
        place = follow(queued, place)
        const { access } = queued.command
        if (access !== undefined) programs.push(queued)
        if (access === 'write') isWrite = true
        if ((i + 1) % callsAtOnce === 0) await nextTurn()
      }
      const before = watches === undefined ? undefined : areUntouched(watches)
      const { statement } = session
      if (statement !== undefined) {
        await this.options.inTransactions.together(programs, call.now, statement)
      } else if (!(await this.programs.together(programs, call.now, isWrite, before))) {
        return nullArray
      }
    } catch (error) {
      if (error instanceof WatchedKeyChanged) return nullArray
      throw error
    } finally {
      watches?.end()
    }
    const share = (clock.elapsed() - startedMs) / Math.max(1, programs.length)
    const replies: Reply[] = []
    for (const queued of queue) {
      if (queued.command.access === undefined) await this.runLocal(queued, call.now)
      replies.push(queued.reply)
      this.count(queued, share)
      if (replies.length % callsAtOnce === 0) await nextTurn()
    }
    return replies
  }

  private async runLocal(call: RunningCall, now: number): Promise<void> {
    const { row } = call.command
    call.now = now
    try {
      await this.options.revocationChecks.look(call)
      assert(row.grain === 'local' || row.grain === 'task', 'a queued command can be run')
      call.reply = await (row.grain === 'local' ? runLocal(row, call) : row.run(call))
      if (row.isAudited === true) call.reply = await recorded(call)
    } catch (thrown) {
      call.fail(thrown)
    }
  }

  /** `ms` is its share of the program's time. */
  private count({ command, error, session }: RunningCall, ms: number): void {
    const { metering, figures } = this.options
    command.counts.total++
    if (command.access !== undefined) command.counts.ms += ms
    metering.queuedRan(session.protocol)
    if (error === undefined) return
    command.counts.failed++
    figures.failed(errorLine(error))
    metering.failed(session.protocol, error)
  }
}

/** Commands processed in one turn, before and after the program. */
const callsAtOnce = 4_096

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

function areUntouched(watches: Watches): Before {
  return function* (places) {
    return !(yield* watches.isTouched(places))
  }
}

/**
 * Sets the place of a queued command, and returns the place of the next one: SELECT runs only after
 * the program, but its effect starts here.
 */
function follow(call: RunningCall, place: Place): Place {
  call.place = place
  const index = call.command.selects?.(call)
  return index === undefined ? place : place.space.place(index)
}
