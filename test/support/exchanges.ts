// Messages between gateways of one process, delivered at once; a test may lose them.

import type { Bytes } from '../../src/base/bytes/bytes.js'
import type { Exchange, Topic } from '../../src/store/exchange.js'

export class TestExchange implements Exchange {
  /** Messages of this one are lost. */
  isCut = false
  /** Topics of the messages sent so far. */
  readonly sent: Topic[] = []
  private readonly receivers = new Map<Topic, (body: Bytes, sender: string) => void>()
  private readonly joined: (() => void)[] = []
  private readonly lost: (() => void)[] = []
  private readonly left: ((name: string) => void)[] = []

  private constructor(
    readonly name: string,
    private readonly all: TestExchange[],
  ) {}

  static open(count: number): readonly TestExchange[] {
    const all: TestExchange[] = []
    for (let i = 0; i < count; i++) all.push(new TestExchange(String(i), all))
    return all
  }

  isThere(name: string): boolean {
    return this.all.some((one) => one.name === name)
  }

  get hasPeers(): boolean {
    return this.all.length > 1
  }

  send(what: Topic, body: Bytes, heard?: () => void): void {
    this.sent.push(what)
    if (this.isCut) return
    for (const other of this.all) {
      if (other !== this) other.receivers.get(what)?.(body, this.name)
    }
    heard?.()
  }

  receive(what: Topic, told: (body: Bytes, sender: string) => void): void {
    this.receivers.set(what, told)
  }

  join(): void {
    for (const other of this.all) if (other !== this) for (const tell of other.joined) tell()
  }

  whenJoined(tell: () => void): void {
    this.joined.push(tell)
  }

  whenLeft(tell: (name: string) => void): void {
    this.left.push(tell)
  }

  /** The others learn that it is gone. */
  leave(): void {
    for (const other of this.all) if (other !== this) for (const tell of other.left) tell(this.name)
  }

  whenLost(tell: () => void): void {
    this.lost.push(tell)
  }

  /** The connection is there again. */
  lose(): void {
    for (const tell of this.lost) tell()
  }
}
