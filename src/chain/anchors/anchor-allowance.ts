// What anchoring may have spent of a day's budget by a moment of the day: it is let go of evenly,
// so that who writes or asks much in the morning leaves the afternoon to others, and what is only
// asked for may take half of it, so that the schedule always has the rest.
// (docs/chain.md, "What anchoring costs")

import { anchorHeadStartMs } from '../../base/limits.js'

const dayMs = 86_400_000

/** Why one is sent: memories are due by their age, or clients have requested it or written much. */
export type Urgency = 'due' | 'asked'

/** Wei since midnight (UTC). */
export function allowance(budget: bigint, now: number, urgency: Urgency): bigint {
  const passedMs = Math.min(dayMs, anchorHeadStartMs + (now % dayMs))
  const soFar = (budget * BigInt(Math.floor(passedMs))) / BigInt(dayMs)
  return urgency === 'due' ? soFar : soFar / 2n
}
