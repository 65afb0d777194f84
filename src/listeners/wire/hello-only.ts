// Clients that connect, say hello and leave without a command, again and again: their URI asks for
// another kind of server. The driver reports a timeout and no reason, so the log has one.

import type { Clock } from '../../base/clock.js'
import {
  helloOnlyRepeatMs,
  helloOnlyStayMsMax,
  helloOnlyVisits,
  helloOnlyWithinMs,
  watchedClientsMax,
} from '../../base/limits/connections.js'
import type { Log } from '../../base/log.js'
import type { Topology } from '../../base/setting-kinds.js'
import type { Session } from '../../bus/session.js'

/** What clients of one kind at one address have done. */
interface Client {
  /** When the last of them sent a command other than hello; undefined if none has. */
  commandMs: number | undefined
  /** Connections with hello only, and when the first of them ended. */
  visits: number
  firstMs: number
  /** When the log was told. */
  toldMs: number | undefined
}

export class HelloOnly {
  /** By address and metadata of the client; the one known longest makes room. */
  private readonly clients = new Map<string, Client>()

  constructor(
    private readonly topology: Topology,
    private readonly clock: Clock,
    private readonly log: Pick<Log, 'warn'>,
  ) {}

  begin(session: Session): Visit {
    const beganMs = this.clock.elapsed()
    const { identity } = session
    return new Visit({
      stays: () => this.stays(session),
      leaves: () => {
        // A hello can sign in.
        if (session.identity !== identity) this.stays(session)
        else this.leaves(session, this.clock.elapsed() - beganMs)
      },
    })
  }

  private stays(session: Session): void {
    const client = this.clientOf(session)
    client.commandMs = this.clock.elapsed()
    client.visits = 0
  }

  private leaves(session: Session, ms: number): void {
    if (ms > helloOnlyStayMsMax) return
    const client = this.clientOf(session)
    const now = this.clock.elapsed()
    const isRecent = (since: number | undefined, within: number) =>
      since !== undefined && now - since < within
    // Monitors of a driver that works leave the same way.
    if (isRecent(client.commandMs, helloOnlyWithinMs)) return
    if (client.visits === 0 || !isRecent(client.firstMs, helloOnlyWithinMs)) {
      client.visits = 0
      client.firstMs = now
    }
    client.visits++
    if (client.visits < helloOnlyVisits || isRecent(client.toldMs, helloOnlyRepeatMs)) return
    client.toldMs = now
    const { address } = session
    this.log.warn({ address, topology: this.topology }, adviceFor(this.topology))
  }

  private clientOf({ address, clientMetadata }: Session): Client {
    const metadata = Buffer.from(clientMetadata ?? [])
    const name = `${address} ${metadata.toString('latin1')}`
    const known = this.clients.get(name)
    if (known !== undefined) return known
    const client = { commandMs: undefined, visits: 0, firstMs: 0, toldMs: undefined }
    this.clients.set(name, client)
    if (this.clients.size > watchedClientsMax) {
      for (const oldest of this.clients.keys()) {
        this.clients.delete(oldest)
        break
      }
    }
    return client
  }
}

interface Outcomes {
  readonly stays: () => void
  readonly leaves: () => void
}

/** A connection that has sent no command but hello. */
export class Visit {
  private hasHello = false

  constructor(private readonly outcomes: Outcomes) {}

  /** Notes a command by its name; false if the visit is over. */
  goesOn(command: string | undefined): boolean {
    if (command === 'hello' || command?.toLowerCase() === 'ismaster') {
      this.hasHello = true
      return true
    }
    this.outcomes.stays()
    return false
  }

  /** The connection has closed. */
  end(): void {
    if (this.hasHello) this.outcomes.leaves()
  }
}

function adviceFor(topology: Topology): string {
  const seen = 'a client connects, says hello and leaves without a command: '
  if (topology.startsWith('replica-set:')) {
    return (
      `${seen}either its URI names another replicaSet than the setting TOPOLOGY, or it cannot ` +
      'reach the address in the setting PUBLIC_WIRE_ADDRESS'
    )
  }
  return (
    `${seen}its URI may have replicaSet=<name>; remove that, or set ` +
    'TOPOLOGY=replica-set:<name> and PUBLIC_WIRE_ADDRESS'
  )
}
