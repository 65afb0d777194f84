// COMMAND and its subcommands: the table of commands for clients. All data comes from the rows, so
// the list always matches the commands that exist.

import type { Bytes } from '../../../base/bytes/bytes.js'
import { Glob } from '../../../base/bytes/glob.js'
import type { Slice } from '../../../base/bytes/slice.js'
import { refuse, syntaxError } from '../../../base/reply-error.js'
import type { Arguments } from '../../../bus/keyvalue/arguments.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import { map, type Reply, set, simple } from '../../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import { type KeyValueFacts, keysOf } from '../../../bus/keyvalue/row-facts.js'
import type { KnownCommand, KnownCommands } from '../../../bus/keyvalue/services.js'
import { eachWord } from './each-word-task.js'
import { helpRow } from './help.js'
import { documentationOf } from './introspection-docs.js'
import { categoriesOf, describe } from './introspection-info.js'
import { countsRightly, useAt } from './key-uses.js'

const shared = {
  grows: 'nothing',
  categories: ['connection'],
  group: 'server',
  flags: ['loading', 'stale'],
} as const

const command: KeyValueRow = {
  ...shared,
  name: 'command',
  arity: -1,
  summary: 'Describes every command.',
  since: '2.8.13',
  complexity: 'O(n) in the number of commands',
  syntax: '',
  tips: ['nondeterministic_output_order'],
  grain: 'local',
  run: ({ services }) => [...services.table.commands.values()].map(describe),
}

const count: KeyValueRow = {
  ...shared,
  name: 'command|count',
  arity: 2,
  summary: 'Returns how many commands there are.',
  since: '2.8.13',
  complexity: 'O(1)',
  syntax: '',
  grain: 'local',
  run: ({ services }) => services.table.commands.size,
}

const info: KeyValueRow = {
  ...shared,
  name: 'command|info',
  arity: -2,
  summary: 'Describes some commands, or all: arity, flags, keys.',
  since: '2.8.13',
  complexity: 'O(n) in the number of commands asked for',
  syntax: '[command-name ...]',
  tips: ['nondeterministic_output_order'],
  grain: 'local',
  run(call) {
    const { args, services, count } = call
    if (count === 2) return [...services.table.commands.values()].map(describe)
    const found: Reply[] = []
    const see = (i: number) => {
      const named = services.table.find(args.text(i))
      found.push(named === undefined ? null : describe(named))
    }
    return eachWord(call, 2, see, () => found)
  },
}

const docs: KeyValueRow = {
  ...shared,
  name: 'command|docs',
  arity: -2,
  summary: 'Returns the documentation of some commands, or of all.',
  since: '7.0.0',
  complexity: 'O(n) in the number of commands asked for',
  syntax: '[command-name ...]',
  tips: ['nondeterministic_output_order'],
  grain: 'local',
  run(call) {
    const { args, services, count } = call
    const pairs: Reply[] = []
    const tell = (found: KnownCommand | undefined) => {
      if (found !== undefined) pairs.push(found.row.name, documentationOf(found))
    }
    if (count === 2) for (const each of services.table.commands.values()) tell(each)
    return eachWord(
      call,
      2,
      (i) => tell(services.table.find(args.text(i))),
      () => map(pairs),
    )
  },
}

const list: KeyValueRow = {
  ...shared,
  name: 'command|list',
  arity: -2,
  summary: 'Returns the names of all commands, or of those that match a filter.',
  since: '7.0.0',
  complexity: 'O(n) in the number of commands',
  syntax: '[FILTERBY <MODULE module-name | ACLCAT category | PATTERN pattern>]',
  tips: ['nondeterministic_output_order'],
  grain: 'local',
  run(call) {
    const { services, count } = call
    if (count === 2) return set([...services.table.all()].map(({ row }) => row.name))
    if (count !== 5 || !call.is(2, 'filterby')) throw syntaxError()
    const isWanted = filterOf(call)
    return [...services.table.all()].filter(isWanted).map(({ row }) => row.name)
  },
}

