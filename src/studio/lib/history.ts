// The metrics of the last hour as the server gives them, a step of some seconds each, and what
// charts and tables show of them.

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

export const hourMs = 3_600_000

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

interface Span {
  /** Milliseconds since 1970, a whole number of spans. */
  readonly from: number
  /** Of each column, null where it has no figure. */
  readonly largest: readonly (number | null)[]
}

/** The largest figures of each span of time, oldest first. */
export function largestBySpan(
  at: readonly number[],
  columns: readonly Column[],
  spanMs: number,
): readonly Span[] {
  const spans = new Map<number, (number | null)[]>()
  for (const [index, time] of at.entries()) {
    const from = Math.floor(time / spanMs) * spanMs
    const largest = spans.get(from) ?? columns.map(() => null)
    spans.set(from, largest)
    for (const [place, column] of columns.entries()) {
      const value = column[index] ?? null
      if (value !== null) largest[place] = Math.max(largest[place] ?? value, value)
    }
  }
  return Array.from(spans, ([from, largest]) => ({ from, largest }))
}
