// Ranges of positions in string and bit commands. Both ends are included; negative ones count from
// the end. As in Redis, an end before the beginning becomes the beginning. GETRANGE and BITCOUNT
// first check whether both are negative and in the wrong order; BITPOS does not.

export interface Part {
  readonly first: number
  readonly last: number
}

/** Whether both count from the end and are in the wrong order. */
export function isTurned(start: number, end: number): boolean {
  return start < 0 && end < 0 && start > end
}

/** Undefined if the range is empty. */
export function partWithin(start: number, end: number, length: number): Part | undefined {
  const first = start < 0 ? Math.max(0, length + start) : start
  const last = Math.min(length - 1, end < 0 ? Math.max(0, length + end) : end)
  return first > last ? undefined : { first, last }
}
