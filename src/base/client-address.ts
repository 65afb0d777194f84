// What counts as one client for limits: an IPv4 address, or the /64 of an IPv6 address, since a
// client with one address in a /64 usually controls all of them.

import { isIPv6 } from 'node:net'

/** An IPv4 client of a dual-stack socket. */
const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/** The key under which requests of `address` are counted. Any other text is its own key. */
export function clientOf(address: string): string {
  // Nearly all addresses are IPv4, and every request comes here.
  if (!address.includes(':')) return address
  const zone = address.indexOf('%')
  const plain = zone === -1 ? address : address.slice(0, zone)
  return shortened(plain) ?? (isIPv6(plain) ? slowly(plain) : address)
}

/** The usual form of IPv6 addresses from sockets: up to four groups, `::`, up to four more. */
const group = '(?:[1-9a-f][\\da-f]{0,3}|0)'
const shortForm = new RegExp(
  `^(${group}(?::${group}){0,3})::(?:[\\da-f]{1,4}(?::[\\da-f]{1,4}){0,3})?$`,
)
const zeros = [':0:0:0', ':0:0', ':0', '']

function shortened(plain: string): string | undefined {
  const head = shortForm.exec(plain)?.[1]
  if (head === undefined) return undefined
  let colons = 0
  for (let at = 0; at < head.length; at++) if (head.charCodeAt(at) === colon) colons++
  return head + zeros[colons]
}

const colon = 0x3a

function slowly(plain: string): string {
  const [, quad] = mapped.exec(plain) ?? []
  if (quad !== undefined) return quad
  const [head = '', tail] = plain.split('::', 2)
  const groups = head === '' ? [] : head.split(':')
  if (tail !== undefined) {
    const known = tail === '' ? [] : tail.split(':')
    // A dotted quad at the end counts as two groups.
    const width = known.length + (known.at(-1)?.includes('.') === true ? 1 : 0)
    while (groups.length + width < 8) groups.push('0')
    groups.push(...known)
  }
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}

/** An IPv4 address that a socket for both versions reports as IPv6, in its own form. */
export function plainAddress(address: string): string {
  return address.startsWith('::ffff:') ? address.slice(7) : address
}
