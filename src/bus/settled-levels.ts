// Levels, such as open connections of an account, over all gateways of a store. Each gateway tells
// the others every second which of its levels have changed. A message may be lost, so it tells all
// of them anew from time to time; what it no longer tells, and what a gateway had that is gone, is
// forgotten. (docs/design/many-gateways.md, "Limits")

import { textOf, utf8 } from '../base/bytes/bytes.js'
import { levelTurns, settledNamesMax, settleMs } from '../base/limits/identity.js'
import { type Exchange, topic } from '../store/exchange.js'

/** The number of the sender's round, then names with levels; 0 means none any more. */
type Message = [round: number, ...levels: [name: string, level: number][]]

/** What another gateway has told: each level with the round in which it came last. */
interface Told {
  round: number
  readonly levels: Map<string, { readonly level: number; readonly round: number }>
}

export class SettledLevels {
  /** Called with each name of which another gateway has told a level. */
  onTold: ((name: string) => void) | undefined
  private readonly own = new Map<string, number>()
  private readonly untold = new Set<string>()
  private readonly gateways = new Map<string, Told>()
  private readonly sums = new Map<string, number>()
  private round = 0
  private turns = 0
  private readonly timer: NodeJS.Timeout

  constructor(private readonly exchange: Exchange) {
    exchange.receive(topic.levels, (body, sender) => this.take(textOf(body), sender))
    exchange.whenJoined(() => this.tellAll())
    exchange.whenLost(() => this.tellAll())
    exchange.whenLeft((gateway) => this.forget(gateway))
    this.timer = setInterval(() => this.settle(), settleMs)
    this.timer.unref()
  }

  set(name: string, level: number): void {
    if (level === 0) this.own.delete(name)
    else this.own.set(name, level)
    this.untold.add(name)
  }

  /** The sum of all other gateways. */
  elsewhere(name: string): number {
    return this.sums.get(name) ?? 0
  }

  /**
   * The sum of the gateways with lower names, which come first where all together have too much:
   * all agree on that order.
   */
  before(name: string): number {
    let sum = 0
    for (const [gateway, { levels }] of this.gateways) {
      if (gateway < this.exchange.name) sum += levels.get(name)?.level ?? 0
    }
    return sum
  }

  /** Tells the others what has changed. */
  settle(): void {
    const { exchange, untold, own } = this
    if (!exchange.hasPeers) {
      // Another one that comes is told all.
      untold.clear()
      return
    }
    this.turns++
    const isNewRound = this.turns >= levelTurns && untold.size === 0
    if (isNewRound) {
      this.turns = 0
      this.round++
      this.tellAll()
    }
    if (untold.size === 0 && !isNewRound) return
    const message: Message = [this.round]
    for (const name of untold) {
      if (message.length > settledNamesMax) break
      untold.delete(name)
      message.push([name, own.get(name) ?? 0])
    }
    exchange.send(topic.levels, utf8(JSON.stringify(message)))
  }

  close(): void {
    clearInterval(this.timer)
  }

  private tellAll(): void {
    for (const name of this.own.keys()) this.untold.add(name)
  }

  private take(text: string, sender: string): void {
    const [round, ...levels] = JSON.parse(text) as Message
    const told = this.gateways.get(sender) ?? { round, levels: new Map() }
    this.gateways.set(sender, told)
    for (const [name, level] of levels) this.apply(told, name, level, round)
    if (round !== told.round) this.removeOld(told, round)
    for (const [name] of levels) this.onTold?.(name)
  }

  /** In the round before, the sender has told all that it had. */
  private removeOld(told: Told, round: number): void {
    told.round = round
    for (const [name, last] of told.levels) {
      if (last.round < round - 1) this.apply(told, name, 0, round)
    }
  }

  private apply({ levels }: Told, name: string, level: number, round: number): void {
    const sum = this.elsewhere(name) - (levels.get(name)?.level ?? 0) + level
    if (sum > 0) this.sums.set(name, sum)
    else this.sums.delete(name)
    if (level > 0) levels.set(name, { level, round })
    else levels.delete(name)
  }

  private forget(gateway: string): void {
    const told = this.gateways.get(gateway)
    if (told === undefined) return
    for (const name of told.levels.keys()) this.apply(told, name, 0, told.round)
    this.gateways.delete(gateway)
  }
}
