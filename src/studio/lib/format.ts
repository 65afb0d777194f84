// Figures, sizes and addresses as a person reads them, and names that would look like something
// else.

const figures = new Intl.NumberFormat('en-US')
const units = ['B', 'kB', 'MB', 'GB', 'TB']

export function figure(count: number): string {
  return figures.format(count)
}

export function bytes(count: number): string {
  let value = count
  let unit = 0
  while (value >= 1_000 && unit < units.length - 1) {
    value /= 1_000
    unit++
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`
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
