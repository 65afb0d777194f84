// Publish and subscribe. Replies about subscriptions are pushes, one for each name; RESP2 clients
// get them as replies. The bus keeps the subscribers (channels.ts).

import { Glob } from '../../../base/bytes/glob.js'
import { Slice } from '../../../base/bytes/slice.js'
import { subscribedAtOnceMax } from '../../../base/limits/key-value.js'
import { refuse } from '../../../base/reply-error.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import { type NameKind, Subscriber } from '../../../bus/keyvalue/clients/channels.js'
import { eventChannel } from '../../../bus/keyvalue/clients/notifications.js'
import { noChannelPermission } from '../../../bus/keyvalue/refusals.js'
import { push, type Reply } from '../../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import { helpRow } from '../server/help.js'

const shared = { grows: 'nothing', categories: [], since: '2.0.0', group: 'pubsub' } as const
const flags = ['pubsub', 'noscript', 'loading', 'stale'] as const

const subscribe: KeyValueRow = {
  ...shared,
  name: 'subscribe',
  overHttp: 'use GET /api/v1/redis/stream or /upstash/subscribe',
  events: 'channels',
  arity: -2,
  flags,
  channels: 'read',
  whileSubscribed: true,
  summary: 'Subscribes to channels.',
  complexity: 'O(n) in the number of channels',
  syntax: 'channel [channel ...]',
  grain: 'local',
  run(call) {
    const { channels } = call.services
    const subscriber = subscriberOf(call)
    return confirmed(call, subscriber, 'subscribe', (name) => channels.subscribe(subscriber, name))
  },
}

const psubscribe: KeyValueRow = {
  ...shared,
  name: 'psubscribe',
  overHttp: 'use /upstash/psubscribe, or the key-value port',
  events: 'patterns',
  arity: -2,
  flags,
  channels: 'read',
  whileSubscribed: true,
  summary: 'Subscribes to all channels whose names match a pattern.',
  complexity: 'O(n) in the number of patterns',
  syntax: 'pattern [pattern ...]',
  grain: 'local',
  run(call) {
    const { channels } = call.services
    const subscriber = subscriberOf(call)
    return confirmed(call, subscriber, 'psubscribe', (name) =>
      channels.subscribePattern(subscriber, name),
    )
  },
}

const unsubscribe: KeyValueRow = {
  ...shared,
  name: 'unsubscribe',
  overHttp: 'end the stream instead',
  arity: -1,
  flags,
  whileSubscribed: true,
  summary: 'Unsubscribes from channels, or from all if none is named.',
  complexity: 'O(n) in the number of channels',
  syntax: '[channel [channel ...]]',
  grain: 'local',
  run: (call) => endSubscriptions(call, 'channels', 'unsubscribe'),
}

const punsubscribe: KeyValueRow = {
  ...shared,
  name: 'punsubscribe',
  overHttp: 'end the stream instead',
  arity: -1,
  flags,
  whileSubscribed: true,
  summary: 'Unsubscribes from patterns, or from all if none is named.',
  complexity: 'O(n) in the number of patterns',
  syntax: '[pattern [pattern ...]]',
  grain: 'local',
  run: (call) => endSubscriptions(call, 'patterns', 'punsubscribe'),
}

/** The subscriber of this client; created on first use. */
function subscriberOf({ session }: KeyValueCall): Subscriber {
  const { space } = session.place
  session.subscriber ??= new Subscriber(session, space, ({ frame }) => session.socket.push(frame))
  return session.subscriber
}

function confirmed(
  call: KeyValueCall,
  subscriber: Subscriber,
  word: string,
  join: (name: Slice) => void,
): Reply {
  requireFew(call)
  const items: Reply[] = []
  call.session.isJoining = true
  for (let i = 1; i < call.count; i++) {
    const name = call.arg(i)
    join(name)
    items.push(push([word, name, subscriber.count]))
  }
  return { kind: 'several', items }
}

