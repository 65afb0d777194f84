// Input that ends a connection, and the reference server's words for it: facts that the parser's
// test and the comparison with a real server both go through. All of it was observed on
// redis-server 7.0.15.

interface Refusal {
  readonly name: string
  readonly input: string
  /** Behind `-ERR Protocol error: `. */
  readonly text: string
  readonly authenticated?: false
}

/**
 * A line of one byte more than fits, to the byte: the reference server leaves none of it unread.
 */
function line(start: string): string {
  return start.padEnd(65_537, 'A')
}

export const refusals: readonly Refusal[] = [
  { name: 'letters as count', input: '*abc\r\n', text: 'invalid multibulk length' },
  { name: 'no count', input: '*\r\n', text: 'invalid multibulk length' },
  { name: 'a leading zero', input: '*01\r\n', text: 'invalid multibulk length' },
  { name: 'a plus sign', input: '*+1\r\n', text: 'invalid multibulk length' },
  { name: 'minus zero', input: '*-0\r\n', text: 'invalid multibulk length' },
  { name: 'a space', input: '* 1\r\n', text: 'invalid multibulk length' },
  { name: 'a count of 2^31', input: '*2147483648\r\n', text: 'invalid multibulk length' },
  { name: 'a count of 2^63', input: '*9223372036854775808\r\n', text: 'invalid multibulk length' },
  { name: 'below -2^63', input: '*-9223372036854775809\r\n', text: 'invalid multibulk length' },
  { name: 'letters as length', input: '*1\r\n$abc\r\n', text: 'invalid bulk length' },
  { name: 'no length', input: '*1\r\n$\r\n', text: 'invalid bulk length' },
  { name: 'a negative length', input: '*1\r\n$-1\r\n', text: 'invalid bulk length' },
  { name: 'a length with a zero', input: '*1\r\n$04\r\nPING\r\n', text: 'invalid bulk length' },
  { name: 'two zeros', input: '*1\r\n$00\r\n\r\n', text: 'invalid bulk length' },
  { name: 'more than 512 MiB', input: '*1\r\n$536870913\r\n', text: 'invalid bulk length' },
  {
    name: 'a length of 2^64',
    input: '*1\r\n$18446744073709551616\r\n',
    text: 'invalid bulk length',
  },
  { name: 'a word', input: '*1\r\nPING\r\n', text: "expected '$', got 'P'" },
  { name: 'an integer', input: '*1\r\n:1\r\n', text: "expected '$', got ':'" },
  { name: 'an array within', input: '*2\r\n$4\r\nECHO\r\n*1\r\n', text: "expected '$', got '*'" },
  { name: 'an empty line', input: '*1\r\n\r\n', text: "expected '$', got ' '" },
  { name: 'a line feed', input: '*1\r\n\n\r\n', text: "expected '$', got ' '" },
  { name: 'a high byte', input: '*1\r\n\xe9\r\n', text: "expected '$', got '\xe9'" },
  { name: 'a long inline line', input: line(''), text: 'too big inline request' },
  { name: 'a zero byte and a long line', input: line('\0'), text: 'too big inline request' },
  { name: 'a zero byte in a line', input: line('PING\0\r\n'), text: 'too big inline request' },
  { name: 'a long count', input: line('*'), text: 'too big mbulk count string' },
  { name: 'a zero byte as count', input: line('*\0\r\n'), text: 'too big mbulk count string' },
  { name: 'a long length', input: `*1\r\n${line('$')}`, text: 'too big bulk count string' },
  { name: 'no length at all', input: `*1\r\n${line('')}`, text: 'too big bulk count string' },
  {
    name: 'a zero byte as length',
    input: `*1\r\n${line('$\0\r\n')}`,
    text: 'too big bulk count string',
  },
  {
    name: 'a zero byte before a length',
    input: `*1\r\n${line('\x003\r\n')}`,
    text: 'too big bulk count string',
  },
  { name: 'an open quote', input: 'ECHO "abc\r\n', text: 'unbalanced quotes in request' },
  { name: 'an open apostrophe', input: "ECHO 'abc\r\n", text: 'unbalanced quotes in request' },
  { name: 'a quote closed amid', input: 'ECHO "a"b\r\n', text: 'unbalanced quotes in request' },
  { name: 'an apostrophe amid', input: "ECHO 'a'b\r\n", text: 'unbalanced quotes in request' },
  { name: 'an escape at the end', input: 'ECHO "a\\\r\n', text: 'unbalanced quotes in request' },
  {
    name: 'eleven arguments before login',
    input: '*11\r\n',
    text: 'unauthenticated multibulk length',
    authenticated: false,
  },
  {
    name: 'a long argument before login',
    input: '*2\r\n$4\r\nAUTH\r\n$16385\r\n',
    text: 'unauthenticated bulk length',
    authenticated: false,
  },
]
