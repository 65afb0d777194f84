// Errors of key-value commands. Redis clients match on the text and its first word, so the texts
// that several commands share are here once, exactly as in 7.0.15. The class is that of errors.ts:
// HTTP returns it with the code of its kind. It has no stack: frames hold what a command has read,
// and a reply waits for those of its pipeline.

import { type CodeName, codeRow, GatewayError } from './errors.js'

export class ReplyError extends GatewayError {
  /** `text` is the whole error line without its dash: `ERR syntax error`. */
  constructor(text: string, kind: CodeName = 'BadValue') {
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(kind, text)
    Error.stackTraceLimit = stackTraceLimit
    this.name = 'ReplyError'
  }
}

/** `throw refuse('ERR no such key')`. */
export function refuse(text: string, kind?: CodeName): ReplyError {
  return new ReplyError(text, kind)
}

export const wrongType = (): ReplyError =>
  refuse('WRONGTYPE Operation against a key holding the wrong kind of value', 'TypeMismatch')

export const syntaxError = (): ReplyError => refuse('ERR syntax error', 'FailedToParse')

export const notInteger = (): ReplyError =>
  refuse('ERR value is not an integer or out of range', 'FailedToParse')

export const notFloat = (): ReplyError => refuse('ERR value is not a valid float', 'FailedToParse')

export const mustBePositive = (): ReplyError =>
  refuse('ERR value is out of range, must be positive')

export const wouldOverflow = (): ReplyError => refuse('ERR increment or decrement would overflow')

export const noSuchKey = (): ReplyError => refuse('ERR no such key', 'NoSuchKey')

export const indexOutOfRange = (): ReplyError => refuse('ERR index out of range')

export const tooLong = (): ReplyError =>
  refuse('ERR string exceeds maximum allowed size (proto-max-bulk-len)')

/** `command` is its name in the table: `set`, `config|set`. */
export const wrongArity = (command: string): ReplyError =>
  refuse(`ERR wrong number of arguments for '${command}' command`)

export const invalidExpire = (command: string): ReplyError =>
  refuse(`ERR invalid expire time in '${command}' command`)

export const noAuthentication = (): ReplyError =>
  refuse('NOAUTH Authentication required.', 'Unauthorized')

/** AUTH with only a password where none is set. */
export const noPassword = (): ReplyError =>
  refuse(
    'ERR AUTH <password> called without any password configured for the default user. ' +
      'Are you sure your configuration is correct?',
  )

/** Redis' text above its `maxmemory`. */
export const tooMuchMemory = (): ReplyError =>
  refuse("OOM command not allowed when used memory > 'maxmemory'.", 'ExceededMemoryLimit')

/**
 * The error line of any error of a command. An error of another kind keeps its text after the first
 * word that Redis clients act on.
 */
export function errorLine(error: GatewayError): string {
  if (error instanceof ReplyError) return error.message
  return `${codeRow(error.kind)?.word ?? 'ERR'} ${error.message}`
}
