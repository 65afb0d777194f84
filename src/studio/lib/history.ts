// The metrics of the last hour as the server gives them, a step of some seconds each, and the lines
// of charts that show them.

type Column = readonly (number | null)[]

export interface History {
  readonly stepMs: number
  /** Ends of steps, milliseconds since 1970. */
  readonly at: readonly number[]
  /** By protocol. */
  readonly requests: Readonly<Record<string, Column>>
  readonly errors: Readonly<Record<string, Column>>
  readonly meanMs: Readonly<Record<string, Column>>
  readonly p50: Column
  readonly p95: Column
  readonly p99: Column
}

const hourMs = 3_600_000

/** What came later is added; what is older than an hour before its last step goes. */
export function joined(old: History | undefined, next: History): History {
  const [oldEnd, nextStart] = [old?.at.at(-1), next.at[0]]
  // A restart of the server begins anew.
  if (old === undefined || oldEnd === undefined) return next
  if (nextStart === undefined) return old
  if (nextStart <= oldEnd) return next
  const first = (next.at.at(-1) ?? 0) - hourMs
  const drop = old.at.findIndex((at) => at > first)
  const from = drop < 0 ? old.at.length : drop
  const join = <T>(one: readonly T[] = [], other: readonly T[] = []) => [
    ...one.slice(from),
    ...other,
  ]
  const joinAll = (one: History['requests'], other: History['requests']) =>
    Object.fromEntries(Object.keys(other).map((name) => [name, join(one[name], other[name])]))
  return {
    stepMs: next.stepMs,
    at: join(old.at, next.at),
    requests: joinAll(old.requests, next.requests),
    errors: joinAll(old.errors, next.errors),
    meanMs: joinAll(old.meanMs, next.meanMs),
    p50: join(old.p50, next.p50),
    p95: join(old.p95, next.p95),
    p99: join(old.p99, next.p99),
  }
}

/** Of all protocols together, a second. */
export function perSecond({ at, stepMs }: History, columns: History['requests']): number[] {
  const all = Object.values(columns)
  return at.map((_, index) => {
    const sum = all.reduce((total, column) => total + (column[index] ?? 0), 0)
    return (sum * 1_000) / stepMs
  })
}

/** The end of an axis: 1, 2 or 5 times a power of ten, not below the largest value. */
export function axisEnd(columns: readonly Column[]): number {
  const largest = columns.flat().reduce<number>((max, one) => Math.max(max, one ?? 0), 0)
  if (largest <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(largest))
  return [1, 2, 5, 10].map((one) => one * power).find((one) => one >= largest) ?? 10 * power
}

/** The path of a line in a field of `width` by `height`; the hour ends at its right side. */
export function pathOf(
  at: readonly number[],
  column: Column,
  { width, height, end }: { readonly width: number; readonly height: number; readonly end: number },
): string {
  const last = at.at(-1) ?? 0
  const parts: string[] = []
  let isOpen = false
  for (const [index, time] of at.entries()) {
    const value = column[index] ?? null
    if (value === null) {
      isOpen = false
      continue
    }
    const x = width - ((last - time) / hourMs) * width
    const y = height - (value / end) * height
    parts.push(`${isOpen ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`)
    isOpen = true
  }
  return parts.join('')
}
