// Counts of requests, failed logins and the like over all gateways of a store. Each gateway counts
// by itself, and every second tells the others what it has counted since; so a client that spreads
// its requests gets the limit of one gateway, and what fits into a second more.

import { textOf, utf8 } from '../../base/bytes/bytes.js'
import { settledNamesMax, settleMs } from '../../base/limits/identity.js'
import { type Exchange, topic } from '../../store/exchange.js'

/** Takes what another gateway has counted; below zero, what it has taken back. */
type Apply = (name: string, count: number) => void

/** Counts one by default. */
export type Count = (name: string, by?: number) => void

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

  /** Counts of one kind; each kind has one owner. */
  of(kind: string, apply: Apply): Count {
    this.kinds.set(kind, apply)
    const counted = new Map<string, number>()
    this.counted.set(kind, counted)
    return (name, by = 1) => {
      const before = counted.get(name)
      if (before === undefined && counted.size >= settledNamesMax) return
      const count = (before ?? 0) + by
      if (count === 0) counted.delete(name)
      else counted.set(name, count)
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
