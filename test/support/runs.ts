// How often a property test tries: few times on each change, ten times as often in the long suite
// (SIGIL_LONG=1). Seeds are printed by fast-check when a property fails.

/** `count` runs, or ten times as many in the long suite. */
export function runs(count: number): number {
  return process.env.SIGIL_LONG === '1' ? count * 10 : count
}
