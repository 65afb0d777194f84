// Commands about the whole server: time, role, saving. Many only report that there is nothing to
// do: the store keeps the data, and there are no replicas or modules.

import { notInteger, refuse, syntaxError } from '../../../base/reply-error.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import { simple, verbatim } from '../../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import { parseInt64 } from '../../../engine/keyspace/strings/numbers.js'
import { announcedVersion } from '../connection/connection.js'
import { helpRow } from './help.js'

const shared = {
  grows: 'nothing',
  categories: [],
  group: 'server',
  complexity: 'O(1)',
  syntax: '',
} as const

const time: KeyValueRow = {
  ...shared,
  name: 'time',
  arity: 1,
  flags: ['loading', 'stale', 'fast'],
  summary: "Returns the server's time: seconds, and microseconds within the second.",
  since: '2.6.0',
  tips: ['nondeterministic_output'],
  grain: 'local',
  run({ now }) {
    const seconds = Math.floor(now / 1_000)
    return [String(seconds), String(Math.floor((now - seconds * 1_000) * 1_000))]
  },
}

const lastsave: KeyValueRow = {
  ...shared,
  name: 'lastsave',
  arity: 1,
  flags: ['loading', 'stale', 'fast'],
  categories: ['admin', 'dangerous'],
  summary: 'Returns the time of the last SAVE, in seconds since 1970.',
  since: '1.0.0',
  tips: ['nondeterministic_output'],
  grain: 'local',
  run: ({ services }) => services.figures.savedAt,
}

const bgsave: KeyValueRow = {
  ...shared,
  name: 'bgsave',
  arity: -1,
  flags: ['admin', 'noscript', 'no_async_loading'],
  access: 'operator',
  summary: 'Replies that saving has started. The store saves by itself.',
  since: '1.0.0',
  syntax: '[SCHEDULE]',
  grain: 'local',
  run(call) {
    if (call.count > 2 || (call.count === 2 && !call.is(1, 'schedule'))) throw syntaxError()
    call.services.figures.savedAt = secondsOf(call)
    call.services.programs.changed = 0
    return simple('Background saving started')
  },
}

/** The time of a call in the form of LASTSAVE. */
function secondsOf({ now }: KeyValueCall): number {
  return Math.floor(now / 1_000)
}

const bgrewriteaof: KeyValueRow = {
  ...shared,
  name: 'bgrewriteaof',
  arity: 1,
  flags: ['admin', 'noscript', 'no_async_loading'],
  access: 'operator',
  summary: 'Replies that rewriting has started. The store compacts its files by itself.',
  since: '1.0.0',
  grain: 'local',
  run: () => simple('Background append only file rewriting started'),
}

const role: KeyValueRow = {
  ...shared,
  name: 'role',
  arity: 1,
  flags: ['noscript', 'loading', 'stale', 'fast'],
  categories: ['admin', 'dangerous'],
  summary: 'Returns that this is a primary without replicas.',
  since: '2.8.12',
  grain: 'local',
  run: () => ['master', 0, []],
}

const wait: KeyValueRow = {
  ...shared,
  name: 'wait',
  arity: 3,
  flags: ['noscript'],
  categories: ['connection'],
  group: 'generic',
  summary: 'Returns 0 at once: there are no replicas.',
  since: '3.0.0',
  syntax: 'numreplicas milliseconds-to-wait',
  tips: ['request_policy:all_shards', 'response_policy:agg_min'],
  grain: 'local',
  run(call) {
    if (call.args.read(1, parseInt64) === undefined) throw notInteger()
    const ms = call.args.read(2, parseInt64)
    if (ms === undefined) throw refuse('ERR timeout is not an integer or out of range')
    if (ms < 0) throw refuse('ERR timeout is negative')
    return 0
  },
}

const shutdown: KeyValueRow = {
  ...shared,
  name: 'shutdown',
  arity: -1,
  flags: ['admin', 'noscript', 'loading', 'stale', 'no_multi', 'allow_busy'],
  access: 'operator',
  summary: 'Refuses: it would stop the other protocols too.',
  since: '1.0.0',
  syntax: '[NOSAVE | SAVE] [NOW] [FORCE] [ABORT]',
  grain: 'local',
  run(call) {
    const words = new Set(call.argsFrom(1).map((word) => word.text().toLowerCase()))
    const others = [...words].filter((word) => !shutdownWords.has(word))
    const isDouble = words.has('nosave') && words.has('save')
    const isAbort = words.has('abort')
    if (others.length > 0 || isDouble || (isAbort && words.size > 1)) throw syntaxError()
    if (isAbort) throw refuse('ERR No shutdown in progress.')
    throw refuse('ERR SHUTDOWN is not possible here: end the process of the server', 'Unauthorized')
  },
}

const shutdownWords: ReadonlySet<string> = new Set(['nosave', 'save', 'now', 'force', 'abort'])

const lolwut: KeyValueRow = {
  ...shared,
  name: 'lolwut',
  arity: -1,
  flags: ['readonly', 'fast'],
  summary: 'Returns the version.',
  since: '5.0.0',
  syntax: '[VERSION version]',
  privileges: [],
  grain: 'local',
  run(call) {
    if (call.is(1, 'version') && call.count > 2) call.int64(2)
    return verbatim(`Redis ver. ${announcedVersion}\n`)
  },
}

/** The error for a feature that a Redis setting could enable, and that Sigil does not have. */
function notAllowed(name: string, setting: string): Error {
  return refuse(
    `ERR ${name} command not allowed. If the ${setting} option is set to "local", you can run ` +
      'it from a local connection, otherwise you need to set this option in the configuration ' +
      'file, and then restart the server.',
    'Unauthorized',
  )
}

const debug: KeyValueRow = {
  ...shared,
  name: 'debug',
  arity: -2,
  flags: ['admin', 'noscript', 'loading', 'stale'],
  access: 'operator',
  summary: 'Refuses.',
  since: '1.0.0',
  syntax: 'subcommand [arg ...]',
  grain: 'local',
  run() {
    throw notAllowed('DEBUG', 'enable-debug-command')
  },
}

const module: KeyValueRow = {
  ...shared,
  name: 'module',
  arity: -2,
  flags: [],
  summary: 'What concerns modules; there are none.',
  since: '4.0.0',
  complexity: 'That of the subcommand',
  grain: 'container',
}

const moduleList: KeyValueRow = {
  ...shared,
  name: 'module|list',
  arity: 2,
  flags: ['admin', 'noscript'],
  summary: 'Returns that there is no module.',
  since: '4.0.0',
  tips: ['nondeterministic_output_order'],
  grain: 'local',
  run: () => [],
}

function refusedModule(name: string, arity: number, since: string, syntax: string): KeyValueRow {
  return {
    ...shared,
    name: `module|${name}`,
    arity,
    flags: ['admin', 'noscript', 'no_async_loading'],
    access: 'operator',
    summary: 'Refuses.',
    since,
    syntax,
    grain: 'local',
    run() {
      throw notAllowed('MODULE', 'enable-module-command')
    },
  }
}

const moduleHelp = helpRow(module, '5.0.0')

export const serverRows: readonly KeyValueRow[] = [
  ...[time, lastsave, bgsave, bgrewriteaof, role, wait, shutdown, lolwut, debug],
  ...[module, moduleList, moduleHelp],
  refusedModule('load', -3, '4.0.0', 'path [arg ...]'),
  refusedModule('loadex', -3, '7.0.0', 'path [arg ...]'),
  refusedModule('unload', 3, '4.0.0', 'name'),
]
