// EXEC: what was queued, in one program and one after the other. An error of one command is its
// reply and undoes nothing of the others; what a connection or a channel is told happens after the
// commit.

import { assert } from '../../../base/errors.js'
import { errorLine } from '../../../base/reply-error.js'
import type { Place } from '../../../engine/keyspace/spaces.js'
import type { KeyValueCall } from '../call.js'
import type { Watches } from '../clients/session.js'
import { nullArray, type Reply } from '../reply.js'
import type { Before, Programs } from './programs.js'

/** A watched key has changed while EXEC ran: as if that had been seen before. */
export class WatchedKeyChanged extends Error {}

export class Transactions {
  constructor(private readonly programs: Programs) {}

  /** The reply of EXEC. Rejects with what fails the whole of it. */
  async run(call: KeyValueCall): Promise<Reply> {
    const { session, queue = [] } = call
    const { watches } = session
    session.watches = undefined
    const { clock } = call.bus.services
    const startedMs = clock.elapsed()
    const programs: KeyValueCall[] = []
    let isWrite = false
    try {
      let { place } = session
      for (let i = 0; i < queue.length; i++) {
        const queued = queue[i] as KeyValueCall
        place = follow(queued, place)
        const { access } = queued.command
        if (access !== undefined) programs.push(queued)
        if (access === 'write') isWrite = true
        if ((i + 1) % callsAtOnce === 0) await nextTurn()
      }
      const before = watches === undefined ? undefined : areUntouched(watches)
      if (!(await this.programs.together(programs, call.now, isWrite, before))) {
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
      if (queued.command.access === undefined) await runLocal(queued, call.now)
      replies.push(queued.reply)
      count(queued, share)
      if (replies.length % callsAtOnce === 0) await nextTurn()
    }
    return replies
  }
}

/** Commands that are gone through in one turn, before the program and behind it. */
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

/** SELECT holds for the commands behind it, which run before it does: answers their place. */
function follow(call: KeyValueCall, place: Place): Place {
  call.place = place
  const index = call.command.selects?.(call)
  return index === undefined ? place : place.space.place(index)
}

async function runLocal(call: KeyValueCall, now: number): Promise<void> {
  const { row } = call.command
  call.now = now
  try {
    await call.bus.look(call)
    assert(row.grain === 'local' || row.grain === 'task', 'a queued command can be run')
    call.reply = await row.run(call)
  } catch (thrown) {
    call.fail(thrown)
  }
}

/** `ms` is its share of what the program took. */
function count({ command, error, bus, session }: KeyValueCall, ms: number): void {
  command.counts.total++
  if (command.access !== undefined) command.counts.ms += ms
  bus.metering.queuedRan(session.protocol)
  if (error === undefined) return
  command.counts.failed++
  bus.services.figures.failed(errorLine(error))
  bus.metering.failed(session.protocol, error)
}
