// MULTI, EXEC, DISCARD, and WATCH. The bus runs the queued commands of EXEC (transactions.ts of the
// bus).

import { refuse } from '../../../base/reply-error.js'
import { Multi } from '../../../bus/keyvalue/clients/session.js'
import { ok } from '../../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import { onlyOnConnections } from '../../../bus/keyvalue/row-facts.js'
import { watch as watchKeys } from './watched-keys.js'

const shared = { grows: 'nothing', categories: ['transaction'], group: 'transactions' } as const
const queuedOverHttp = 'use /upstash/multi-exec, or the key-value port'
const flags = ['noscript', 'loading', 'stale', 'fast', 'allow_busy'] as const

const multi: KeyValueRow = {
  ...shared,
  name: 'multi',
  overHttp: queuedOverHttp,
  arity: 1,
  flags,
  insideMulti: true,
  summary: 'Starts a queue of commands for EXEC.',
  since: '1.2.0',
  complexity: 'O(1)',
  syntax: '',
  grain: 'local',
  run({ session }) {
    if (session.multi !== undefined) throw refuse('ERR MULTI calls can not be nested')
    session.multi = new Multi()
    return ok
  },
}

const exec: KeyValueRow = {
  ...shared,
  name: 'exec',
  overHttp: queuedOverHttp,
  arity: 1,
  flags: ['noscript', 'loading', 'stale', 'skip_slowlog'],
  summary: 'Runs the queued commands as one.',
  since: '1.2.0',
  complexity: 'That of the commands together',
  syntax: '',
  grain: 'exec',
}

const discard: KeyValueRow = {
  ...shared,
  name: 'discard',
  overHttp: queuedOverHttp,
  arity: 1,
  flags,
  insideMulti: true,
  summary: 'Discards the queued commands and the watched keys.',
  since: '2.0.0',
  complexity: 'O(n) in the number of queued commands',
  syntax: '',
  grain: 'local',
  run({ session, services }) {
    if (services.sessions.endMulti(session) === undefined) throw refuse('ERR DISCARD without MULTI')
    session.watches?.end()
    session.watches = undefined
    return ok
  },
}

const watch: KeyValueRow = {
  ...shared,
  name: 'watch',
  overHttp: onlyOnConnections,
  uses: 'RO',
  arity: -2,
  flags,
  privileges: ['read'],
  keys: [1, -1, 1],
  insideMulti: true,
  summary: 'Makes the next EXEC fail if one of the keys changes before it.',
  since: '2.2.0',
  complexity: 'O(1) for each key',
  syntax: 'key [key ...]',
  grain: 'read',
  *run(ks, call) {
    if (call.isInsideMulti) throw refuse('ERR WATCH inside MULTI is not allowed')
    yield* watchKeys(ks, call)
    return ok
  },
}

const unwatch: KeyValueRow = {
  ...shared,
  name: 'unwatch',
  overHttp: onlyOnConnections,
  arity: 1,
  flags,
  summary: 'Removes the watched keys.',
  since: '2.2.0',
  complexity: 'O(1)',
  syntax: '',
  grain: 'local',
  run({ session }) {
    session.watches?.end()
    session.watches = undefined
    return ok
  },
}

export const transactionRows: readonly KeyValueRow[] = [multi, exec, discard, watch, unwatch]
