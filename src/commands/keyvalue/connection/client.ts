// CLIENT: what a connection reports about itself, and what it may do to other connections. The
// operator reaches all connections, other callers their own.

import { notInteger, refuse, syntaxError } from '../../../base/reply-error.js'
import { map, none, ok, type Reply, set, verbatim } from '../../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import { parseInt64 } from '../../../engine/keyspace/strings/numbers.js'
import { helpRow } from '../server/help.js'
import { clientKill } from './client-kill.js'
import { lineOf, visibleClients } from './client-list.js'
import { listClients } from './client-list-task.js'
import { requireName } from './connection.js'

const shared = {
  grows: 'nothing',
  categories: ['connection'],
  group: 'connection',
  flags: ['noscript', 'loading', 'stale'],
  complexity: 'O(1)',
  syntax: '',
} as const
const adminFlags = ['admin', 'noscript', 'loading', 'stale'] as const

const client: KeyValueRow = {
  name: 'client',
  grows: 'nothing',
  arity: -2,
  flags: [],
  categories: [],
  group: 'connection',
  summary: 'What concerns connections.',
  since: '2.4.0',
  complexity: 'That of the subcommand',
  syntax: '',
  grain: 'container',
}

const id: KeyValueRow = {
  ...shared,
  name: 'client|id',
  arity: 2,
  summary: 'Returns the unique number of the connection.',
  since: '5.0.0',
  grain: 'local',
  run: ({ session }) => session.id,
}

const setname: KeyValueRow = {
  ...shared,
  name: 'client|setname',
  arity: 3,
  summary: 'Names the connection. An empty name removes it.',
  since: '2.6.9',
  syntax: 'connection-name',
  grain: 'local',
  run(call) {
    call.session.name = requireName(call.text(2))
    return ok
  },
}

const getname: KeyValueRow = {
  ...shared,
  name: 'client|getname',
  arity: 2,
  summary: "Returns the connection's name.",
  since: '2.6.9',
  grain: 'local',
  run: ({ session }) => (session.name === '' ? null : session.name),
}

const info: KeyValueRow = {
  ...shared,
  name: 'client|info',
  arity: 2,
  summary: 'Describes the connection.',
  since: '6.2.0',
  tips: ['nondeterministic_output'],
  grain: 'local',
  run: (call) => verbatim(`${lineOf(call.session, call)}\n`),
}

const list: KeyValueRow = {
  ...shared,
  name: 'client|list',
  arity: -2,
  flags: adminFlags,
  summary: 'Describes connections.',
  since: '2.4.0',
  complexity: 'O(n) in the number of clients',
  syntax: '[TYPE <NORMAL | MASTER | REPLICA | PUBSUB>] [ID client-id [client-id ...]]',
  tips: ['nondeterministic_output'],
  grain: 'local',
  run: listClients,
}

const noEvict: KeyValueRow = {
  ...shared,
  name: 'client|no-evict',
  arity: 3,
  flags: adminFlags,
  summary: 'Marks the connection as one to keep. Sigil evicts no clients.',
  since: '7.0.0',
  syntax: '<ON | OFF>',
  grain: 'local',
  run(call) {
    if (!call.is(2, 'on') && !call.is(2, 'off')) throw syntaxError()
    call.session.keepsBuffers = call.is(2, 'on')
    return ok
  },
}

const reply: KeyValueRow = {
  ...shared,
  name: 'client|reply',
  arity: 3,
  summary: 'Switches replies off and on, or skips the next one.',
  since: '3.2.0',
  syntax: '<ON | OFF | SKIP>',
  grain: 'local',
  run(call): Reply {
    const { session } = call
    if (call.is(2, 'on')) {
      session.replies = 'on'
      return ok
    }
    if (call.is(2, 'off')) session.replies = 'off'
    else if (!call.is(2, 'skip')) throw syntaxError()
    else if (session.replies !== 'off') session.replies = 'skipNext'
    return none
  },
}

