// Lengths and offsets in code points, as clients count them. No array of code points is built,
// because a text may be as long as a document.

/** Number of code points. */
export function lengthOf(text: string): number {
  let count = text.length
  for (let i = 1; i < text.length; i++) if (isPair(text, i - 1)) count--
  return count
}

/** The UTF-16 offset after `count` code points from `from`; the end if there are fewer. */
export function offsetAfter(text: string, count: number, from = 0): number {
  let at = from
  for (let left = count; left > 0 && at < text.length; left--) at += isPair(text, at) ? 2 : 1
  return at
}

/** The start of the code point that ends at `end`, which is above 0. */
export function offsetBefore(text: string, end: number): number {
  return end > 1 && isPair(text, end - 2) ? end - 2 : end - 1
}

/** Whether `at` is the start of a surrogate pair. */
function isPair(text: string, at: number): boolean {
  const isHigh = (text.charCodeAt(at) & 0xfc00) === 0xd800
  return isHigh && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00
}
