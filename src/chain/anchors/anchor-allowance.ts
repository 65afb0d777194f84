// How much of a day's budget anchoring may have spent by a time of the day. The budget becomes
// available evenly, so heavy use in the morning leaves some for the afternoon. Requested anchors
// may take half of it, so the schedule always has the rest. (docs/chain.md, "What anchoring costs")

/** Part of a day's budget that may be spent when the day starts, as milliseconds of that day. */
const anchorHeadStartMs = 10_800_000

const dayMs = 86_400_000

/**
 * The reason of an anchor: memories are due by their age, or clients requested it or wrote much.
 */
export type Urgency = 'due' | 'asked'

/** Wei since midnight (UTC). */
export function allowance(budget: bigint, now: number, urgency: Urgency): bigint {
  const passedMs = Math.min(dayMs, anchorHeadStartMs + (now % dayMs))
  const soFar = (budget * BigInt(Math.floor(passedMs))) / BigInt(dayMs)
  return urgency === 'due' ? soFar : soFar / 2n
}
