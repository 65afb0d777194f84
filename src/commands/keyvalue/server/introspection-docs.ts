// A command in the form of COMMAND DOCS, from which redis-cli builds its hints and its help. The
// arguments come from the row's syntax.

import { map, type Reply, set, simple } from '../../../bus/keyvalue/reply.js'
import type { KnownCommand } from '../../../bus/keyvalue/services.js'
import { keyUsesOf } from './key-uses.js'
import { type Argument, parseSyntax } from './syntax.js'

export function documentationOf(command: KnownCommand): Reply {
  const { summary, since, group, complexity, syntax } = command.row
  const pairs: Reply[] = ['summary', summary.replace(/\.$/, ''), 'since', since]
  pairs.push('group', group, 'complexity', complexity)
  const keys = new KeyCounter(keyUsesOf(command.row).length)
  const described = parseSyntax(syntax).map((argument) => describe(argument, keys))
  if (described.length > 0) pairs.push('arguments', described)
  const subcommands = [...command.subcommands.values()]
  if (subcommands.length > 0) {
    const docs = subcommands.flatMap((each) => [each.row.name, documentationOf(each)])
    pairs.push('subcommands', map(docs))
  }
  return map(pairs)
}

/** Numbers the key arguments: each belongs to one key use of COMMAND INFO. */
class KeyCounter {
  private next = 0

  constructor(private readonly uses: number) {}

  take(): number {
    const index = this.next++
    return Math.min(index, this.uses - 1)
  }
}

function describe(argument: Argument, keys: KeyCounter): Reply {
  const { name, type, token, isOptional, isMultiple, repeatsToken, parts } = argument
  const pairs: Reply[] = ['name', name, 'type', type]
  if (type === 'key') pairs.push('key_spec_index', keys.take())
  if (token !== undefined) pairs.push('token', token)
  const flags: Reply[] = []
  if (isOptional === true) flags.push(simple('optional'))
  if (isMultiple === true) flags.push(simple('multiple'))
  if (repeatsToken === true) flags.push(simple('multiple_token'))
  if (flags.length > 0) pairs.push('flags', set(flags))
  if (parts !== undefined)
    pairs.push(
      'arguments',
      parts.map((part) => describe(part, keys)),
    )
  return map(pairs)
}
