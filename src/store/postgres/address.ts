// The address of a shared store: `postgres://user@host:port/database`, as libpq's URIs. `schema`
// names the schema of the tables.

import { fail } from '../../base/errors.js'

export interface Address {
  /** For node-postgres, without the parameters that are ours. */
  readonly connectionString: string
  readonly schema: string
}

const schemaPattern = /^[a-z_][a-z0-9_]{0,62}$/

/** Undefined for an address of another kind. Throws InvalidOptions, without the password. */
export function parseAddress(address: string): Address | undefined {
  if (!/^postgres(?:ql)?:\/\//.test(address)) return undefined
  const url = parseUrl(address)
  const schema = url.searchParams.get('schema') ?? 'sigil'
  if (!schemaPattern.test(schema)) {
    throw fail('InvalidOptions', 'setting STORE: the schema is lower-case letters, digits and _')
  }
  url.searchParams.delete('schema')
  return { connectionString: verified(url).href, schema }
}

function parseUrl(address: string): URL {
  try {
    return new URL(address)
  } catch {
    throw fail('InvalidOptions', 'setting STORE: must be postgres://user@host:port/database')
  }
}

/** TLS is verified unless the server is on this machine or the address says otherwise. */
function verified(url: URL): URL {
  const host = url.searchParams.get('host') ?? url.hostname
  const isLocal = host.startsWith('/') || /^(?:localhost|127\..*|\[::1\]|)$/.test(host)
  if (!isLocal && !url.searchParams.has('sslmode')) url.searchParams.set('sslmode', 'verify-full')
  return url
}