const pause: KeyValueRow = {
  ...shared,
  name: 'client|pause',
  isAudited: true,
  arity: -3,
  flags: adminFlags,
  access: 'operator',
  summary: 'Pauses all commands of clients, or only writes, for a time.',
  since: '2.9.50',
  syntax: 'milliseconds [WRITE | ALL]',
  grain: 'local',
  run(call) {
    const isKnown = call.is(3, 'write') || call.is(3, 'all')
    if (call.count > 3 && !isKnown) throw refuse('ERR CLIENT PAUSE mode must be WRITE or ALL')
    const ms = call.args.read(2, parseInt64)
    if (ms === undefined) throw refuse('ERR timeout is not an integer or out of range')
    if (ms < 0) throw refuse('ERR timeout is negative')
    const { pause: held, clock } = call.services
    held.begin(clock.elapsed(), Number(ms), !call.is(3, 'write'))
    return ok
  },
}

const unpause: KeyValueRow = {
  ...shared,
  name: 'client|unpause',
  isAudited: true,
  arity: 2,
  flags: adminFlags,
  access: 'operator',
  summary: 'Resumes paused clients.',
  since: '6.2.0',
  complexity: 'O(n) in the number of clients that are held',
  grain: 'local',
  run({ services }) {
    services.pause.end()
    return ok
  },
}

const unblock: KeyValueRow = {
  ...shared,
  name: 'client|unblock',
  arity: -3,
  flags: adminFlags,
  summary: 'Unblocks a client, as after a timeout or with an error.',
  since: '5.0.0',
  syntax: 'client-id [TIMEOUT | ERROR]',
  grain: 'local',
  run(call) {
    const isKnown = call.is(3, 'timeout') || call.is(3, 'error')
    if (call.count > 4 || (call.count === 4 && !isKnown)) {
      throw refuse('ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR')
    }
    const number = call.args.read(2, parseInt64)
    if (number === undefined) throw notInteger()
    for (const session of visibleClients(call)) {
      if (session.id !== Number(number)) continue
      return call.services.sessions.unblock(session, call.is(3, 'error')) ? 1 : 0
    }
    return 0
  },
}

const tracking: KeyValueRow = {
  ...shared,
  name: 'client|tracking',
  arity: -3,
  summary: 'Switches tracking off. Sigil has no tracking.',
  since: '6.0.0',
  syntax:
    '<ON | OFF> [REDIRECT client-id] [PREFIX prefix [PREFIX prefix ...]] [BCAST] [OPTIN] ' +
    '[OPTOUT] [NOLOOP]',
  grain: 'local',
  run(call) {
    // Deviation: client-side caching is not supported.
    if (call.is(2, 'on')) throw refuse('ERR CLIENT TRACKING ON is not supported')
    if (!call.is(2, 'off')) throw syntaxError()
    return ok
  },
}

const trackinginfo: KeyValueRow = {
  ...shared,
  name: 'client|trackinginfo',
  arity: 2,
  summary: 'Returns that nothing is tracked.',
  since: '6.2.0',
  grain: 'local',
  run: () => map(['flags', set(['off']), 'redirect', -1, 'prefixes', []]),
}

const getredir: KeyValueRow = {
  ...shared,
  name: 'client|getredir',
  arity: 2,
  summary: 'Returns that nothing is tracked.',
  since: '6.0.0',
  grain: 'local',
  run: () => -1,
}

const caching: KeyValueRow = {
  ...shared,
  name: 'client|caching',
  arity: 3,
  summary: 'Refuses: it belongs to tracking.',
  since: '6.0.0',
  syntax: '<YES | NO>',
  grain: 'local',
  run() {
    throw refuse(
      'ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or ' +
        'OPTOUT mode enabled',
    )
  },
}

const help = helpRow({ ...client, categories: ['connection'] }, '5.0.0')

export const clientRows: readonly KeyValueRow[] = [
  ...[client, id, setname, getname, info, list, noEvict, reply, clientKill, pause, unpause],
  ...[unblock, tracking, trackinginfo, getredir, caching, help],
]
