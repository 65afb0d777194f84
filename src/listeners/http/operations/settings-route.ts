// The settings in force over HTTP, for the operator: what each is set to, and where from. Secrets
// are said to be set, and never shown. (docs/operations.md, "The settings in force")

import { type Settings, shownSettings } from '../../../base/settings.js'
import type { Route } from '../core/route.js'

/** `GET /api/v1/settings`. */
export function settingsRoute(settings: Settings): Route {
  return {
    method: 'GET',
    path: '/api/v1/settings',
    access: 'operator',
    run: () => JSON.stringify({ settings: shownSettings(settings), ok: 1 }),
  }
}
