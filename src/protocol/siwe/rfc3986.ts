// The parts of RFC 3986 that a sign-in message needs, checked character by character. `URL` is no
// validator, since it repairs its input. All checks take linear time.

import { isIPv6 } from 'node:net'

const isUnreserved = classOf('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~')
const isSubDelimiter = classOf("!$&'()*+,;=")
const isHex = classOf('0123456789ABCDEFabcdef')
const isLetter = classOf('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz')
const isDigit = classOf('0123456789')

/** Characters by their codes; no class has characters outside ASCII. */
type CharacterClass = (code: number) => boolean

function classOf(characters: string): CharacterClass {
  const table = new Uint8Array(128)
  for (let i = 0; i < characters.length; i++) table[characters.charCodeAt(i)] = 1
  return (code) => code < 128 && table[code] === 1
}

const isReserved = classOf(":/?#[]@!$&'()*+,;=")
const isSchemeTail = classOf('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-.')
const inHostName = either(isUnreserved, isSubDelimiter)
const inUserInfo = either(inHostName, classOf(':'))
const inPath = either(inUserInfo, classOf('@'))
const inPaths = either(inPath, classOf('/'))
const inQuery = either(inPaths, classOf('?'))

function either(one: CharacterClass, other: CharacterClass): CharacterClass {
  return (code) => one(code) || other(code)
}

/** Every character is in the class; an empty text passes. */
function all(text: string, isOne: CharacterClass): boolean {
  for (let i = 0; i < text.length; i++) if (!isOne(text.charCodeAt(i))) return false
  return true
}

/** As `all`, and percent with two hexadecimal digits at any place. */
function allEncoded(text: string, isOne: CharacterClass): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (isOne(code)) continue
    const isEscape = code === 0x25 && isHex(text.charCodeAt(i + 1)) && isHex(text.charCodeAt(i + 2))
    if (!isEscape) return false
    i += 2
  }
  return true
}

/** scheme: a letter, then letters, digits, `+`, `-`, `.`. */
export function isScheme(text: string): boolean {
  return isLetter(text.charCodeAt(0)) && all(text, isSchemeTail)
}

/** authority with a host: `[user@]host[:port]`; the port may be empty. */
export function isAuthority(text: string): boolean {
  const host = hostOf(text)
  return host !== undefined && host !== ''
}

/** The host of an authority, possibly empty; undefined for an invalid authority. */
function hostOf(text: string): string | undefined {
  const at = text.indexOf('@')
  if (at >= 0 && !allEncoded(text.slice(0, at), inUserInfo)) return undefined
  const rest = text.slice(at + 1)
  const end = rest.startsWith('[') ? rest.indexOf(']') + 1 : endOfName(rest)
  const [host, port] = [rest.slice(0, end), rest.slice(end)]
  if (port !== '' && !(port.startsWith(':') && all(port.slice(1), isDigit))) return undefined
  const isHost = host.startsWith('[') ? isLiteral(host.slice(1, -1)) : allEncoded(host, inHostName)
  return isHost ? host : undefined
}

function endOfName(text: string): number {
  const colon = text.indexOf(':')
  return colon < 0 ? text.length : colon
}

/** The text in brackets: IPv6address without a zone, or IPvFuture. */
function isLiteral(text: string): boolean {
  if (!/^[vV]/.test(text)) return !text.includes('%') && isIPv6(text)
  const dot = text.indexOf('.')
  const [version, address] = [text.slice(1, dot), text.slice(dot + 1)]
  return dot > 1 && all(version, isHex) && address !== '' && all(address, inUserInfo)
}

/** URI: a scheme is needed, a fragment allowed. */
export function isUri(text: string): boolean {
  const colon = text.indexOf(':')
  if (colon < 1 || !isScheme(text.slice(0, colon))) return false
  const hash = text.indexOf('#', colon)
  const beforeFragment = hash < 0 ? text.length : hash
  const mark = text.indexOf('?', colon)
  const end = mark >= 0 && mark < beforeFragment ? mark : beforeFragment
  if (!isHierarchy(text.slice(colon + 1, end))) return false
  if (end < beforeFragment && !allEncoded(text.slice(end + 1, beforeFragment), inQuery))
    return false
  return hash < 0 || allEncoded(text.slice(hash + 1), inQuery)
}

/** hier-part: `//authority/path`, or a path. */
function isHierarchy(text: string): boolean {
  if (!text.startsWith('//')) return allEncoded(text, inPaths)
  const slash = text.indexOf('/', 2)
  const end = slash < 0 ? text.length : slash
  return hostOf(text.slice(2, end)) !== undefined && allEncoded(text.slice(end), inPaths)
}

/** request-id: path characters; may be empty. */
export function isRequestId(text: string): boolean {
  return allEncoded(text, inPath)
}

/** A statement of a sign-in message: reserved, unreserved and spaces; no hidden characters. */
export function isStatement(text: string): boolean {
  return text !== '' && all(text, inStatement)
}

const inStatement = either(either(isReserved, isUnreserved), (code) => code === 0x20)
