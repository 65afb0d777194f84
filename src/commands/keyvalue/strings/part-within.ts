// Ranges of positions as string and bit commands give them: both ends included, negative ones
// counted from the end. As on the reference server, an end before the beginning is the beginning;
// GETRANGE and BITCOUNT look first whether both are negative and turned round, BITPOS does not.

export interface Part {
  readonly first: number
  readonly last: number
}

/** Both from the end, and in the wrong order. */
export function isTurned(start: number, end: number): boolean {
  return start < 0 && end < 0 && start > end
}

/** Undefined where nothing lies between them. */
export function partWithin(start: number, end: number, length: number): Part | undefined {
  const first = start < 0 ? Math.max(0, length + start) : start
  const last = Math.min(length - 1, end < 0 ? Math.max(0, length + end) : end)
  return first > last ? undefined : { first, last }
}
