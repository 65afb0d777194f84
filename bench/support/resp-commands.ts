// Just enough of RESP to serve redis-benchmark: arrays of
// bulk strings, as clients send commands.

const carriageReturn = 13
const zero = 48

/** Where a bulk string lies in its chunk; used again for the next one. */
export interface Range {
  start: number
  end: number
}

const key: Range = { start: 0, end: 0 }
const value: Range = { start: 0, end: 0 }
let lineEnd = 0

/**
 * Calls `set` for each whole command of three words in a chunk; answers how many commands there
 * were, and where the first one begins that is not whole.
 */
export function parseCommands(
  chunk: Buffer,
  set: (key: Range, value: Range) => void,
): { readonly commands: number; readonly end: number } {
  let commands = 0
  let end = 0
  while (end < chunk.length) {
    const words = number(chunk, end + 1)
    let at = lineEnd
    let word = 0
    for (; word < words && at < chunk.length; word++) {
      const length = number(chunk, at + 1)
      const range = word === 1 ? key : value
      range.start = lineEnd
      range.end = lineEnd + length
      at = range.end + 2
    }
    if (word < words || at > chunk.length) break
    if (words === 3) set(key, value)
    commands++
    end = at
  }
  return { commands, end }
}

/** Digits up to the end of the line; a line that is cut off ends behind the chunk. */
function number(chunk: Buffer, start: number): number {
  let found = 0
  let at = start
  for (; at < chunk.length && chunk[at] !== carriageReturn; at++) {
    found = found * 10 + (chunk[at] as number) - zero
  }
  lineEnd = at + 2
  return found
}
