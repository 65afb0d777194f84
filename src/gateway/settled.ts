// What limits count over all gateways of a store: rates by their counts, and what is open by its
// level. A store of one gateway has neither. (docs/design/many-gateways.md, "Limits")

import { SettledLevels } from '../bus/settled-levels.js'
import { SettledCounts } from '../identity/keys/settled-counts.js'
import type { Exchange } from '../store/exchange.js'

export interface Settled {
  readonly counts: SettledCounts | undefined
  readonly levels: SettledLevels | undefined
  close(): void
}

export function openSettled(exchange: Exchange | undefined): Settled {
  if (exchange === undefined) {
    return { counts: undefined, levels: undefined, close: () => undefined }
  }
  const counts = new SettledCounts(exchange)
  const levels = new SettledLevels(exchange)
  return {
    counts,
    levels,
    close: () => {
      counts.close()
      levels.close()
    },
  }
}
