// HELP of a command that has subcommands: the lines of
// the peer's, without what is not here.

import { type Reply, simple } from '../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../bus/keyvalue/row.js'

/** The row `<container>|help`. `lines` are subcommands and, indented, what they do. */
export function helpRow(
  container: Pick<KeyValueRow, 'name' | 'group' | 'categories'>,
  since: string,
  lines: readonly string[],
): KeyValueRow {
  const { name, group, categories } = container
  const title = `${name.toUpperCase()} <subcommand> [<arg> [value] [opt] ...]. Subcommands are:`
  const reply: Reply = [title, ...lines, 'HELP', '    Prints this help.'].map(simple)
  return {
    group,
    categories,
    since,
    name: `${name}|help`,
    grows: 'nothing',
    arity: 2,
    flags: ['loading', 'stale'],
    summary: `Tells what ${name.toUpperCase()} can do.`,
    complexity: 'O(1)',
    syntax: '',
    grain: 'local',
    run: () => reply,
  }
}
