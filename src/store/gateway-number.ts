// The number of a gateway in names that its clients bring back: ids of cursors, and of the sessions
// that HTTP transactions have. So any gateway finds the one that knows the rest.
// (docs/design/many-gateways.md, "HTTP over several gateways")

import type { Bytes } from '../base/bytes/bytes.js'

/** Numbers in ids of cursors; gateways beyond it share them. */
const cursorNumbers = 4_096
const uuidBytes = 16

/** `id` with the number in it: 2^41 ids remain for each gateway. */
export function numberedCursor(id: number, gateway: number): number {
  return id - (id % cursorNumbers) + (gateway % cursorNumbers)
}

export function gatewayOfCursor(id: number): number {
  return id % cursorNumbers
}

/** A random UUID with the number in its last two bytes. */
export function numberedUuid(uuid: Bytes, gateway: number): Bytes {
  const named = Buffer.from(uuid)
  named.writeUInt16BE(gateway & 0xffff, uuidBytes - 2)
  return named
}

export function gatewayOfUuid(uuid: Bytes): number {
  return Buffer.from(uuid).readUInt16BE(uuidBytes - 2)
}
