// Counts key-value commands that have run: for their rows, for the metrics of all protocols, and
// for MONITOR and SLOWLOG, which follow each command.

import type { GatewayError } from '../../base/errors.js'
import { errorLine } from '../../base/reply-error.js'
import type { Metering } from '../metering.js'
import { mappedError } from '../policy/errors.js'
import type { Followers } from './clients/followers.js'
import type { RunningCall } from './running-call.js'
import type { KeyValueServices } from './services.js'

interface CountingOptions {
  readonly counters: Metering
  readonly followers: Followers
  readonly services: Pick<KeyValueServices, 'figures' | 'log'>
}

export class Counting {
  constructor(private readonly options: CountingOptions) {}

  /** Meters commands of one session that have run; `call` is the last, and each took `ms`. */
  account({ command, session }: RunningCall, ran: number, ms: number, at: number): void {
    const { counters } = this.options
    counters.ran(session.protocol, ms, at + ms, command.row.grain === 'blocking', ran)
    session.lastMs = at
  }

  /** Counts one command that has run. */
  count(call: RunningCall, ms: number): void {
    const { command, error, queue } = call
    const { counts } = command
    counts.total++
    counts.ms += ms
    if (error !== undefined) this.failed(call, error)
    const { followers } = this.options
    if (followers.size === 0) return
    for (const follow of followers) {
      for (const queued of queue ?? []) follow(queued, 0)
      follow(call, ms)
    }
  }

  private failed({ command: { counts, row }, session }: RunningCall, error: GatewayError): void {
    const { counters, services } = this.options
    counts.failed++
    services.figures.failed(errorLine(error))
    counters.failed(session.protocol, error)
    mappedError(error, row.name, services.log)
  }
}