function requireFew({ count, name }: KeyValueCall): void {
  if (count - 1 <= subscribedAtOnceMax) return
  throw refuse(`ERR ${name.toUpperCase()} takes at most ${subscribedAtOnceMax} names`)
}

function endSubscriptions(call: KeyValueCall, kind: NameKind, word: string): Reply {
  requireFew(call)
  const { session, services } = call
  const { subscriber } = session
  const all = [...(subscriber?.[kind].values() ?? [])]
  const named = call.count > 1
  if (!named && all.length === 0) return push([word, null, session.subscriptions])
  const items: Reply[] = []
  for (const name of named ? call.argsFrom(1) : all.map(Slice.of)) {
    if (subscriber !== undefined) services.channels.unsubscribe(subscriber, kind, name)
    items.push(push([word, name, session.subscriptions]))
  }
  return { kind: 'several', items }
}

const publish: KeyValueRow = {
  ...shared,
  name: 'publish',
  arity: 3,
  flags: ['pubsub', 'loading', 'stale', 'fast', 'may_replicate'],
  channels: 'write',
  summary: 'Sends a message to the subscribers of a channel; returns their number.',
  complexity: 'O(n + m): n listen to the channel, m patterns are listened to',
  syntax: 'channel message',
  grain: 'local',
  run(call) {
    const channel = call.arg(1)
    // Deviation: only the server publishes key events, so that clients cannot forge them.
    if (eventChannel.test(channel.text())) throw noChannelPermission()
    return call.services.channels.publish(call.place.space, channel, call.arg(2))
  },
}

const container: KeyValueRow = {
  ...shared,
  name: 'pubsub',
  arity: -2,
  flags: [],
  since: '2.8.0',
  grain: 'container',
  summary: 'Asks about channels and who listens to them.',
  complexity: 'Depends on the subcommand.',
  syntax: '',
}

const channels: KeyValueRow = {
  ...shared,
  name: 'pubsub|channels',
  channels: 'read',
  arity: -2,
  flags: ['pubsub', 'loading', 'stale'],
  since: '2.8.0',
  summary: 'Lists the channels with subscribers.',
  complexity: 'O(n) in the number of channels',
  syntax: '[pattern]',
  grain: 'local',
  run(call) {
    if (call.count > 3) {
      throw refuse(
        `ERR unknown subcommand or wrong number of arguments for '${call.text(1)}'. ` +
          'Try PUBSUB HELP.',
      )
    }
    const { channels } = call.services
    return channels.names(call.place.space, call.count === 3 ? new Glob(call.arg(2)) : undefined)
  },
}

const numsub: KeyValueRow = {
  ...shared,
  name: 'pubsub|numsub',
  channels: 'read',
  arity: -2,
  flags: ['pubsub', 'loading', 'stale'],
  since: '2.8.0',
  summary: 'Returns how many clients are subscribed to channels by name.',
  complexity: 'O(n) in the number of channels asked about',
  syntax: '[channel [channel ...]]',
  grain: 'local',
  run(call) {
    const { channels } = call.services
    return call
      .argsFrom(2)
      .flatMap((name): Reply[] => [name, channels.listeners(call.place.space, name)])
  },
}

const numpat: KeyValueRow = {
  ...shared,
  name: 'pubsub|numpat',
  channels: 'read',
  arity: 2,
  flags: ['pubsub', 'loading', 'stale'],
  since: '2.8.0',
  summary: 'Returns how many patterns have subscribers.',
  complexity: 'O(1)',
  syntax: '',
  grain: 'local',
  run: (call) => call.services.channels.patternCount(call.place.space),
}

const help = helpRow(container, '6.2.0')

export const pubsubRows: readonly KeyValueRow[] = [
  ...[subscribe, unsubscribe, psubscribe, punsubscribe, publish],
  ...[container, channels, numsub, numpat, help],
]
