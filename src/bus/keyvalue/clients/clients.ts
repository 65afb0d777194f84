// The key-value clients of this process, by number: for CLIENT LIST and KILL, for the figures of
// INFO, and for messages to all of them.

import type { KeyValueSession } from './session.js'

export class Clients {
  /** In order of connection. */
  readonly sessions = new Map<number, KeyValueSession>()
  /** Number of clients since the start. */
  accepted = 0
  rejected = 0

  add(session: KeyValueSession): void {
    this.sessions.set(session.id, session)
    this.accepted++
  }

  remove(session: KeyValueSession): void {
    this.sessions.delete(session.id)
  }

  /** Clients that wait for a key now. It is exact, because tests of Redis poll it. */
  get blocked(): number {
    let blocked = 0
    for (const session of this.sessions.values()) if (session.isBlocked) blocked++
    return blocked
  }
}
