// Which commands count as slow. The log of the process and SLOWLOG use this with their own
// thresholds.

/** `took` excludes waiting and has the unit of the threshold; a threshold below 0 means never. */
export function isSlow(took: number, threshold: number): boolean {
  return threshold >= 0 && took >= threshold
}
