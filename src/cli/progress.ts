// A progress bar on standard error if it is a terminal, else nothing; the same for every program of
// the command line.

import { Presets, SingleBar } from 'cli-progress'

export interface Progress {
  /** `done` of the total; `fields` are the values in the bar's text. */
  update(done: number, fields: Readonly<Record<string, number | string>>): void
  stop(): void
}

const silent: Progress = { update: () => undefined, stop: () => undefined }

/** `text` follows the bar, with its fields in braces. */
export function openProgress(
  total: number,
  text: string,
  fields: Readonly<Record<string, number | string>>,
): Progress {
  if (!process.stderr.isTTY) return silent
  const format = total > 0 ? `{bar} {percentage} % | ${text} | {eta_formatted} left` : text
  const bar = new SingleBar(
    { format, stream: process.stderr, etaBuffer: 100 },
    Presets.shades_classic,
  )
  bar.start(total, 0, fields)
  return bar
}

/** `1.2 GB`, in powers of 1,000. */
export function sizeText(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB']
  let value = bytes
  let unit = 0
  while (value >= 1_000 && unit < units.length - 1) {
    value /= 1_000
    unit++
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`
}
