// Splits a line into the words of a key-value command, as redis-cli does: single quotes keep all
// but \', double quotes know the escapes of C, and a quote must end a word.

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', a: '\x07' }
const word = /\s*(?:"((?:[^"\\]|\\[\s\S])*)"|'((?:[^'\\]|\\[\s\S])*)'|([^\s"']+))(?=\s|$)/y

/** Throws if a quote is not closed, or ends inside a word. */
export function commandWords(line: string): readonly string[] {
  const words: string[] = []
  const text = line.trim()
  word.lastIndex = 0
  while (word.lastIndex < text.length) {
    const match = word.exec(text)
    if (match === null) throw new Error('A quote is not closed, or does not end its word.')
    const [, double, single, plain] = match
    if (double !== undefined) words.push(unescaped(double))
    else words.push(single?.replaceAll("\\'", "'") ?? plain ?? '')
  }
  return words
}

function unescaped(text: string): string {
  return text.replace(/\\(?:x([\da-fA-F]{2})|([\s\S]))/g, (_, hex?: string, one = '') =>
    hex === undefined ? (escapes[one] ?? one) : String.fromCharCode(Number.parseInt(hex, 16)),
  )
}
