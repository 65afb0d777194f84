// What has ended: a key, a session, or the password of a service user. Open connections of it are
// closed, on this gateway and on the others of its store. Each command checks the rights anyway.

import { type Bytes, textOf, utf8 } from '../base/bytes/bytes.js'
import type { Identity, KeyIdentity } from './identity.js'

export type Ended =
  | {
      readonly kind: 'key'
      readonly address: string
      readonly source: KeyIdentity['source']
      readonly hash: string
    }
  | { readonly kind: 'session'; readonly sid: string }
  | { readonly kind: 'sessions'; readonly address: string }
  | { readonly kind: 'user'; readonly database: string; readonly name: string }
  /** A session of the operator's page; all of them without an id. */
  | { readonly kind: 'page'; readonly id: string | undefined }

/** Whether the identity has ended with it. */
export function hasEnded(ended: Ended, identity: Identity): boolean {
  switch (ended.kind) {
    case 'key': {
      if (identity.kind !== 'key' || identity.hash !== ended.hash) return false
      return identity.address === ended.address && identity.source === ended.source
    }
    case 'session':
      return identity.kind === 'session' && identity.sid === ended.sid
    case 'sessions':
      return identity.kind === 'session' && identity.address === ended.address
    case 'user':
      if (identity.kind !== 'user' || identity.name !== ended.name) return false
      return identity.database === ended.database
    case 'page':
      if (identity.kind !== 'operator' || identity.page === undefined) return false
      return ended.id === undefined || identity.page.id === ended.id
  }
}

/** For the other gateways, which run the same version or a neighbouring one. */
export function encodeEnded(ended: Ended): Bytes {
  return utf8(JSON.stringify(ended))
}

/** Undefined for what this version does not know. */
export function decodeEnded(bytes: Bytes): Ended | undefined {
  try {
    const ended = JSON.parse(textOf(bytes)) as Ended
    return kinds.has(ended.kind) ? ended : undefined
  } catch {
    return undefined
  }
}

const kinds: ReadonlySet<string> = new Set(['key', 'session', 'sessions', 'user', 'page'])
