// CONFIG: settings of Redis that its clients read, kept until the process ends. These have an
// effect: notify-keyspace-events, slowlog-log-slower-than, slowlog-max-len and
// client-output-buffer-limit.

import { Glob } from '../../../base/bytes/glob.js'
import { Slice } from '../../../base/bytes/slice.js'
import { refuse, syntaxError } from '../../../base/reply-error.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import { map, ok, type Reply } from '../../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import { type Option, optionsByName } from './config-options.js'
import { checkValue, outputBoundsOf } from './config-values.js'
import { eachWord } from './each-word-task.js'
import { helpRow } from './help.js'

const shared = {
  grows: 'nothing',
  categories: [],
  group: 'server',
  flags: ['admin', 'noscript', 'loading', 'stale'],
} as const

const config: KeyValueRow = {
  name: 'config',
  grows: 'nothing',
  arity: -2,
  flags: [],
  categories: [],
  group: 'server',
  summary: 'What concerns settings.',
  since: '2.0.0',
  complexity: 'That of the subcommand',
  syntax: '',
  grain: 'container',
}

const get: KeyValueRow = {
  ...shared,
  name: 'config|get',
  arity: -3,
  summary: 'Returns settings by name or pattern.',
  since: '2.0.0',
  complexity: 'O(n) in the number of patterns',
  syntax: 'parameter [parameter ...]',
  grain: 'local',
  run(call) {
    const found = new Map<string, Reply>()
    const see = (i: number) => {
      const word = call.arg(i)
      const name = word.text()
      const exact = optionsByName.get(name.toLowerCase())
      // As in Redis, the reply spells a name as the client did.
      if (exact !== undefined) found.set(name, settingOf(call, exact))
      else if (/[*?[]/.test(name)) {
        const pattern = new Glob(word, true)
        for (const [each, option] of optionsByName) {
          if (pattern.matches(Slice.ofText(each))) found.set(each, settingOf(call, option))
        }
      }
    }
    return eachWord(call, 2, see, () => map([...found].flat()))
  },
}

/** The port is the one that the client connected to. */
function settingOf({ services, session: { local } }: KeyValueCall, { name }: Option): string {
  if (name === 'port') return local.slice(local.lastIndexOf(':') + 1)
  return services.settings.get(name) ?? ''
}

const set: KeyValueRow = {
  ...shared,
  name: 'config|set',
  isAudited: true,
  arity: -4,
  access: 'operator',
  summary: 'Changes settings until the process ends.',
  since: '2.0.0',
  complexity: 'O(n) in the number of settings',
  syntax: 'parameter value [parameter value ...]',
  tips: ['request_policy:all_nodes', 'response_policy:all_succeeded'],
  grain: 'local',
  run(call) {
    if (call.count % 2 !== 0) throw syntaxError()
    const changes = readChanges(call)
    for (const [name, text] of changes) apply(call, name, text)
    return ok
  },
}

/** All settings of the command after checks: either all change or none. */
function readChanges(call: KeyValueCall): ReadonlyMap<string, string> {
  for (let i = 2; i < call.count; i += 2) {
    const name = call.text(i)
    if (!optionsByName.has(name.toLowerCase())) {
      throw refuse(`ERR Unknown option or number of arguments for CONFIG SET - '${name}'`)
    }
  }
  const changes = new Map<string, string>()
  const { settings } = call.services
  for (let i = 2; i < call.count; i += 2) {
    const name = call.text(i).toLowerCase()
    const option = optionsByName.get(name)
    if (option === undefined) continue
    if (option.isFixed === true) throw failed(name, "can't set immutable config")
    if (changes.has(option.name)) throw failed(name, 'duplicate parameter')
    const checked = checkValue(option, call.text(i + 1), settings.get(option.name) ?? '')
    if ('problem' in checked) throw failed(name, checked.problem)
    changes.set(option.name, checked.text)
  }
  return changes
}

function failed(name: string, problem: string): Error {
  return refuse(`ERR CONFIG SET failed (possibly related to argument '${name}') - ${problem}`)
}

function apply({ services }: KeyValueCall, name: string, text: string): void {
  const { settings, notifications, slowLog } = services
  if (name === 'notify-keyspace-events') {
    notifications.configure(text)
    return
  }
  settings.set(name, text)
  if (name === 'slowlog-log-slower-than') slowLog.micros = Number(text)
  if (name === 'slowlog-max-len') slowLog.keep(Number(text))
  if (name === 'client-output-buffer-limit') {
    settings.outputBounds = {
      pubsub: outputBoundsOf(text, 'pubsub'),
      normal: outputBoundsOf(text, 'normal'),
    }
  }
}

const resetstat: KeyValueRow = {
  ...shared,
  name: 'config|resetstat',
  isAudited: true,
  arity: 2,
  access: 'operator',
  summary: 'Resets the counters of INFO.',
  since: '2.0.0',
  complexity: 'O(1)',
  syntax: '',
  grain: 'local',
  run({ services }) {
    services.figures.reset(services)
    return ok
  },
}

const rewrite: KeyValueRow = {
  ...shared,
  name: 'config|rewrite',
  arity: 2,
  access: 'operator',
  summary: 'Refuses: these settings are not stored in a file.',
  since: '2.8.0',
  complexity: 'O(1)',
  syntax: '',
  grain: 'local',
  run() {
    throw refuse('ERR The server is running without a config file')
  },
}

const help = helpRow(config, '5.0.0')

export const configRows: readonly KeyValueRow[] = [config, get, set, resetstat, rewrite, help]
