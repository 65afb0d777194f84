// A position in a list of key spans, in either direction. It consists only of keys, so it outlives
// its transaction. (docs/design/transactions.md, rule 10)

import type { Bytes } from '../../base/bytes/bytes.js'
import type { KeyRange } from '../../store/store.js'
import type { Listed } from '../plan/listed.js'
import type { Span } from '../plan/plan.js'

export class SpanCursor {
  private at: number
  /** The last key used; undefined at the beginning of a span. */
  private last: Bytes | undefined

  constructor(
    private readonly spans: Listed<Span>,
    private readonly reverse: boolean,
  ) {
    this.at = reverse ? spans.length - 1 : 0
  }

  /** The rest of the current span, for a scan of so many bytes; undefined after the last. */
  range(bytesMax?: number): KeyRange | undefined {
    const span = this.at < 0 ? undefined : this.spans.at(this.at)
    if (span === undefined) return undefined
    const { last } = this
    if (this.reverse) return { start: span.start, end: last ?? span.end, reverse: true, bytesMax }
    return { start: last === undefined ? span.start : successor(last), end: span.end, bytesMax }
  }

  /** The current key; undefined at the beginning of a span. */
  get place(): Bytes | undefined {
    return this.last
  }

  /** Continues after `key`, which is in the current span. */
  passed(key: Bytes): void {
    this.last = key
  }

  /** Leaves the current span. */
  finishSpan(): void {
    this.at += this.reverse ? -1 : 1
    this.last = undefined
  }
}

/** The next possible key. */
function successor(key: Bytes): Bytes {
  const next = new Uint8Array(key.length + 1)
  next.set(key)
  return next
}
