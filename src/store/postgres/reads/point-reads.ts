// First questions of read programs for a few keys. Those that come together are one statement, so
// one state: most programs that read a document have no other question, and need no transaction.

import type { Bytes } from '../../../base/bytes/bytes.js'
import type { Clock } from '../../../base/clock.js'
import type { LoopLoad } from '../../../base/work/loop-load.js'
import type { Versioned } from '../../store.js'
import { readChecked } from '../asks.js'
import type { Link } from '../link.js'
import type { Links } from '../links.js'
import type { Seen } from './seen.js'
import { distinct, handOut, resume } from './sharing.js'

const programsMax = 64
/** While so many statements are under way, questions wait for the end of one, to go together. */
const underWayMax = 2
/** They wait at most so long, milliseconds. */
const waitMsMax = 2
/**
 * While the process is busy, a statement waits so long for more questions, milliseconds: one for
 * five costs a quarter less processor time each, with that of PostgreSQL.
 */
const gatheringMs = 1

/** What a program was told. */
interface Told {
  /** In the order of the keys; undefined for a missing one. The program owns the bytes. */
  readonly found: readonly (Versioned | undefined)[]
  /** What it has seen before, and is not so in the state of the statement. */
  readonly changed: readonly Bytes[]
}

interface Waiting {
  readonly keys: readonly Bytes[]
  readonly seen: Seen
  resolve(told: Told): void
  reject(error: unknown): void
}

export class PointReads {
  private waiting: Waiting[] = []
  private underWay = 0
  private isGathering = false
  private timer: NodeJS.Timeout | undefined

  constructor(
    private readonly links: Links,
    private readonly clock: Clock,
    private readonly load: LoopLoad,
  ) {}

  ask(keys: readonly Bytes[], seen: Seen): Promise<Told> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ keys, seen, resolve, reject })
      this.gather()
    })
  }

  /** Sends behind everything that asks in this turn. */
  private gather(): void {
    if (this.isGathering) return
    this.isGathering = true
    setImmediate(() => {
      this.isGathering = false
      const mayGo = this.underWay < underWayMax
      if (this.waiting.length >= programsMax || (mayGo && !this.load.isBusy)) this.send()
      else this.timer ??= setTimeout(() => this.send(), mayGo ? gatheringMs : waitMsMax)
    })
  }

  private send(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    const sent = this.waiting.splice(0, programsMax)
    if (sent.length === 0) return
    this.underWay++
    this.read(sent).then(
      (told) => resume(sent, ({ resolve }, at) => resolve(told[at] as Told), this.clock),
      (error: unknown) => resume(sent, ({ reject }) => reject(error), this.clock),
    )
    if (this.waiting.length > 0) this.gather()
  }

  private async read(sent: readonly Waiting[]): Promise<Told[]> {
    let link: Link | undefined
    try {
      link = await this.links.take()
      return await readFor(link, sent)
    } finally {
      if (link !== undefined) this.links.give(link)
      this.underWay--
      if (this.waiting.length > 0) this.gather()
    }
  }
}

async function readFor(link: Link, waiting: readonly Waiting[]): Promise<Told[]> {
  const wanted = distinct(waiting.flatMap(({ keys }) => keys))
  const seen = distinct(waiting.flatMap((one) => one.seen.keys))
  for (const name of wanted.keys()) seen.delete(name)
  const { points, versions } = await readChecked(link, [...wanted.values()], [...seen.values()])
  const versionOf = (name: string) => points.get(name)?.version ?? versions.get(name)
  const pointOf = handOut(points)
  return waiting.map((one) => ({
    found: one.keys.map(pointOf),
    changed: one.seen.changed(versionOf),
  }))
}
