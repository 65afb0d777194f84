// New ObjectIds: seconds, five random bytes of this process, a counter. They increase with time, so
// documents without a client `_id` are appended at the end of their collection.

import type { Bytes } from '../base/bytes/bytes.js'
import type { Clock, Random } from '../base/clock.js'

const counterEnd = 0x1000000

export class ObjectIds {
  private readonly clock: Clock
  private readonly process: Bytes
  private counter: number

  constructor(clock: Clock, random: Random) {
    this.clock = clock
    this.process = random.bytes(5).slice()
    const [high = 0, middle = 0, low = 0] = random.bytes(3)
    this.counter = (high << 16) | (middle << 8) | low
  }

  /** A new array of twelve bytes. */
  next(): Bytes {
    const id = new Uint8Array(12)
    const seconds = Math.floor(this.clock.now() / 1000)
    id[0] = seconds >>> 24
    id[1] = seconds >>> 16
    id[2] = seconds >>> 8
    id[3] = seconds
    id.set(this.process, 4)
    this.counter = (this.counter + 1) % counterEnd
    id[9] = this.counter >>> 16
    id[10] = this.counter >>> 8
    id[11] = this.counter
    return id
  }
}
