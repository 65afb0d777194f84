// Latency of commands. Buckets are at most a 64th of their value wide, so a quantile is within 1 %
// of the exact one, and recording is one addition. Quantiles cover the last minute in slots; the
// oldest slot is reused. Memory does not depend on the load.

/** Latencies cover the last minute: slots, and milliseconds of each. */
export const latencySlots = 6
export const latencySlotMs = 10_000

/** Buckets of one power of two: the highest mantissa bits of the number. */
const stepBits = 6
/** The shortest and the longest distinct duration, milliseconds: 1 ns and 70 minutes. */
const leastExponent = -20
const mostExponent = 22
const least = 2 ** leastExponent
const most = 2 ** mostExponent
const bucketCount = (mostExponent - leastExponent) << stepBits

const number = new Float64Array(1)
const halves = new Uint32Array(number.buffer)
/** Which half of a double has its exponent on this machine. */
const upper = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1 ? 1 : 0
const shift = 20 - stepBits
const offset = (1023 + leastExponent) << stepBits

/** The bucket of a duration; outliers go to the first or the last one. */
export function bucketOf(ms: number): number {
  if (!(ms > least)) return 0
  if (ms >= most) return bucketCount - 1
  number[0] = ms
  return ((halves[upper] as number) >>> shift) - offset
}

/** The middle of a bucket, milliseconds. */
export function middleOf(bucket: number): number {
  return (lowerEnd(bucket) + lowerEnd(bucket + 1)) / 2
}

function lowerEnd(bucket: number): number {
  halves[1 - upper] = 0
  halves[upper] = (bucket + offset) << shift
  return number[0] as number
}

class Slot {
  readonly counts = new Uint32Array(bucketCount)
  count = 0
  sum = 0

  add(ms: number, times: number): void {
    const bucket = bucketOf(ms)
    this.counts[bucket] = (this.counts[bucket] as number) + times
    this.count += times
    this.sum += times * ms
  }

  clear(): void {
    this.counts.fill(0)
    this.count = 0
    this.sum = 0
  }
}

/** Milliseconds; NaN if the window is empty. */
export interface LatencyFigures {
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly avg: number
}

/** Durations of the last minute (at least 50 s of it), and the count and sum since the start. */
export class LatencyWindow {
  count = 0
  sumMs = 0
  private readonly slots: readonly Slot[] = Array.from({ length: latencySlots }, () => new Slot())
  private at = 0
  private current = this.slots[0] as Slot
  private endsMs: number

  constructor(nowMs: number) {
    this.endsMs = nowMs + latencySlotMs
  }

  /** `nowMs` is monotonic time; `times` commands took `ms` each. */
  record(ms: number, nowMs: number, times = 1): void {
    if (nowMs >= this.endsMs) this.turn(nowMs)
    this.current.add(ms, times)
    this.count += times
    this.sumMs += times * ms
  }

  figures(nowMs: number): LatencyFigures {
    if (nowMs >= this.endsMs) this.turn(nowMs)
    const whole = new Slot()
    for (const { counts, count, sum } of this.slots) {
      whole.count += count
      whole.sum += sum
      if (count === 0) continue
      for (let i = 0; i < bucketCount; i++) {
        whole.counts[i] = (whole.counts[i] as number) + (counts[i] as number)
      }
    }
    const [p50, p95, p99] = [quantile(whole, 0.5), quantile(whole, 0.95), quantile(whole, 0.99)]
    return { p50, p95, p99, avg: whole.sum / whole.count }
  }

  /** Advances to the current slot and empties skipped ones. */
  private turn(nowMs: number): void {
    const steps = Math.floor((nowMs - this.endsMs) / latencySlotMs) + 1
    this.endsMs += steps * latencySlotMs
    for (let step = Math.min(steps, latencySlots); step > 0; step--) {
      this.at = (this.at + 1) % latencySlots
      this.current = this.slots[this.at] as Slot
      this.current.clear()
    }
  }
}

/** The value that at least this share of all does not exceed. */
function quantile({ counts, count }: Slot, share: number): number {
  let left = Math.ceil(share * count)
  if (left === 0) return Number.NaN
  for (let bucket = 0; ; bucket++) {
    left -= counts[bucket] as number
    if (left <= 0) return middleOf(bucket)
  }
}
