// Parses and builds the text that a wallet signs to sign in. Strict in both directions: a parsed
// message is written back byte for byte, and an unparsable one is never written. All checks take
// linear time. (EIP-4361)

import { checksumAddress } from '../../base/bytes/eip55.js'
import { fail, type GatewayError } from '../../base/errors.js'
import { nonceCharsMax, nonceCharsMin, signInMessageBytesMax } from '../../base/limits/identity.js'
import { parseDateTime } from './date-time.js'
import { isAuthority, isRequestId, isScheme, isStatement, isUri } from './rfc3986.js'

/** The fields as written; times are texts, so that the message does not change. */
export interface SiweMessage {
  /** The scheme of the domain, such as `https`. */
  readonly scheme?: string
  /** RFC 3986 authority: `localhost:8080`. */
  readonly domain: string
  /** EIP-55. */
  readonly address: string
  readonly statement?: string
  readonly uri: string
  readonly version: '1'
  /** Decimal digits, up to 2^53 - 1; leading zeros are kept. */
  readonly chainId: string
  readonly nonce: string
  readonly issuedAt: string
  readonly expirationTime?: string
  readonly notBefore?: string
  /** May be empty. */
  readonly requestId?: string
  /** May be empty. */
  readonly resources?: readonly string[]
}

const headEnd = ' wants you to sign in with your Ethereum account:'

/** Parses a message. Throws BadValue with reason `SIWE_MALFORMED:<field>`. */
export function parseSiwe(text: string): SiweMessage {
  if (Buffer.byteLength(text) > signInMessageBytesMax) {
    throw malformed('message', `longer than ${signInMessageBytesMax} bytes`)
  }
  const lines = new Lines(text.split('\n'))
  const head = readHead(lines.take() ?? '')
  const address = readAddress(lines.take())
  lines.takeEmpty('address')
  const statement = readStatement(lines)
  const message = {
    ...head,
    address,
    ...(statement === undefined ? {} : { statement }),
    uri: lines.field('uri', isUri),
    version: lines.field('version', isVersion) as '1',
    chainId: lines.field('chainId', isChainId),
    nonce: lines.field('nonce', isNonce),
    issuedAt: lines.field('issuedAt', isDateTime),
    ...lines.optional('expirationTime', isDateTime),
    ...lines.optional('notBefore', isDateTime),
    ...lines.optional('requestId', isRequestId),
    ...readResources(lines),
  }
  lines.end()
  return message
}

/**
 * Builds a message. Throws as `parseSiwe` if a field is missing, or has content that would change
 * the message.
 */
export function buildSiwe(message: SiweMessage): string {
  for (const name of requiredFields) {
    if (typeof message[name] !== 'string') throw malformed(name, 'missing')
  }
  const text = write(message)
  const read = parseSiwe(text)
  for (const name of new Set([...Object.keys(message), ...Object.keys(read)])) {
    const field = name as keyof SiweMessage
    const isSame = JSON.stringify(message[field]) === JSON.stringify(read[field])
    if (!isSame) throw malformed(field, 'it would not be read back')
  }
  return text
}

const requiredFields = [
  'domain',
  'address',
  'uri',
  'version',
  'chainId',
  'nonce',
  'issuedAt',
] as const

/** Labels of the lines, in their order. */
const labels = {
  uri: 'URI',
  version: 'Version',
  chainId: 'Chain ID',
  nonce: 'Nonce',
  issuedAt: 'Issued At',
  expirationTime: 'Expiration Time',
  notBefore: 'Not Before',
  requestId: 'Request ID',
} as const

type LabelledField = keyof typeof labels
const resourcesLabel = 'Resources:'

function write(message: SiweMessage): string {
  const { scheme, domain, address, statement, resources } = message
  const head = scheme === undefined ? domain : `${scheme}://${domain}`
  const lines = [`${head}${headEnd}`, address, '']
  if (statement !== undefined) lines.push(statement)
  lines.push('')
  for (const [name, label] of Object.entries(labels)) {
    const value = message[name as LabelledField]
    if (value !== undefined) lines.push(`${label}: ${value}`)
  }
  if (resources !== undefined) lines.push(resourcesLabel, ...resources.map((uri) => `- ${uri}`))
  return lines.join('\n')
}

