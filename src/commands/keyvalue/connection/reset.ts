// RESET: returns the connection to the state in which it arrived,
// before a sign-in.

import { simple } from '../../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import { onlyOnConnections } from '../../../bus/keyvalue/row-facts.js'

const reset: KeyValueRow = {
  name: 'reset',
  overHttp: onlyOnConnections,
  grows: 'nothing',
  arity: 1,
  flags: ['noscript', 'loading', 'stale', 'fast', 'no_auth', 'allow_busy'],
  categories: ['connection'],
  access: 'anonymous',
  whileSubscribed: true,
  insideMulti: true,
  summary: 'Resets the connection to its initial state.',
  since: '6.2.0',
  group: 'connection',
  complexity: 'O(n) in the number of subscriptions and watched keys',
  syntax: '',
  grain: 'local',
  run({ session, services }) {
    const { monitors } = services
    if (session.isMonitor) monitors.remove(session)
    services.sessions.forgetState(session)
    session.respVersion = 2
    session.name = ''
    session.replies = 'on'
    services.sessions.become(session, session.initial, undefined)
    session.place = session.place.space.place(0)
    return simple('RESET')
  },
}

export const resetRows: readonly KeyValueRow[] = [reset]
