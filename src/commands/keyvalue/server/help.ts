// HELP of a command with subcommands, with the lines that Redis prints for it. The texts are in
// help-texts.ts.

import { type Reply, simple } from '../../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import { helpLines } from './help-texts.js'

/** The reply of HELP for a container command. */
export function helpReply(name: string): Reply {
  const title = `${name.toUpperCase()} <subcommand> [<arg> [value] [opt] ...]. Subcommands are:`
  const lines = helpLines[name as keyof typeof helpLines]
  return [title, ...lines, 'HELP', '    Prints this help.'].map(simple)
}

/** The row `<container>|help`. */
export function helpRow(
  container: Pick<KeyValueRow, 'name' | 'group' | 'categories'>,
  since: string,
): KeyValueRow {
  const { name, group, categories } = container
  const reply = helpReply(name)
  return {
    group,
    categories,
    since,
    name: `${name}|help`,
    grows: 'nothing',
    arity: 2,
    flags: ['loading', 'stale'],
    summary: `Lists what ${name.toUpperCase()} can do.`,
    complexity: 'O(1)',
    syntax: '',
    grain: 'local',
    run: () => reply,
  }
}
