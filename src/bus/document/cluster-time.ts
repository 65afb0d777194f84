// The times that a router adds to its replies: of the operation, and of the cluster. Drivers send
// them back with the next read of the session (afterClusterTime). With one store every later read
// sees what was acknowledged before, so such a read never waits.

import type { Bytes } from '../../base/bytes/bytes.js'
import type { Clock } from '../../base/clock.js'
import { room } from '../../base/heap/slab.js'
import type { Store } from '../../store/store.js'
import { binaryValue, type Document, timestampValue, writeInt32 } from '../../value/value.js'
import { writeDocument } from '../../value/writer.js'

/** Signature of a time in a cluster without keys, as MongoDB sends it. */
const unsigned = writeDocument((writer) => {
  writer.value('hash', binaryValue(0, new Uint8Array(20))).int64('keyId', 0)
})

/** The two fields and the end of a reply. Their times are written anew for each reply. */
const fields = writeDocument((writer) => {
  const none = timestampValue(0, 0)
  writer.value('operationTime', none).openDocument('$clusterTime')
  writer.value('clusterTime', none).document('signature', unsigned).close()
}).subarray(4)

/** Where the times stand in `fields`: behind a type and a name; the second one in a document. */
const operationTimeAt = 1 + 'operationTime\0'.length
const clusterTimeAt =
  operationTimeAt + 8 + 1 + '$clusterTime\0'.length + 4 + 1 + 'clusterTime\0'.length

function writeTime(at: number, seconds: number, increment: number): void {
  writeInt32(fields, at, increment)
  writeInt32(fields, at + 4, seconds)
}

export class ClusterTime {
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
    writeTime(operationTimeAt, seconds, increment)
    writeTime(clusterTimeAt, seconds, increment)
    return withFields(reply, fields)
  }

  private second() {
    return { seconds: Math.floor(this.clock.now() / 1_000), increment: 1 }
  }
}

/** One document with the fields of both. */
export function joined(first: Document, second: Document): Document {
  return withFields(first, second.subarray(4))
}

/** `fields` ends as a document does. */
function withFields(document: Document, fields: Bytes): Document {
  const whole = room(document.length + fields.length - 1)
  whole.set(document)
  whole.set(fields, document.length - 1)
  writeInt32(whole, 0, whole.length)
  return whole
}
