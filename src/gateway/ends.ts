// Closes what ended identities have open, on all gateways of a store: a connection that sends
// nothing would not notice that its key has ended. (docs/rights.md, "When rights end")

import { decodeEnded, type Ended, encodeEnded, hasEnded } from '../identity/ended.js'
import type { Identity } from '../identity/identity.js'
import { type Exchange, topic } from '../store/exchange.js'

export class Ends {
  constructor(
    private readonly exchange: Exchange | undefined,
    private readonly close: (matches: (identity: Identity) => boolean) => void,
  ) {
    exchange?.receive(topic.ended, (body) => {
      const ended = decodeEnded(body)
      if (ended !== undefined) this.apply(ended)
    })
  }

  /** Something has ended on this gateway. */
  readonly tell = (ended: Ended): void => {
    this.apply(ended)
    this.exchange?.send(topic.ended, encodeEnded(ended))
  }

  private apply(ended: Ended): void {
    this.close((identity) => hasEnded(ended, identity))
  }
}
