// MONITOR: shows all commands to the operator. The bus sends the lines (monitors.ts). A session
// that is no longer the operator's gets none.

import { refuse } from '../../../base/reply-error.js'
import { none, ok } from '../../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'

const monitor: KeyValueRow = {
  name: 'monitor',
  overHttp: 'use /upstash/monitor, or the key-value port',
  events: 'commands',
  grows: 'nothing',
  isAudited: true,
  arity: 1,
  flags: ['admin', 'noscript', 'loading', 'stale'],
  categories: [],
  access: 'operator',
  summary: 'Shows every command that is run from now on.',
  since: '1.0.0',
  group: 'server',
  complexity: 'O(1)',
  syntax: '',
  grain: 'local',
  run({ services, session, isQueued }) {
    if (isQueued) throw refuse("ERR MONITOR isn't allowed for DENY BLOCKING client")
    // As in Redis, a second MONITOR gets no reply.
    if (session.isMonitor) return none
    session.isJoining = true
    services.monitors.add(session)
    return ok
  },
}

export const monitorRows: readonly KeyValueRow[] = [monitor]
