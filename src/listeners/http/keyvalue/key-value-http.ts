// The key-value part of an HTTP listener: its routes and their open event streams, which a stop of
// the server ends.

import type { Clock } from '../../../base/clock.js'
import type { Log } from '../../../base/log.js'
import type { KeyValueBus } from '../../../bus/keyvalue/bus.js'
import type { Identity } from '../../../identity/identity.js'
import { EventStreams } from '../core/event-stream.js'
import type { RawRoute, ReplyRoute } from '../core/route.js'
import { keyValueRoutes } from './key-value-routes.js'
import { upstashRoutes } from './upstash.js'

interface KeyValueHttpOptions {
  readonly bus: KeyValueBus
  readonly clock: Clock
  readonly log: Log
  /** Setting AUTH_MODE=off. */
  readonly authOff: boolean
}

export class KeyValueHttp {
  readonly routes: readonly (RawRoute | ReplyRoute)[]
  /** Of all routes: they end together. */
  readonly streams: EventStreams

  constructor({ bus, clock, log, authOff }: KeyValueHttpOptions) {
    const { settings } = bus.services
    const bounds = () => settings.outputBounds.pubsub
    const streams = new EventStreams({ clock, log, bounds })
    this.streams = streams
    const routes = [
      ...keyValueRoutes({ bus, streams }),
      ...upstashRoutes({ bus, streams, authOff }),
    ]
    this.routes = routes.map((route) => ({ ...route, protocol: 'redis' }))
  }

  /** Ends the event streams of these identities. */
  closeSessions(matches: (identity: Identity) => boolean): void {
    this.streams.closeSessions(matches)
  }

  /** Ends all event streams. */
  close(): void {
    this.streams.close()
  }
}
