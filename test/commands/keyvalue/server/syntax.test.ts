// The notation of rows, read as arguments; and every row of the table has one that can be read.

import t from 'tap'
import { keyValueRows } from '../../../../src/commands/keyvalue/rows.js'
import { type Argument, parseSyntax } from '../../../../src/commands/keyvalue/server/syntax.js'

/** `name:type`, its token, its parts and its flags, short enough for one line. */
function short(argument: Argument): string {
  const { name, type, token, parts, isOptional, isMultiple, repeatsToken } = argument
  const marks = [isOptional && '?', isMultiple && '+', repeatsToken && 't'].filter(Boolean).join('')
  const within = parts === undefined ? '' : `(${parts.map(short).join(' ')})`
  const before = token !== undefined && type !== 'pure-token' ? `${token}=` : ''
  return `${before}${name}:${type}${within}${marks}`
}

const cases: readonly [syntax: string, expected: string][] = [
  ['', ''],
  ['key', 'key:key'],
  ['key [key ...]', 'key:key+'],
  ['[section ...]', 'section:string?+'],
  ['[channel [channel ...]]', 'channel:string?+'],
  ['key field value [field value ...]', 'key:key field_value:block(field:string value:string)+'],
  ['numkeys key [key ...]', 'numkeys:integer key:key+'],
  ['key [NX | XX] [GET]', 'key:key nx_xx:oneof(nx:pure-token xx:pure-token)? get:pure-token?'],
  ['[EX seconds | KEEPTTL]', 'seconds_keepttl:oneof(EX=seconds:integer keepttl:pure-token)?'],
  ['[LIMIT offset count]', 'LIMIT=offset_count:block(offset:integer count:integer)?'],
  ['[WEIGHTS weight [weight ...]]', 'WEIGHTS=weight:double?+'],
  ['[GET pattern [GET pattern ...]]', 'GET=pattern:pattern?+t'],
  ['<BEFORE | AFTER> pivot', 'before_after:oneof(before:pure-token after:pure-token) pivot:string'],
  [
    '[FILTERBY <MODULE name | PATTERN pattern>]',
    'FILTERBY=name_pattern:oneof(MODULE=name:string PATTERN=pattern:pattern)?',
  ],
  [
    'bit [start [end [BYTE | BIT]]]',
    'bit:integer start_end_byte_bit:block(start:integer end_byte_bit:block(end:integer ' +
      'byte_bit:oneof(byte:pure-token bit:pure-token)?)?)?',
  ],
]

t.test('the notation of the manual is read as arguments', async (t) => {
  for (const [syntax, expected] of cases) {
    t.equal(parseSyntax(syntax).map(short).join(' '), expected, syntax)
  }
})

t.test('what is not closed is refused', async (t) => {
  t.throws(() => parseSyntax('key [NX'), /missing/)
  t.throws(() => parseSyntax('key ]'), /unexpected/)
  t.throws(() => parseSyntax('[]'), /empty/)
})

t.test('every row of the table has a syntax that can be read', async (t) => {
  for (const { name, syntax } of keyValueRows) {
    t.doesNotThrow(() => parseSyntax(syntax), `${name}: ${syntax}`)
  }
})
