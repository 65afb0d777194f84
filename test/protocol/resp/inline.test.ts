// Inline commands: words and quotes as the reference server splits them.

import t from 'tap'
import { hear, latin1 } from './requests.js'

const lines: readonly [line: string, words: readonly string[]][] = [
  ['PING', ['PING']],
  ['  set   key\tvalue  ', ['set', 'key', 'value']],
  ['\v\fset key', ['set', 'key']],
  ['a\vb a\fb', ['a\vb', 'a\fb']],
  ['a\rb', ['a', 'b']],
  ['echo "a b"', ['echo', 'a b']],
  ['echo "\\n\\r\\t\\b\\a\\q\\"\\\\"', ['echo', '\n\r\t\b\x07q"\\']],
  ['echo "\\x00\\xff\\xFg\\x4"', ['echo', '\x00\xffxFgx4']],
  ["echo 'a\\'b\\n\"'", ['echo', 'a\'b\\n"']],
  ['echo "it\'s" \'"\'', ['echo', "it's", '"']],
  ['echo foo"bar baz"', ['echo', 'foobar baz']],
  ["echo foo'bar baz'", ['echo', 'foobar baz']],
  ['echo "" \'\'', ['echo', '', '']],
  ['"a"\v"b"', ['a', 'b']],
  ['echo a\\ b', ['echo', 'a\\', 'b']],
  ['$4', ['$4']],
  ['+OK :1', ['+OK', ':1']],
  ['\xe9\xff', ['\xe9\xff']],
]

t.test('a line is split into words, with quotes and escapes', async (t) => {
  for (const [line, words] of lines) {
    t.same(hear([latin1(`${line}\r\n`)]), { commands: [words] }, JSON.stringify(line))
    t.same(hear([latin1(`${line}\n`)]), { commands: [words] }, JSON.stringify(line))
  }
})

t.test('blank lines are skipped without a word', async (t) => {
  t.same(hear([latin1('\r\n\n \t \r\n\r\r\nPING\r\n')]), { commands: [['PING']] })
})

t.test('a line of the bound may be all words', async (t) => {
  const { commands } = hear([latin1(`${'a '.repeat(30_000)}\n`)])
  t.equal(commands[0]?.length, 30_000)
})
