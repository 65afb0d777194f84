// The words of a command line in the Studio's console, against redis-cli's rules.

import t from 'tap'
import { commandWords } from '../../../src/studio/lib/words.js'

t.test('words, quotes and escapes', async (t) => {
  const lines: readonly [string, readonly string[]][] = [
    ['GET key', ['GET', 'key']],
    ['  SET  k  "two words" ', ['SET', 'k', 'two words']],
    [`SET k 'it\\'s "so"'`, ['SET', 'k', `it's "so"`]],
    ['SET k "a\\nb\\x41\\"\\\\"', ['SET', 'k', 'a\nbA"\\']],
    [`SET k "" ''`, ['SET', 'k', '', '']],
    ['SET k\n{"a"', []],
    ['', []],
  ]
  for (const [line, words] of lines) {
    if (words.length > 0 || line === '') t.same(commandWords(line), words, line)
    else t.throws(() => commandWords(line), /quote/)
  }
  for (const line of ['SET k "open', "SET k 'open", 'SET k "a"b', "GET a'b'"]) {
    t.throws(() => commandWords(line), /A quote is not closed/, line)
  }
})
