// MONITOR: the operator's view of all commands. Who is shown what is the bus's affair
// (monitors.ts).

import { refuse } from '../../../base/reply-error.js'
import { none, ok } from '../../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'

const monitor: KeyValueRow = {
  name: 'monitor',
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
    // As on the reference server, saying it again is not even answered.
    if (session.isMonitor) return none
    services.monitors.add(session)
    return ok
  },
}

export const monitorRows: readonly KeyValueRow[] = [monitor]