function readHead(line: string): Pick<SiweMessage, 'scheme' | 'domain'> {
  if (!line.endsWith(headEnd)) throw malformed('domain', 'the first line is not of a sign-in')
  const head = line.slice(0, -headEnd.length)
  const at = head.indexOf('://')
  const domain = at < 0 ? head : head.slice(at + 3)
  if (at >= 0 && !isScheme(head.slice(0, at))) throw malformed('scheme', 'not a scheme')
  if (!isAuthority(domain)) throw malformed('domain', 'not an authority')
  return at < 0 ? { domain } : { scheme: head.slice(0, at), domain }
}

function readAddress(line = ''): string {
  if (!/^0x[0-9a-fA-F]{40}$/.test(line)) throw malformed('address', 'not an address')
  if (checksumAddress(line.slice(2).toLowerCase()) !== line) {
    throw malformed('address', 'not in EIP-55 form')
  }
  return line
}

/** A line and an empty one, or only an empty one. */
function readStatement(lines: Lines): string | undefined {
  const line = lines.take()
  if (line === '') return undefined
  if (line === undefined || !isStatement(line)) {
    throw malformed('statement', 'empty, or with characters that it may not have')
  }
  lines.takeEmpty('statement')
  return line
}

function readResources(lines: Lines): Pick<SiweMessage, 'resources'> {
  if (!lines.takeIf(resourcesLabel)) return {}
  const resources: string[] = []
  for (let line = lines.take(); line !== undefined; line = lines.take()) {
    if (!line.startsWith('- ') || !isUri(line.slice(2))) {
      throw malformed('resources', 'a line that is no URI')
    }
    resources.push(line.slice(2))
  }
  return { resources }
}

class Lines {
  private at = 0

  constructor(private readonly lines: readonly string[]) {}

  take(): string | undefined {
    return this.lines[this.at++]
  }

  takeIf(line: string): boolean {
    if (this.lines[this.at] !== line) return false
    this.at++
    return true
  }

  takeEmpty(after: keyof SiweMessage): void {
    if (this.take() !== '') throw malformed(after, 'no empty line behind it')
  }

  field(name: LabelledField, isGood: (value: string) => boolean): string {
    const value = this.optional(name, isGood)[name]
    if (value === undefined) throw malformed(name, `line '${labels[name]}' is not in its place`)
    return value
  }

  optional<N extends LabelledField>(
    name: N,
    isGood: (value: string) => boolean,
  ): { readonly [K in N]?: string } {
    const label = `${labels[name]}: `
    const line = this.lines[this.at]
    if (line === undefined || !line.startsWith(label)) return {}
    const value = line.slice(label.length)
    if (!isGood(value)) throw malformed(name, `'${labels[name]}' does not hold what it must`)
    this.at++
    return { [name]: value } as { readonly [K in N]?: string }
  }

  end(): void {
    if (this.at < this.lines.length) throw malformed('message', 'a line that does not belong there')
  }
}

function isVersion(text: string): boolean {
  return text === '1'
}

function isChainId(text: string): boolean {
  return /^[0-9]+$/.test(text) && Number(text) <= Number.MAX_SAFE_INTEGER
}

function isNonce(text: string): boolean {
  const { length } = text
  return length >= nonceCharsMin && length <= nonceCharsMax && /^[A-Za-z0-9]+$/.test(text)
}

function isDateTime(text: string): boolean {
  return parseDateTime(text) !== undefined
}

function malformed(field: keyof SiweMessage | 'message', why: string): GatewayError {
  const reason = `SIWE_MALFORMED:${field}`
  return fail('BadValue', `the sign-in message is malformed: ${field}: ${why}`, { reason })
}
