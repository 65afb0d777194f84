// Where editors end: above these bounds an editor of a browser is too slow, so larger texts are
// shown as they are.

export const charsMax = 256 * 1024
const lineCharsMax = 10 * 1024

export function isTooLarge(text: string): boolean {
  if (text.length > charsMax) return true
  if (text.length <= lineCharsMax) return false
  return text.split('\n').some((line) => line.length > lineCharsMax)
}
