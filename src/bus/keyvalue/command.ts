// The table of key-value commands: rows by name, subcommands under their containers, and the counts
// of each. A command holds its own counters, so that counting needs no look-up.

import { assert } from '../../base/errors.js'
import type { Keyspace } from '../../engine/keyspace/keyspace.js'
import type { Privilege } from '../../engine/types.js'
import type { Step } from '../../store/store.js'
import type { CommandCounts } from '../document/bus-view.js'
import { type CommandFacts, checkFacts } from '../policy/facts.js'
import type { Arguments } from './arguments.js'
import type { KeyValueCall } from './call.js'
import { none, type Reply } from './reply.js'
import { checkRow, type KeyValueRow } from './row.js'
import { factsOf, privilegesOf } from './row-facts.js'

export class Command {
  readonly counts: CommandCounts
  /** Calls refused before they ran: arity, rights (INFO commandstats). */
  rejected = 0
  readonly privileges: readonly Privilege[]
  /** What the policy reads of it. */
  readonly facts: CommandFacts
  readonly isFast: boolean
  /** Its work is bounded by the number of its words. */
  readonly isBrief: boolean
  readonly isWrite: boolean
  readonly subcommands = new Map<string, Command>()
  /** The program of its row, if it has one. */
  readonly run: (ks: Keyspace, call: KeyValueCall) => Step<Reply | undefined>
  /** The reply of a blocking command at its timeout, or when it cannot wait (inside MULTI). */
  readonly nothingYet: Reply
  readonly nothing: Reply

  /** The read variant of a writing command, for words that only read. */
  private readonly reading: Command | undefined

  constructor(
    readonly row: KeyValueRow,
    counts: CommandCounts = { total: 0, failed: 0, ms: 0 },
  ) {
    this.counts = counts
    this.privileges = privilegesOf(row)
    this.facts = factsOf(row)
    checkFacts(this.facts)
    this.isFast = row.flags.includes('fast')
    this.isBrief = this.isFast || row.isBrief === true
    this.isWrite = row.flags.includes('write')
    this.run =
      row.grain === 'read' || row.grain === 'write' || row.grain === 'blocking'
        ? row.run
        : noProgram
    this.nothingYet = row.grain === 'blocking' ? row.timedOut : none
    const { nothingYet } = this
    this.nothing = row.grain === 'blocking' && 'nothing' in row ? row.nothing : nothingYet
    this.reading = readingOf(row, this.counts)
  }

  /** For SELECT: the database of the commands after it; undefined if it fails. */
  get selects(): ((call: KeyValueCall) => number | undefined) | undefined {
    return this.row.selects
  }

  /** The kind of program it runs in; undefined if it runs in none. */
  get access(): 'read' | 'write' | undefined {
    const { grain } = this.row
    if (grain === 'read') return 'read'
    return grain === 'write' || grain === 'blocking' ? 'write' : undefined
  }

  /** The command for these words: itself or a subcommand; undefined if unknown. */
  resolve(args: Arguments): Command | undefined {
    if (this.reading !== undefined && this.row.isRead?.(args) === true) return this.reading
    if (this.subcommands.size === 0 || args.count < 2) return this
    return this.subcommands.get(args.text(1).toLowerCase())
  }

  takes(count: number): boolean {
    const { arity } = this.row
    return arity < 0 ? count >= -arity : count === arity
  }
}

function readingOf(row: KeyValueRow, counts: CommandCounts): Command | undefined {
  if (row.isRead === undefined || row.grain !== 'write') return undefined
  const { isRead: _, privileges: __, ...rest } = row
  const flags = row.flags.map((flag) => (flag === 'write' ? 'readonly' : flag))
  return new Command({ ...rest, flags, grain: 'read' }, counts)
}

function noProgram(_ks: Keyspace, call: KeyValueCall): never {
  throw new Error(`${call.name} is no program`)
}

export class KeyValueTable {
  /** Containers and plain commands, by name. */
  readonly commands = new Map<string, Command>()

  constructor(rows: readonly KeyValueRow[]) {
    for (const row of rows) {
      checkRow(row)
      if (!row.name.includes('|')) this.add(this.commands, row.name, row)
    }
    for (const row of rows) {
      const [container = '', name] = row.name.split('|')
      if (name === undefined) continue
      const command = this.commands.get(container)
      assert(command !== undefined, `${row.name} has no container`)
      this.add(command.subcommands, name, row)
    }
  }

  /** A command or `container|name`, in any case. */
  find(name: string): Command | undefined {
    const [container = '', sub, further] = name.toLowerCase().split('|')
    const command = further === undefined ? this.commands.get(container) : undefined
    return sub === undefined ? command : command?.subcommands.get(sub)
  }

  /** Every command, each followed by its subcommands. */
  *all(): Generator<Command> {
    for (const command of this.commands.values()) {
      yield command
      yield* command.subcommands.values()
    }
  }

  private add(into: Map<string, Command>, name: string, row: KeyValueRow): void {
    assert(!into.has(name), `two commands named ${row.name}`)
    into.set(name, new Command(row))
  }
}
