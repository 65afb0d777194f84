// Figures, days and addresses as a person reads them, and names that would look like something
// else.

const figures = new Intl.NumberFormat('en-US')

export function figure(count: number): string {
  return figures.format(count)
}

/** With at most one digit behind the point, in units of 1,024. */
export function sizeText(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB']
  const unit = bytes < 1_024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10))
  const value = Math.round((10 * bytes) / 1_024 ** unit) / 10
  return `${figure(value)} ${units[unit]}`
}

/** The day of a time in milliseconds, UTC. */
export function day(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

export function shortAddress(address: string): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`
}

/** `1 document`, `2 documents`. */
export function counted(count: number, name: string): string {
  return `${figure(count)} ${name}${count === 1 ? '' : 's'}`
}

/**
 * With control characters, and those that turn or hide text, written out, so that a name looks like
 * what it is.
 */
export function visible(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`,
  )
}

/** As `visible`, for a text of lines: their ends and tabs stay. */
export function visibleLines(text: string): string {
  return text.replace(/[^\n\t]+/g, visible)
}
