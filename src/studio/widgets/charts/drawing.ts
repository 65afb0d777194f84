// Draws figures over time with uPlot. It is loaded when a chart is first shown. A canvas follows no
// style sheet, so the colours are read from the page, again when the theme changes.

import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'

export interface Figures {
  /** Milliseconds since 1970, ascending. */
  readonly at: readonly number[]
  readonly columns: readonly (readonly (number | null)[])[]
  /** What the axes begin and end with. */
  readonly from: number
  readonly to: number
  readonly top: number
}

export interface Look {
  readonly kind: 'lines' | 'bars'
  readonly height: number
  /** Of a time on the axis below. */
  readonly timeText: (ms: number) => string
  readonly valueText: (value: number) => string
  /** The index of the figures under the pointer. */
  readonly point: (index: number | undefined) => void
}

const colours = ['--accent', '--good', '--bad'] as const
/** Lines differ by their dashes too. */
const dashes = [[], [6, 2], [2, 2]] as const
/** Pixels from the left side to the field, and between texts below it. */
const valueAxisWidth = 44
const timeTextWidth = 72

export class Drawing {
  private readonly ending = new AbortController()
  private readonly resizing: ResizeObserver
  private readonly theming: MutationObserver
  private readonly plot: UPlot
  private readonly probe = document.createElement('span')

  constructor(
    place: HTMLElement,
    private figures: Figures,
    look: Look,
  ) {
    this.probe.hidden = true
    place.append(this.probe)
    this.plot = new UPlot(this.options(place, look), dataOf(figures), place)
    this.resizing = new ResizeObserver(() => {
      this.plot.setSize({ width: place.clientWidth, height: look.height })
    })
    this.resizing.observe(place)
    const redraw = () => this.plot.redraw()
    this.theming = new MutationObserver(redraw)
    this.theming.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    const { signal } = this.ending
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw, { signal })
  }

  show(figures: Figures): void {
    this.figures = figures
    this.plot.setData(dataOf(figures))
  }

  end(): void {
    this.ending.abort()
    this.resizing.disconnect()
    this.theming.disconnect()
    this.plot.destroy()
    this.probe.remove()
  }

  private options(place: HTMLElement, look: Look): UPlot.Options {
    const { kind, height, timeText, valueText, point } = look
    const text = {
      stroke: () => this.colour('--faint'),
      font: `12px ${getComputedStyle(place).fontFamily}`,
      ticks: { show: false },
    }
    return {
      width: place.clientWidth,
      height,
      ms: 1,
      padding: [12, 12, 0, 0],
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { show: kind === 'lines' } },
      scales: {
        x: { range: () => [this.figures.from, this.figures.to] },
        y: { range: () => [0, this.figures.top] },
      },
      axes: [
        {
          ...text,
          size: 24,
          space: timeTextWidth,
          grid: { show: false },
          values: (_, times) => times.map(timeText),
        },
        {
          ...text,
          size: valueAxisWidth,
          splits: () => [0, this.figures.top / 2, this.figures.top],
          grid: { stroke: () => this.colour('--line'), width: 1 },
          values: (_, values) => values.map(valueText),
        },
      ],
      series: [{}, ...this.figures.columns.map((_, index) => this.series(kind, index))],
      hooks: { setCursor: [({ cursor }) => point(cursor.idx ?? undefined)] },
    }
  }

  private series(kind: Look['kind'], index: number): UPlot.Series {
    const name = colours[index % colours.length] ?? colours[0]
    const stroke = () => this.colour(name)
    if (kind === 'lines') {
      const dash = [...(dashes[index % dashes.length] ?? [])]
      const filter = () => lonely(this.figures.columns[index] ?? [])
      return { stroke, dash, width: 1.5, points: { show: true, size: 4, fill: stroke, filter } }
    }
    const paths = UPlot.paths.bars?.({ size: [0.8, 48] })
    return { stroke, fill: stroke, width: 0, points: { show: false }, ...(paths && { paths }) }
  }

  /** As the theme has it: a canvas does not know `light-dark()`. */
  private colour(name: string): string {
    this.probe.style.color = `var(${name})`
    return getComputedStyle(this.probe).color
  }
}

/** Those between gaps, of which a line has nothing to show. */
function lonely(column: Figures['columns'][number]): number[] {
  const isGap = (index: number) => (column[index] ?? null) === null
  return Array.from(column.keys()).filter(
    (index) => !isGap(index) && isGap(index - 1) && isGap(index + 1),
  )
}

function dataOf({ at, columns }: Figures): UPlot.AlignedData {
  return [[...at], ...columns.map((column) => [...column])]
}
