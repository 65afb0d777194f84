// What a bench reports, and the statistics that it is reported with: medians of rounds that
// alternate between ours and the peer's, because the machine is shared.

export interface Figure {
  readonly name: string
  readonly ours: number
  /** Null where there is no peer to measure beside: `ours` is a plain figure then. */
  readonly peer: number | null
  readonly ratio: number | null
  readonly unit: string
}

export function plain(name: string, ours: number, unit: string): Figure {
  return { name, ours, peer: null, ratio: null, unit }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[sorted.length >> 1] ?? Number.NaN
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** Runs both in turn, `rounds` times, and reports the median of the ratios pair by pair. */
export async function compare(
  name: string,
  unit: string,
  ours: () => Promise<number>,
  peer: () => Promise<number>,
  rounds = 5,
): Promise<Figure> {
  await ours()
  await peer()
  const pairs: { ours: number; peer: number }[] = []
  for (let round = 0; round < rounds; round++) {
    pairs.push({ ours: await ours(), peer: await peer() })
  }
  return {
    name,
    unit,
    ours: median(pairs.map((pair) => pair.ours)),
    peer: median(pairs.map((pair) => pair.peer)),
    ratio: median(pairs.map((pair) => pair.ours / pair.peer)),
  }
}
