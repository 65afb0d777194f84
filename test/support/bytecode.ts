// Small contracts for tests of the local chain, written by hand: each does one thing.

/** Code that deploys `runtime` (hex without 0x). */
export function creationOf(runtime: string): string {
  const length = (runtime.length / 2).toString(16).padStart(4, '0')
  return `0x61${length}80600c6000396000f3${runtime}`
}

/** Never ends. */
export const loop = '5b600056'

/** Logs with so many topics, which are the words of its calldata. */
export function logger(topics: number): string {
  const words = Array.from({ length: topics }, (_, i) => `60${byte(32 * (topics - 1 - i))}35`)
  return `${words.join('')}60006000${byte(0xa0 + topics)}00`
}

/** Reverts with these bytes (hex without 0x). */
export function reverter(data: string): string {
  return `60${byte(data.length / 2)}80600b6000396000fd${data}`
}

/** Counts down from `rounds`: some 26 gas each. */
export function counter(rounds: number): string {
  return `61${rounds.toString(16).padStart(4, '0')}5b60019003806003570000`
}

/** Calls the address in its calldata with all gas it may pass on; reverts where that fails. */
export const caller = '6000600060006000600060003560601c5af1601a5760006000fd5b00'

/** Stores 1 in the slot that its calldata names. */
export const storer = '60016000355500'

/** Answers the time of its block. */
export const timeTeller = '4260005260206000f3'

function byte(value: number): string {
  return value.toString(16).padStart(2, '0')
}
