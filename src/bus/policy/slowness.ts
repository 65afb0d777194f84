// Which commands count as slow: the log of the process and SLOWLOG ask the same question of their
// own thresholds.

/** `took` without what it waited for others, in the unit of the threshold; below 0 means never. */
export function isSlow(took: number, threshold: number): boolean {
  return threshold >= 0 && took >= threshold
}
