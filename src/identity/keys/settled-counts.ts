// Counts of requests and wrong keys over all gateways of a store. Each gateway counts by itself,
// and every second tells the others what it has counted since; so a client that spreads its
// requests gets the limit of one gateway, and what fits into a second more.

import { textOf, utf8 } from '../../base/bytes/bytes.js'
import { settledNamesMax, settleMs } from '../../base/limits/identity.js'
import { type Exchange, topic } from '../../store/exchange.js'

/** Takes what another gateway has counted. */
type Apply = (name: string, count: number) => void

export class SettledCounts {
  private readonly kinds = new Map<string, Apply>()
  /** By kind and name, since the last message. */
  private readonly counted = new Map<string, Map<string, number>>()
  private readonly timer: NodeJS.Timeout

  constructor(private readonly exchange: Exchange) {
    exchange.receive(topic.counted, (body) => this.take(textOf(body)))
    this.timer = setInterval(() => this.settle(), settleMs)
    this.timer.unref()
  }

  /** Counts of one kind: the returned function counts one. */
  of(kind: string, apply: Apply): (name: string) => void {
    this.kinds.set(kind, apply)
    const counted = new Map<string, number>()
    this.counted.set(kind, counted)
    return (name) => {
      const before = counted.get(name)
      if (before === undefined && counted.size >= settledNamesMax) return
      counted.set(name, (before ?? 0) + 1)
    }
  }

  /** Tells the others. */
  settle(): void {
    const { exchange } = this
    for (const [kind, counted] of this.counted) {
      if (counted.size === 0) continue
      const body = JSON.stringify([kind, ...counted])
      counted.clear()
      if (exchange.hasPeers) exchange.send(topic.counted, utf8(body))
    }
  }

  close(): void {
    clearInterval(this.timer)
  }

  private take(text: string): void {
    const [kind, ...counts] = JSON.parse(text) as [string, ...[string, number][]]
    const apply = this.kinds.get(kind)
    if (apply !== undefined) for (const [name, count] of counts) apply(name, count)
  }
}
