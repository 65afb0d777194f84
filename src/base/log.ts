// Structured logs on standard error, one JSON object a line (pino). Secrets of Sigil are redacted:
// keys of the `svc_…` family, and signatures of 64 bytes and more.

import { type Logger, pino } from 'pino'

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>

const secrets = /svc_(?:live|test|op)_[0-9A-Za-z]+|0x[0-9a-fA-F]{128,}/g

/** The text with everything that looks like a Sigil secret redacted. */
export function redact(text: string): string {
  return text.replace(secrets, '[redacted]')
}

/** `level` is one of pino's, or `silent`; `show` reformats a line of JSON. */
export function openLog(level: string, show = (line: string) => line): Log {
  const sink = pino.destination({ fd: 2, sync: true })
  return pino({ level, base: null }, { write: (line: string) => sink.write(show(redact(line))) })
}

export const silentLog: Log = pino({ level: 'silent' })
