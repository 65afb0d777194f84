// Lines of CLIENT LIST and INFO, and the clients that a caller may see: its own, and for the
// operator all.

import { refuse } from '../../../base/reply-error.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import type { KeyValueSession } from '../../../bus/keyvalue/clients/session.js'
import { identityKey } from '../../../identity/identity.js'
import { userOf } from './user-name.js'

type ClientType = 'normal' | 'pubsub' | 'replica' | 'master'

/** The clients that the caller may see and change, in order of connection. */
export function* visibleClients({ session, services }: KeyValueCall): Generator<KeyValueSession> {
  const mine = identityKey(session.identity)
  for (const other of [...services.clients.sessions.values()]) {
    if (session.identity.kind === 'operator' || identityKey(other.identity) === mine) yield other
  }
}

/** A word of TYPE. Throws Redis' error. */
export function clientTypeOf(call: KeyValueCall, position: number): ClientType {
  for (const type of ['normal', 'pubsub', 'replica', 'master'] as const) {
    if (call.is(position, type)) return type
  }
  if (call.is(position, 'slave')) return 'replica'
  throw refuse(`ERR Unknown client type '${call.text(position)}'`)
}

export function hasType(session: KeyValueSession, type: ClientType): boolean {
  return type === (session.subscriptions > 0 ? 'pubsub' : 'normal')
}

/** The line of one client. Fields without a counterpart are 0. */
export function lineOf(session: KeyValueSession, call: KeyValueCall): string {
  const { services, args } = call
  const nowMs = services.clock.elapsed()
  const isSelf = session === call.session
  const { subscriber, multi } = session
  const inMulti = multi?.size ?? (isSelf && call.isQueued ? 1 : -1)
  return [
    `id=${session.id}`,
    `addr=${session.remoteAddress}`,
    `laddr=${session.local}`,
    `fd=${session.id}`,
    `name=${session.name}`,
    `age=${seconds(nowMs - session.createdMs)}`,
    `idle=${seconds(isSelf ? 0 : nowMs - session.lastMs)}`,
    `flags=${flagsOf(session, inMulti >= 0)}`,
    `db=${session.database}`,
    `sub=${subscriber?.channels.size ?? 0}`,
    `psub=${subscriber?.patterns.size ?? 0}`,
    'ssub=0',
    `multi=${inMulti}`,
    `qbuf=${isSelf ? requestBytes(call) : 0}`,
    'qbuf-free=0',
    `argv-mem=${isSelf ? args.argumentBytes : 0}`,
    `multi-mem=${multi?.argumentBytes ?? 0}`,
    'rbs=0 rbp=0 obl=0 oll=0 omem=0 tot-mem=0',
    'events=r',
    `cmd=${session.lastCommand || 'NULL'}`,
    `user=${userOf(session, services)}`,
    'redir=-1',
    `resp=${session.respVersion}`,
  ].join(' ')
}

function seconds(ms: number): number {
  return Math.max(0, Math.floor(ms / 1_000))
}

function flagsOf(session: KeyValueSession, inMulti: boolean): string {
  const flags = [
    session.isMonitor ? 'O' : '',
    session.subscriptions > 0 ? 'P' : '',
    inMulti ? 'x' : '',
    session.isBlocked ? 'b' : '',
    session.isEnding ? 'c' : '',
    session.keepsBuffers ? 'e' : '',
  ]
  return flags.join('') || 'N'
}

/** Bytes of the command on the wire, sent as an array. */
function requestBytes({ args }: KeyValueCall): number {
  let bytes = `*${args.count}\r\n`.length
  for (let i = 0; i < args.count; i++) {
    bytes += `$${args.size(i)}\r\n`.length + args.size(i) + '\r\n'.length
  }
  return bytes
}
