// Start-up packets, the first messages of a client. Special version numbers request encryption or a
// cancellation instead. Source: PostgreSQL 17, 53.2.1 and 53.7.

import type { Bytes } from '../../base/bytes/bytes.js'
import { BodyReader } from './body-reader.js'
import { fatalError, pgState } from './pg-error.js'

const cancelCode = 80877102
const sslCode = 80877103
const gssCode = 80877104
const major = 3
/** Length of a cancel key: 4 in version 3.0, up to 256 in 3.2. */
const secretBytesMin = 4
const secretBytesMax = 256

export interface Startup {
  readonly kind: 'startup'
  readonly user: string
  /** The default is the user's name, as in PostgreSQL. */
  readonly database: string
  /** All given parameters, also `user` and `database`; the last one of equal names. */
  readonly parameters: ReadonlyMap<string, string>
  /**
   * The version or options exceed 3.0: NegotiateProtocolVersion is sent first, with these options.
   */
  readonly isNewer: boolean
  readonly unknownOptions: readonly string[]
}

type StartupPacket =
  | Startup
  | { readonly kind: 'ssl' }
  | { readonly kind: 'gss' }
  | { readonly kind: 'cancel'; readonly processId: number; readonly secret: Bytes }

/**
 * Parses the body of a start-up packet. Throws ProtocolError, always FATAL: 08P01 for a malformed
 * packet, 0A000 for another major version, 28000 without a user.
 */
export function parseStartup(body: Bytes): StartupPacket {
  const reader = new BodyReader(body, () => fatalError('invalid startup packet layout'))
  const version = reader.uint32()
  if (version === cancelCode) return parseCancel(reader)
  if (version === sslCode || version === gssCode) {
    reader.end()
    return { kind: version === sslCode ? 'ssl' : 'gss' }
  }
  if (version >>> 16 !== major) {
    const asked = `${version >>> 16}.${version & 0xffff}`
    throw fatalError(
      `unsupported frontend protocol ${asked}: server supports 3.0 to 3.0`,
      pgState.featureNotSupported,
    )
  }
  return parseParameters(reader, (version & 0xffff) > 0)
}

function parseCancel(reader: BodyReader): StartupPacket {
  const processId = reader.int32()
  if (reader.left < secretBytesMin || reader.left > secretBytesMax) {
    throw fatalError('invalid length of cancel request packet')
  }
  return { kind: 'cancel', processId, secret: reader.view(reader.left) }
}

function parseParameters(reader: BodyReader, isNewerVersion: boolean): Startup {
  const parameters = new Map<string, string>()
  const unknownOptions: string[] = []
  for (let name = readText(reader); name !== ''; name = readText(reader)) {
    const value = readText(reader)
    // Protocol options, of which 3.0 has none.
    if (name.startsWith('_pq_.')) unknownOptions.push(name)
    else parameters.set(name, value)
  }
  if (reader.left > 0) {
    throw fatalError('invalid startup packet layout: expected terminator as last byte')
  }
  const user = parameters.get('user') ?? ''
  if (user === '') {
    throw fatalError(
      'no PostgreSQL user name specified in startup packet',
      pgState.badAuthorization,
    )
  }
  const database = parameters.get('database') || user
  const isNewer = isNewerVersion || unknownOptions.length > 0
  return { kind: 'startup', user, database, parameters, isNewer, unknownOptions }
}

/** Invalid UTF-8 is fatal too: it cannot be answered by name. */
function readText(reader: BodyReader): string {
  try {
    return reader.text()
  } catch {
    throw fatalError('invalid startup packet layout')
  }
}