/** The filter of FILTERBY; it applies to subcommands too. */
function filterOf(call: KeyValueCall): (command: KnownCommand) => boolean {
  if (call.is(3, 'module')) return () => false
  if (call.is(3, 'aclcat')) {
    const category = call.text(4).toLowerCase()
    return ({ row }) => categoriesOf(row).includes(category)
  }
  if (!call.is(3, 'pattern')) throw syntaxError()
  const pattern = new Glob(call.arg(4), true)
  return ({ row }) => pattern.matchesBytes(Buffer.from(row.name))
}

const getkeys: KeyValueRow = {
  ...shared,
  name: 'command|getkeys',
  arity: -4,
  summary: 'Returns which words of a command are keys.',
  since: '2.8.13',
  complexity: 'O(n) in the number of words',
  syntax: 'command [arg ...]',
  grain: 'local',
  run: (call) => keysWithin(call).indexes.map((index) => call.arg(index + 2)),
}

const getkeysandflags: KeyValueRow = {
  ...shared,
  name: 'command|getkeysandflags',
  arity: -4,
  summary: 'Returns which words of a command are keys, and how it uses them.',
  since: '7.0.0',
  complexity: 'O(n) in the number of words',
  syntax: 'command [arg ...]',
  grain: 'local',
  run(call) {
    const { row, args, indexes } = keysWithin(call)
    return indexes.map((index) => [
      call.arg(index + 2),
      set(useAt(row, args, indexes, index).map(simple)),
    ])
  },
}

interface FoundKeys {
  readonly row: KeyValueFacts
  readonly args: Arguments
  readonly indexes: readonly number[]
}

/** The keys of the command that begins with word 2. Throws Redis' error. */
function keysWithin(call: KeyValueCall): FoundKeys {
  const args = new Words(call.argsFrom(2))
  const { table } = call.services
  const found = lookUp(table, args)
  if (found === undefined) throw refuse('ERR Invalid command specified')
  const { row } = found
  if (row.keys === undefined && row.movableKeys === undefined) {
    throw refuse('ERR The command has no key arguments')
  }
  if (!found.takes(args.count)) {
    throw refuse('ERR Invalid number of arguments specified for command')
  }
  const isCounted = countsRightly(row, args)
  const indexes = isCounted ? keysOf(row, args) : []
  const isMissing = indexes.length === 0 || indexes.some((index) => !(index < args.count))
  if (isMissing && !row.flags.includes('no_mandatory_keys')) {
    throw refuse('ERR Invalid arguments specified for command')
  }
  return { row, args, indexes }
}

function lookUp(table: KnownCommands, args: Arguments): KnownCommand | undefined {
  const found = table.find(args.text(0))
  return args.text(0).includes('|') ? undefined : found?.resolve(args)
}

/** The words of a command inside another command. */
class Words implements Arguments {
  constructor(private readonly words: readonly Slice[]) {}

  get count(): number {
    return this.words.length
  }

  get argumentBytes(): number {
    return this.words.reduce((sum, { length }) => sum + length, 0)
  }

  size(index: number): number {
    return this.at(index).length
  }

  view(index: number): Bytes {
    return this.at(index).view()
  }

  copy(index: number): Bytes {
    return this.at(index).copy()
  }

  text(index: number): string {
    return this.at(index).text()
  }

  is(index: number, word: string): boolean {
    return this.text(index).toLowerCase() === word
  }

  read<T>(index: number, read: (bytes: Bytes, start: number, end: number) => T): T {
    const { bytes, start, end } = this.at(index)
    return read(bytes, start, end)
  }

  detach(): Arguments {
    return this
  }

  private at(index: number): Slice {
    const word = this.words[index]
    if (word === undefined) throw new Error(`no word ${index} of ${this.count}`)
    return word
  }
}

const help = helpRow(command, '5.0.0')

export const introspectionRows: readonly KeyValueRow[] = [
  command,
  count,
  info,
  docs,
  list,
  getkeys,
  getkeysandflags,
  help,
]
