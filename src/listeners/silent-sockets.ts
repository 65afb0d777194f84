// Sockets before login: silent ones, unfinished logins, TLS handshakes, a byte now and then. They
// have a total bound and one for each address. At the bound, a new socket replaces the oldest of
// the address with the most, so no address can lock out others.

import type { Socket } from 'node:net'
import { clientOf, plainAddress } from '../base/client-address.js'

interface SilentBounds {
  readonly all: number
  readonly ofAddress: number
}

const { POSITIVE_INFINITY: infinity } = Number
/** For servers on which every client is the operator. */
export const unboundedSockets: SilentBounds = { all: infinity, ofAddress: infinity }

interface Silent {
  readonly socket: Socket
  readonly address: string
  readonly closed: () => void
}

export class SilentSockets {
  private readonly silent = new Map<string, Silent>()
  /** By address, oldest first. */
  private readonly addresses = new Map<string, Set<string>>()

  /** `isExempt`: addresses with many clients, such as a proxy. */
  constructor(
    private readonly bounds: SilentBounds,
    private readonly isExempt: (address: string) => boolean = () => false,
  ) {}

  get size(): number {
    return this.silent.size
  }

  /** Counts a socket as the newest; true if another one was closed for it. */
  add(socket: Socket): boolean {
    const key = keyOf(socket)
    const address = clientOf(socket.remoteAddress ?? '')
    if (key === undefined || this.isExempt(plainAddress(socket.remoteAddress ?? ''))) return false
    this.remove(key)
    const closed = () => this.remove(key)
    this.silent.set(key, { socket, address, closed })
    const own = this.addresses.get(address) ?? new Set()
    this.addresses.set(address, own.add(key))
    socket.once('close', closed)
    if (own.size > this.bounds.ofAddress) return this.evict(address)
    return this.silent.size > this.bounds.all && this.evict(this.largest())
  }

  /** It has logged in. */
  remove(key: string | undefined): void {
    const found = key === undefined ? undefined : this.silent.get(key)
    if (found === undefined || key === undefined) return
    this.silent.delete(key)
    // A socket may log in and out many times while it is open.
    found.socket.off('close', found.closed)
    const own = this.addresses.get(found.address)
    own?.delete(key)
    if (own?.size === 0) this.addresses.delete(found.address)
  }

  /** Closes one to make room for any socket; false if there is none. */
  makeRoom(): boolean {
    return this.silent.size > 0 && this.evict(this.largest())
  }

  private evict(address: string): boolean {
    for (const key of this.addresses.get(address) ?? []) {
      const { socket } = this.silent.get(key) as Silent
      this.remove(key)
      socket.destroy()
      return true
    }
    return false
  }

  /** Of several addresses with equally many, the one with the oldest socket. */
  private largest(): string {
    let largest = ''
    let most = 0
    for (const [address, { size }] of this.addresses) {
      if (size <= most) continue
      largest = address
      most = size
    }
    return largest
  }
}

/** The same for a socket and its TLS socket; undefined if it is closed. */
export function keyOf({ remoteAddress, remotePort }: Socket): string | undefined {
  return remoteAddress === undefined ? undefined : `${remoteAddress} ${remotePort}`
}
