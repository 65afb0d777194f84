// Sigil has no Lua: EVAL and similar commands are unknown. SCRIPT and FUNCTION report that nothing
// is loaded, because Redis' test suites flush both before they begin.

import { refuse } from '../../../base/reply-error.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import { map, ok, type Reply } from '../../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import type { Flag } from '../../../bus/keyvalue/row-facts.js'
import { onAllShards } from './databases.js'
import { helpRow } from './help.js'

const shared = {
  grows: 'nothing',
  categories: ['scripting'],
  group: 'scripting',
  complexity: 'O(1)',
} as const
const onOne = ['request_policy:all_shards', 'response_policy:one_succeeded'] as const

function container(name: string, since: string, summary: string): KeyValueRow {
  return {
    name,
    grows: 'nothing',
    since,
    summary,
    arity: -2,
    flags: [],
    categories: [],
    group: 'scripting',
    complexity: 'That of the subcommand',
    syntax: '',
    grain: 'container',
  }
}

const functions = container('function', '7.0.0', 'What concerns functions; there are none.')
const scripts = container('script', '2.6.0', 'What concerns scripts; there are none.')

/** `FUNCTION FLUSH` and `SCRIPT FLUSH`. */
function flush(name: string, since: string, flags: readonly Flag[], tips: readonly string[]) {
  const title = name.toUpperCase()
  const row: KeyValueRow = {
    ...shared,
    name: `${name}|flush`,
    arity: -2,
    flags,
    since,
    tips,
    summary: 'Does nothing; there is nothing to empty.',
    syntax: '[ASYNC | SYNC]',
    grain: 'local',
    run(call) {
      if (call.count > 3 && name === 'function') throw manyWords(call)
      const isKnown = call.is(2, 'sync') || call.is(2, 'async')
      if (call.count > 2 && (call.count > 3 || !isKnown)) {
        throw refuse(
          `ERR ${title} FLUSH only ${name === 'script' ? 'support' : 'supports'} SYNC|ASYNC option`,
        )
      }
      return ok
    },
  }
  return row
}

function manyWords({ args }: KeyValueCall): Error {
  const title = args.text(0).toUpperCase()
  const subcommand = args.text(1)
  return refuse(
    `ERR unknown subcommand or wrong number of arguments for '${subcommand}'. Try ${title} HELP.`,
  )
}

/** `FUNCTION KILL` and `SCRIPT KILL`. */
function kill(name: string, since: string): KeyValueRow {
  return {
    ...shared,
    name: `${name}|kill`,
    arity: 2,
    flags: ['noscript', 'allow_busy'],
    since,
    summary: 'Refuses: nothing is running.',
    syntax: '',
    tips: onOne,
    grain: 'local',
    run() {
      throw refuse('NOTBUSY No scripts in execution right now.')
    },
  }
}

const list: KeyValueRow = {
  ...shared,
  name: 'function|list',
  arity: -2,
  flags: ['noscript'],
  since: '7.0.0',
  summary: 'Returns that there are no functions.',
  syntax: '[LIBRARYNAME library-name-pattern] [WITHCODE]',
  tips: ['nondeterministic_output_order'],
  grain: 'local',
  run(call): Reply {
    for (let i = 2; i < call.count; i++) {
      if (call.is(i, 'withcode')) continue
      if (!call.is(i, 'libraryname')) throw refuse(`ERR Unknown argument ${call.text(i)}`)
      if (++i >= call.count) throw refuse('ERR library name argument was not given')
    }
    return []
  },
}

const stats: KeyValueRow = {
  ...shared,
  name: 'function|stats',
  arity: 2,
  flags: ['noscript', 'allow_busy'],
  since: '7.0.0',
  summary: 'Returns that nothing is running or loaded.',
  syntax: '',
  tips: ['nondeterministic_output', 'request_policy:all_shards', 'response_policy:special'],
  grain: 'local',
  run: () => map(['running_script', null, 'engines', map([])]),
}

const exists: KeyValueRow = {
  ...shared,
  name: 'script|exists',
  arity: -3,
  flags: ['noscript'],
  since: '2.6.0',
  summary: 'Returns that no script is loaded.',
  syntax: 'sha1 [sha1 ...]',
  tips: ['request_policy:all_shards', 'response_policy:agg_logical_and'],
  grain: 'local',
  run: (call) => call.argsFrom(2).map(() => 0),
}

const scripting = { categories: ['scripting'] } as const

export const scriptingRows: readonly KeyValueRow[] = [
  functions,
  flush('function', '7.0.0', ['write', 'noscript'], onAllShards),
  kill('function', '7.0.0'),
  ...[list, stats],
  helpRow({ ...functions, ...scripting }, '7.0.0'),
  scripts,
  flush(
    'script',
    '2.6.0',
    ['noscript'],
    ['request_policy:all_nodes', 'response_policy:all_succeeded'],
  ),
  kill('script', '2.6.0'),
  exists,
  helpRow({ ...scripts, ...scripting }, '5.0.0'),
]
