// Public keys: those of the golden vectors, derived from a well-known private key. A live server
// never accepts them, even if a wallet registers them.

import type { KeyMode } from './key-format.js'

/** Commitments of the live keys #0 and #1 of 0xf39F…2266 (docs/keys.md). */
const published: ReadonlySet<string> = new Set([
  '5e57fe2a0011e8473706580cc8e388623f710a931e15b8970e0580b3875d574b',
  'f4cdd0a7491b9a4d2296e168007553b60fb4ba679fab3e7ab3ee5e870f7e8a75',
])

/** Whether the key of this commitment is public. */
export function isPublished(commitment: string, mode: KeyMode): boolean {
  return mode === 'live' && published.has(commitment)
}
