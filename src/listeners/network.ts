// Checks where a listener may open. On a network without TLS a login can be recorded. Since the
// stored verifier of a key is public, one recording reveals the key. So no listener opens there
// unless the operator declares the network private. (docs/design/threat-model.md, "Known risks")

import { isIP } from 'node:net'
import { fail } from '../base/errors.js'

/** Whether only this machine can use the address. */
export function isLoopback(host: string): boolean {
  const address = host.startsWith('::ffff:') ? host.slice(7) : host
  if (address === 'localhost' || address === '::1') return true
  return isIP(address) === 4 && address.startsWith('127.')
}

export interface NetworkOptions {
  readonly host: string
  readonly tls: object | undefined
  /** Setting ALLOW_INSECURE. */
  readonly allowInsecure: boolean
  /** Proxies of the listener; through a trusted proxy it accepts only https requests. */
  readonly trustedProxies?: readonly string[]
}

/** Throws InvalidOptions, with instructions, if a network could see keys without TLS. */
export function requireSafeNetwork(listener: string, options: NetworkOptions): void {
  const { host, tls, allowInsecure, trustedProxies } = options
  if (isLoopback(host) || tls !== undefined || allowInsecure) return
  if (trustedProxies !== undefined && trustedProxies.length > 0) return
  const proxies = trustedProxies === undefined ? '' : 'TRUSTED_PROXIES for a proxy that does TLS, '
  throw fail(
    'InvalidOptions',
    `HOST=${host} without TLS: a login over ${listener} could be recorded, and its key worked ` +
      `out. Set TLS_CERT and TLS_KEY, ${proxies}or ALLOW_INSECURE=1 if no other machine ` +
      'is on the network',
  )
}
