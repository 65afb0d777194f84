// RESET: the connection as it was when it
// came, before anybody signed in.

import { simple } from '../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../bus/keyvalue/row.js'

const reset: KeyValueRow = {
  name: 'reset',
  grows: 'nothing',
  arity: 1,
  flags: ['noscript', 'loading', 'stale', 'fast', 'no_auth', 'allow_busy'],
  categories: ['connection'],
  access: 'anonymous',
  whileSubscribed: true,
  insideMulti: true,
  summary: 'Makes the connection what it was in the beginning.',
  since: '6.2.0',
  group: 'connection',
  complexity: 'O(n) in the number of subscriptions and watched keys',
  syntax: '',
  grain: 'local',
  run({ session, bus }) {
    const { channels, monitors } = bus.services
    if (session.isMonitor) monitors.remove(bus, session)
    if (session.subscriber !== undefined) channels.leave(session.subscriber)
    session.watches?.end()
    session.watches = undefined
    bus.endMulti(session)
    session.database = 0
    session.respVersion = 2
    session.name = ''
    session.replies = 'on'
    session.identity = session.initial
    return simple('RESET')
  },
}

export const resetRows: readonly KeyValueRow[] = [reset]
