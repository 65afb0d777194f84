// Revocation checks for commands without a program and for channels: whether the login is still
// valid, and whether the channels of a space are open to it.

import type { Space } from '../../engine/keyspace/spaces.js'
import type { Identity } from '../../identity/identity.js'
import { isRevocable, noWallets } from '../../identity/rights/standing.js'
import type { Program, ReadTx } from '../../store/store.js'
import type { KeyValueSession } from './clients/session.js'
import type { Command } from './command.js'
import { accessRefusal, noChannelPermission } from './refusals.js'
import type { KeyValueServices } from './services.js'

export class Looks {
  constructor(private readonly services: KeyValueServices) {}

  *listens(tx: ReadTx, identity: Identity, space: Space): Program<void> {
    yield* this.requireChannels(tx, space, yield* this.standing(tx, identity), 'read')
  }

  *looking(
    tx: ReadTx,
    session: KeyValueSession,
    need: 'read' | 'write' | undefined,
    command: Command,
  ): Program<void> {
    session.current = yield* this.standing(tx, session.identity)
    const refused = accessRefusal(command, session.current, this.services.rules)
    if (refused !== undefined) throw refused
    if (need !== undefined) {
      yield* this.requireChannels(tx, session.place.space, session.current, need)
    }
  }

  private *standing(tx: ReadTx, identity: Identity): Program<Identity> {
    const { clock, standing = noWallets } = this.services
    return isRevocable(identity) ? yield* standing.check(tx, identity, clock.now()) : identity
  }

  private *requireChannels(
    tx: ReadTx,
    space: Space,
    identity: Identity,
    need: 'read' | 'write',
  ): Program<void> {
    const { allow, channels } = this.services
    const access = yield* channels.access(tx, space)
    if (!allow(identity, need, access, channels.askedOf(space))) throw noChannelPermission()
  }
}
