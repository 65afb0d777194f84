// MONITOR: clients that see every command of every client and protocol after it has run. Without
// such a client nothing is formatted. Secret words are never shown.

import { monitorLineBytes } from '../../../base/limits/key-value.js'
import { simple } from '../reply.js'
import type { Followed, Followers } from './followers.js'
import type { KeyValueSession } from './session.js'

export class Monitors {
  private readonly sessions = new Set<KeyValueSession>()

  constructor(private readonly followers: Followers) {}

  /** Shows `session` the commands that run from now on. */
  add(session: KeyValueSession): void {
    session.isMonitor = true
    this.sessions.add(session)
    this.followers.add(this.follow)
  }

  remove(session: KeyValueSession): void {
    session.isMonitor = false
    this.sessions.delete(session)
    if (this.sessions.size === 0) this.followers.delete(this.follow)
  }

  private readonly follow = (call: Followed): void => {
    const { flags } = call.command.row
    if (flags.includes('admin') || flags.includes('skip_monitor')) return
    const line = simple(lineOf(call))
    for (const session of [...this.sessions]) {
      // It sees what runs after its reply; and nothing once it is no longer the operator's.
      if (session.isJoining || session.identity.kind !== 'operator') continue
      session.socket.push(line)
    }
  }
}

/**
 * Deviation: a long command is cut after monitorLineBytes of its words.
 * `1700000000.123000 [0 127.0.0.1:50000] "SET" "a" "1"`.
 */
function lineOf(call: Followed): string {
  const { args, session, command, shownDatabase: database } = call
  const { secretsFrom = args.count } = command.row
  const seconds = Math.floor(call.now / 1_000)
  const micros = Math.floor((call.now % 1_000) * 1_000)
  const words: string[] = []
  let left = monitorLineBytes
  for (let i = 0; i < args.count; i++) {
    if (left <= 0) {
      words.push(`... (${args.count - i} more arguments)`)
      break
    }
    const most = left
    const shown = (bytes: Uint8Array, start: number, end: number): string =>
      end - start <= most
        ? quoted(bytes, start, end)
        : `${quoted(bytes, start, start + most)}... (${end - start - most} more bytes)`
    words.push(i < secretsFrom ? args.read(i, shown) : '"(redacted)"')
    left -= args.size(i) + 1
  }
  const time = `${seconds}.${String(micros).padStart(6, '0')}`
  return `${time} [${database} ${session.remoteAddress}] ${words.join(' ')}`
}

/** Escapes for bytes outside printable ASCII. */
const escapes: string[] = Array.from(
  { length: 256 },
  (_, byte) => `\\x${byte.toString(16).padStart(2, '0')}`,
)
for (const [byte, text] of [
  [0x22, '\\"'],
  [0x5c, '\\\\'],
  [0x0a, '\\n'],
  [0x0d, '\\r'],
  [0x09, '\\t'],
  [0x07, '\\a'],
  [0x08, '\\b'],
] as const) {
  escapes[byte] = text
}

/** Quotes bytes as printable ASCII. */
function quoted(bytes: Uint8Array, start: number, end: number): string {
  const parts: string[] = []
  let from = start
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number
    if (byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c) continue
    parts.push(ascii(bytes, from, at))
    parts.push(escapes[byte] as string)
    from = at + 1
  }
  parts.push(ascii(bytes, from, end))
  return `"${parts.join('')}"`
}

function ascii(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1')
}
