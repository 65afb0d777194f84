// Why a command is refused before it runs, in the reference server's order: unknown, arity, login,
// rights, and what a connection may not say in the state that it is in.

import { noAuthentication, type ReplyError, refuse, wrongArity } from '../../base/reply-error.js'
import type { Identity } from '../../identity/identity.js'
import type { Rules } from '../../identity/rights/allow.js'
import { senderRefusal } from '../policy/senders.js'
import type { Arguments } from './arguments.js'
import type { KeyValueSession } from './clients/session.js'
import type { Command } from './command.js'

/** Of what it echoes, bytes. */
const echoedNameMax = 128
const echoedArgumentsMax = 128

/**
 * `named` is what the first word leads to, `command` what the first two do. Undefined: it may run.
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
  // Nothing is asked of the operator: the policy is not even called.
  if (session.identity.kind !== 'operator') {
    const refused = accessRefusal(command, session.current, rules)
    if (refused !== undefined) return refused
  }
  if (session.isSubscriber && row.whileSubscribed !== true) return subscribed(row.name)
  if (session.isMonitor && usesKeys(command)) {
    return refuse("ERR Replica can't interact with the keyspace")
  }
  if (session.multi !== undefined && row.flags.includes('no_multi')) {
    return refuse('ERR Command not allowed inside a transaction')
  }
  return undefined
}

/** Whether the caller may send the command at all; nothing is asked of the operator. */
export function accessRefusal(
  { opensTo, row }: Command,
  identity: Identity,
  rules?: Rules,
): ReplyError | undefined {
  const refusal = senderRefusal(opensTo, identity, rules)
  if (refusal === undefined) return undefined
  return refusal === 'forbidden' ? noPermission(row.name) : noAuthentication()
}

/** What a client in MONITOR mode may not do. */
function usesKeys({ row: { flags } }: Command): boolean {
  return flags.includes('readonly') || flags.includes('write') || flags.includes('may_replicate')
}

export function noPermission(name: string): ReplyError {
  const text = `NOPERM this user has no permissions to run the '${name}' command`
  return forbidden(text)
}

/** `hint` follows the reference server's text. */
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

/** A word as the reference server prints it: up to a zero byte, and at most so many bytes. */
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
