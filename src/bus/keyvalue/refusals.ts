// Why a command is refused before it runs, in Redis' order: unknown, arity, login, rights, and
// commands that the connection's state does not allow.

import { noAuthentication, type ReplyError, refuse, wrongArity } from '../../base/reply-error.js'
import { type Identity, isLocked } from '../../identity/identity.js'
import type { Rules } from '../../identity/rights/allow.js'
import { senderRefusal } from '../policy/senders.js'
import type { Arguments } from './arguments.js'
import type { KeyValueSession } from './clients/session.js'
import type { Command } from './command.js'

/** Bytes of a name that an error echoes. */
const echoedNameMax = 128
const echoedArgumentsMax = 128

/**
 * `named` is the result of looking up the first word, `command` of the first two. Undefined: the
 * command may run.
 */
export function refusalOf(
  named: Command | undefined,
  command: Command | undefined,
  args: Arguments,
  session: KeyValueSession,
  rules?: Rules,
): ReplyError | undefined {
  if (named === undefined) return unknownCommand(args, session)
  if (command === undefined) return unknownSubcommand(named, args)
  const { row } = command
  if (!command.takes(args.count)) return wrongArity(row.name)
  // The operator may send everything, so the policy is not called.
  if (session.identity.kind !== 'operator') {
    const refused = accessRefusal(command, session.current, rules)
    if (refused !== undefined) return refused
  }
  if (isLocked(session.identity) && !readsOnly(command)) return locked(row.name)
  if (session.isSubscriber && row.whileSubscribed !== true) return subscribed(row.name)
  if (session.isMonitor && usesKeys(command)) {
    return refuse("ERR Replica can't interact with the keyspace")
  }
  if (session.multi !== undefined && row.flags.includes('no_multi')) {
    return refuse('ERR Command not allowed inside a transaction')
  }
  if (session.transaction !== undefined && !runsInTransactions(command, session)) {
    return refuse(
      `ERR '${row.name}' cannot run in a transaction`,
      'OperationNotSupportedInTransaction',
    )
  }
  return undefined
}

/** Reading and writing keys. Emptying whole databases is not: the commit could not check it. */
function runsInTransactions({ row, access }: Command, { multi }: KeyValueSession): boolean {
  if (multi !== undefined && row.grain === 'exec') return true
  return (
    access !== undefined &&
    row.grain !== 'blocking' &&
    !row.flags.includes('admin') &&
    row.privileges?.includes('admin') !== true
  )
}

/** Of the page of the operator, which was not unlocked. */
function readsOnly({ row, facts }: Command): boolean {
  const { flags } = row
  if (facts.access === 'admin' || facts.access === 'operator') return false
  return (
    flags.includes('readonly') ||
    (flags.includes('fast') && !flags.includes('write') && row.channels !== 'write')
  )
}

function locked(name: string): ReplyError {
  return forbidden(`NOPERM this session only reads: unlock it to run the '${name}' command`)
}

/** Whether the caller may send the command at all; the operator always may. */
export function accessRefusal(
  { facts, row }: Command,
  identity: Identity,
  rules?: Rules,
): ReplyError | undefined {
  const refusal = senderRefusal(facts.access, identity, rules)
  if (refusal === undefined) return undefined
  return refusal === 'forbidden' ? noPermission(row.name) : noAuthentication()
}

/** Whether a client in MONITOR mode may not send it. */
function usesKeys({ row: { flags } }: Command): boolean {
  return flags.includes('readonly') || flags.includes('write') || flags.includes('may_replicate')
}

function noPermission(name: string): ReplyError {
  const text = `NOPERM this user has no permissions to run the '${name}' command`
  return forbidden(text)
}

/** `hint` follows the text of Redis. */
export function noKeyPermission(hint = ''): ReplyError {
  const text = 'NOPERM this user has no permissions to access one of the keys used as arguments'
  return forbidden(`${text}${hint}`)
}

export function noChannelPermission(): ReplyError {
  return forbidden(
    'NOPERM this user has no permissions to access one of the channels used as arguments',
  )
}

function forbidden(text: string): ReplyError {
  return refuse(text, 'Unauthorized')
}

function unknownCommand(args: Arguments, session: KeyValueSession): ReplyError {
  let echoed = ''
  for (let i = 1; i < args.count; i++) {
    const room = echoedArgumentsMax - Buffer.byteLength(echoed)
    if (session.isAnonymous || room <= 0) break
    echoed += `'${echo(args, i, room)}' `
  }
  const name = echo(args, 0, echoedNameMax)
  const text = `ERR unknown command '${name}', with args beginning with: ${echoed}`
  return refuse(text, 'CommandNotFound')
}

/** A word as Redis prints it: up to a zero byte, with a maximum length. */
function echo(args: Arguments, index: number, most: number): string {
  const [text = ''] = args.text(index).split('\0', 1)
  return text.length * 3 <= most ? text : Buffer.from(text).subarray(0, most).toString()
}

function unknownSubcommand({ row }: Command, args: Arguments): ReplyError {
  const name = echo(args, 1, echoedNameMax)
  const text = `ERR unknown subcommand '${name}'. Try ${row.name.toUpperCase()} HELP.`
  return refuse(text, 'CommandNotFound')
}

function subscribed(name: string): ReplyError {
  return refuse(
    `ERR Can't execute '${name}': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET ` +
      'are allowed in this context',
  )
}
