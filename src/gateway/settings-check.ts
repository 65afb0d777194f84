// Checks combinations of settings: one that would expose the server ends the start with an error;
// others become notes for the operator.

import { fail } from '../base/errors.js'
import { operatorKeyCharsMin } from '../base/limits/identity.js'
import type { Settings } from '../base/settings.js'
import { requireTemplate } from '../chain/explorer.js'
import { requireOrigins } from '../listeners/http/core/other-origins.js'
import { isLoopback } from '../listeners/network.js'
import { parseAddress } from '../store/postgres/address.js'

/** Throws InvalidOptions for contradictory settings; returns warnings. */
export function checkSettings(settings: Settings): string[] {
  const notes: string[] = []
  if (settings.EXPLORER_TX_URL !== undefined) requireTemplate(settings.EXPLORER_TX_URL)
  requireOrigins(settings.ALLOWED_ORIGINS)
  const local = isLoopback(settings.HOST)
  if (settings.AUTH_MODE === 'off') {
    if (!local) throw fail('InvalidOptions', `AUTH_MODE=off needs a loopback HOST`)
    if (settings.ALLOWED_ORIGINS.length > 0) {
      throw fail('InvalidOptions', 'ALLOWED_ORIGINS needs AUTH_MODE=required: pages speak by keys')
    }
    notes.push('AUTH_MODE=off: everyone on this machine is the operator.')
  }
  if (settings.TEST_COMMANDS) notes.push(testCommandsNote(settings, local))
  for (const name of ['API_KEY', 'METRICS_TOKEN'] as const) {
    const secret = settings[name]
    if (secret === undefined || secret.length >= operatorKeyCharsMin) continue
    const text = `${name} is shorter than ${operatorKeyCharsMin} characters`
    if (!local) throw fail('InvalidOptions', `${text}; on a network it could be guessed`)
    notes.push(`${text}: it could be guessed.`)
  }
  if (parseAddress(settings.STORE) !== undefined && settings.CHAIN_RPC_URL.length === 0) {
    notes.push(
      'STORE may be shared, but the local chain is in the memory of one gateway: with several ' +
        'gateways, set CHAIN_RPC_URL.',
    )
  }
  if ((settings.TLS_CERT === undefined) !== (settings.TLS_KEY === undefined)) {
    throw fail('InvalidOptions', 'TLS_CERT and TLS_KEY go together')
  }
  if (settings.PUBLIC_URL === undefined && !local) {
    notes.push('PUBLIC_URL is not set: wallets cannot sign in, but by their keys.')
  } else if (settings.PUBLIC_URL !== undefined && !isWebAddress(settings.PUBLIC_URL)) {
    throw fail('InvalidOptions', `setting PUBLIC_URL=${settings.PUBLIC_URL}: not a web address`)
  }
  if (settings.GATEWAY_URL !== undefined && !isWebAddress(settings.GATEWAY_URL)) {
    throw fail('InvalidOptions', `setting GATEWAY_URL=${settings.GATEWAY_URL}: not a web address`)
  }
  if (!local && !settings.explicit.has('WHITELIST')) {
    throw fail(
      'InvalidOptions',
      `HOST=${settings.HOST} is a network, where any wallet could sign in: set ` +
        'WHITELIST=enforce to admit only listed wallets, or WHITELIST=off to admit all',
    )
  }
  return notes
}

/** Fail points can stop every client: never on a network. */
function testCommandsNote(settings: Settings, isLocal: boolean): string {
  const { PUBLIC_URL, TRUSTED_PROXIES } = settings
  if (!isLocal || PUBLIC_URL !== undefined || TRUSTED_PROXIES.length > 0) {
    const text = 'TEST_COMMANDS=1 needs a loopback HOST, no PUBLIC_URL and no TRUSTED_PROXIES'
    throw fail('InvalidOptions', text)
  }
  return 'WARNING: TEST_COMMANDS=1: commands can be made to fail. Never use it in production.'
}

/** Other schemes have no origin, so foreign pages without one would pass for Sigil's own. */
function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}
