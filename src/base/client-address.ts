// What counts as one client for limits: an IPv4 address, or the /64 of an IPv6 one, since whoever
// has one address there has all of them.

import { isIPv6 } from 'node:net'

/** IPv4 clients of a socket that is open to both. */
const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/** The key under which requests of `address` are counted. Any text is a key of its own. */
export function clientOf(address: string): string {
  const [plain = address] = address.split('%', 1)
  if (!isIPv6(plain)) return address
  const [, quad] = mapped.exec(plain) ?? []
  if (quad !== undefined) return quad
  const [head = '', tail] = plain.split('::', 2)
  const groups = head === '' ? [] : head.split(':')
  if (tail !== undefined) {
    const known = tail === '' ? [] : tail.split(':')
    // A dotted quad at the end stands for two groups.
    const width = known.length + (known.at(-1)?.includes('.') === true ? 1 : 0)
    while (groups.length + width < 8) groups.push('0')
    groups.push(...known)
  }
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}
