// Loads all of Sigil at once. An import reads each of its 700 files by promises, which takes a
// fifth of a second and 25 MB more than reading them one after the other. Command-line programs
// that talk to a running Sigil need none of them.

import { createRequire } from 'node:module'

type GatewayModule = typeof import('./gateway.js')

const load = createRequire(import.meta.url)

export function loadGateway(): GatewayModule {
  return load('./gateway.js') as GatewayModule
}
