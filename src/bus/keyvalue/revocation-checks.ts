// Revocation checks for commands without a program and for channels: whether the login is still
// valid, and whether the channels of a space are open to it.

import type { Space } from '../../engine/keyspace/spaces.js'
import type { Identity } from '../../identity/identity.js'
import { isRevocable, noWallets } from '../../identity/rights/revocation-check.js'
import type { Awaitable, Program, ReadTx, Store } from '../../store/store.js'
import type { KeyValueSession } from './clients/session.js'
import type { Command } from './command.js'
import { accessRefusal, noChannelPermission } from './refusals.js'
import type { RunningCall } from './running-call.js'
import type { KeyValueServices } from './services.js'

export class RevocationChecks {
  constructor(
    private readonly store: Store,
    private readonly services: KeyValueServices,
  ) {}

  /**
   * Checks the sender of a call without a program. Throws or rejects if it is refused; the operator
   * always passes.
   */
  look({ session, command }: RunningCall): Awaitable<void> {
    const { facts, row } = command
    const { kind } = session.identity
    if (kind === 'operator' || facts.access === 'anonymous') return undefined
    const { channels } = row
    if (kind === 'anonymous' && channels === undefined) return undefined
    return this.store.read((tx) => this.checkSession(tx, session, channels, command))
  }

  /** As look, for a subscriber whose request is not a command of the table. */
  requireChannelsFor(
    identity: Identity,
    space: Space,
    privilege: 'read' | 'write',
  ): Awaitable<void> {
    if (identity.kind === 'operator') return undefined
    return this.store.read((tx) => this.uses(tx, identity, space, privilege))
  }

  private *uses(
    tx: ReadTx,
    identity: Identity,
    space: Space,
    privilege: 'read' | 'write',
  ): Program<void> {
    yield* this.requireChannels(tx, space, yield* this.current(tx, identity), privilege)
  }

  private *checkSession(
    tx: ReadTx,
    session: KeyValueSession,
    privilege: 'read' | 'write' | undefined,
    command: Command,
  ): Program<void> {
    session.current = yield* this.current(tx, session.identity)
    const refused = accessRefusal(command, session.current, this.services.rules)
    if (refused !== undefined) throw refused
    if (privilege !== undefined) {
      yield* this.requireChannels(tx, session.place.space, session.current, privilege)
    }
  }

  private *current(tx: ReadTx, identity: Identity): Program<Identity> {
    const { clock, revocation = noWallets } = this.services
    return isRevocable(identity) ? yield* revocation.check(tx, identity, clock.now()) : identity
  }

  private *requireChannels(
    tx: ReadTx,
    space: Space,
    identity: Identity,
    privilege: 'read' | 'write',
  ): Program<void> {
    const { allow, channels } = this.services
    const access = yield* channels.access(tx, space)
    if (!allow(identity, privilege, access, channels.askedOf(space))) throw noChannelPermission()
  }
}
