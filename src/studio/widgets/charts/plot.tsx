// The place of a chart: a picture with a text for those who do not see it. What draws it is loaded
// when it is first shown; the text is there at once.

import { useEffect, useRef } from 'preact/hooks'
import { useLoad } from '../../lib/load.js'
import { Failure } from '../states.js'
import type { Drawing, Figures, Look } from './drawing.js'
import './charts.css'

interface PlotProps {
  /** What it shows, in words. */
  readonly told: string
  readonly figures: Figures
  /** Stays what it was at first. */
  readonly look: Look
}

const loadDrawing = async () => (await import('./drawing.js')).Drawing

export function Plot({ told, figures, look }: PlotProps) {
  const place = useRef<HTMLDivElement>(null)
  const drawing = useRef<Drawing | undefined>(undefined)
  const { loaded, reload } = useLoad(loadDrawing, [])
  const { value: Loaded, error } = loaded.value
  const count = figures.columns.length
  useEffect(() => {
    if (Loaded === undefined || place.current === null) return
    const made = new Loaded(place.current, figures, look)
    drawing.current = made
    return () => {
      drawing.current = undefined
      made.end()
    }
  }, [Loaded, count])
  useEffect(() => drawing.current?.show(figures), [figures])
  if (error !== undefined) return <Failure error={error} retry={reload} />
  return (
    <div
      class="plot"
      role="img"
      aria-label={told}
      ref={place}
      style={{ height: `${look.height}px` }}
    />
  )
}
