// Preferred numbers: the series for boundaries of $bucketAuto (Renard, E, 1-2-5), and powers of
// two. A series repeats in every decade; bounds are strict, and zero stays zero.

export interface Granularity {
  /** The smallest number of the series above `n`; `n` is not negative. */
  roundUp(n: number): number
  /** The largest number of the series below `n`; `n` is not negative. */
  roundDown(n: number): number
}

const renard80 = [
  ...[100, 103, 106, 109, 112, 115, 118, 122, 125, 128, 132, 136, 140, 145, 150, 155, 160, 165],
  ...[170, 175, 180, 185, 190, 195, 200, 206, 212, 218, 224, 230, 236, 243, 250, 258, 265, 272],
  ...[280, 290, 300, 307, 315, 325, 335, 345, 355, 365, 375, 387, 400, 412, 425, 437, 450, 462],
  ...[475, 487, 500, 515, 530, 545, 560, 580, 600, 615, 630, 650, 670, 690, 710, 730, 750, 775],
  ...[800, 825, 850, 875, 900, 925, 950, 975],
]
const e24 = [
  ...[10, 11, 12, 13, 15, 16, 18, 20, 22, 24, 27, 30, 33, 36, 39, 43, 47, 51, 56, 62, 68, 75, 82],
  ...[91],
]
/** Computed by the formula, except one value that the standard rounds up. */
const e192 = Array.from({ length: 192 }, (_, i) => {
  return i === 185 ? 920 : Math.round(100 * 10 ** (i / 192))
})

/** Every n-th number: a family's coarser series are parts of its finest one. */
function every(n: number, series: readonly number[]): number[] {
  return series.filter((_, i) => i % n === 0)
}

class PreferredNumbers implements Granularity {
  private readonly first: number
  private readonly last: number

  constructor(private readonly series: readonly number[]) {
    this.first = series[0] ?? 1
    this.last = series.at(-1) ?? 1
  }

  roundUp(n: number): number {
    const { series, first, last } = this
    if (n === 0 || !Number.isFinite(n)) return n
    let scale = 1
    while (n >= last * scale) scale *= 10
    while (n < first * scale) {
      const above = first * scale
      scale /= 10
      if (n >= last * scale) return above
    }
    return (series.find((number) => number * scale > n) ?? last) * scale
  }

  roundDown(n: number): number {
    const { series, first, last } = this
    if (n === 0 || !Number.isFinite(n)) return n
    let scale = 1
    while (n <= first * scale) scale /= 10
    while (n > last * scale) {
      const below = last * scale
      scale *= 10
      if (n <= first * scale) return below
    }
    return (series.findLast((number) => number * scale < n) ?? first) * scale
  }
}

const powersOfTwo: Granularity = {
  roundUp: (n) => (n === 0 ? 0 : 2 ** (Math.floor(Math.log2(n)) + 1)),
  roundDown: (n) => (n === 0 ? 0 : 2 ** (Math.ceil(Math.log2(n)) - 1)),
}

/** Series by the names of `granularity`. */
export const granularities: ReadonlyMap<string, Granularity> = new Map<string, Granularity>([
  ['R5', new PreferredNumbers(every(16, renard80))],
  ['R10', new PreferredNumbers(every(8, renard80))],
  ['R20', new PreferredNumbers(every(4, renard80))],
  ['R40', new PreferredNumbers(every(2, renard80))],
  ['R80', new PreferredNumbers(renard80)],
  ['1-2-5', new PreferredNumbers([10, 20, 50])],
  ['E6', new PreferredNumbers(every(4, e24))],
  ['E12', new PreferredNumbers(every(2, e24))],
  ['E24', new PreferredNumbers(e24)],
  ['E48', new PreferredNumbers(every(4, e192))],
  ['E96', new PreferredNumbers(every(2, e192))],
  ['E192', new PreferredNumbers(e192)],
  ['POWERSOF2', powersOfTwo],
])
