// The times that a router adds to its replies: of the operation, and of the cluster. Drivers send
// them back with the next read of the session (afterClusterTime). With one store every later read
// sees what was acknowledged before, so such a read never waits.

import type { Clock } from '../../base/clock.js'
import type { Store } from '../../store/store.js'
import { binaryValue, type Document, timestampValue, writeInt32 } from '../../value/value.js'
import { writeDocument } from '../../value/writer.js'

/** Signature of a time in a cluster without keys, as MongoDB sends it. */
const unsigned = writeDocument((writer) => {
  writer.value('hash', binaryValue(0, new Uint8Array(20))).int64('keyId', 0)
})

function timesOf(seconds: number, increment: number): Document {
  const time = timestampValue(seconds, increment)
  return writeDocument((writer) => {
    writer.value('operationTime', time).openDocument('$clusterTime')
    writer.value('clusterTime', time).document('signature', unsigned).close()
  })
}

interface Times {
  readonly seconds: number
  readonly increment: number
  readonly times: Document
}

export class ClusterTime {
  /** Of the last reply: many replies have the same times. */
  private last: Times | undefined

  constructor(
    private readonly clock: Clock,
    private readonly store: Pick<Store, 'changeTime'>,
  ) {}

  /**
   * A reply with both times. A change stream from there (startAtOperationTime) shows the changes
   * behind the reply, and the newest one before it.
   */
  addTo(reply: Document): Document {
    const { seconds, increment } = this.store.changeTime?.() ?? this.second()
    let { last } = this
    if (last?.seconds !== seconds || last.increment !== increment) {
      last = { seconds, increment, times: timesOf(seconds, increment) }
      this.last = last
    }
    return joined(reply, last.times)
  }

  private second() {
    return { seconds: Math.floor(this.clock.now() / 1_000), increment: 1 }
  }
}

/** One document with the fields of both. */
export function joined(first: Document, second: Document): Document {
  const both = new Uint8Array(first.length + second.length - 5)
  both.set(first.subarray(0, -1))
  both.set(second.subarray(4), first.length - 1)
  writeInt32(both, 0, both.length)
  return both
}
