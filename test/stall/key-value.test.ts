// Every key-value command with hostile words, made from the syntax of its row: a large key of each
// type, long values, many words, patterns that go back, counts beyond all.

import t from 'tap'
import { keyValueRows } from '../../src/commands/keyvalue/rows.js'
import { isLong } from '../support/seed.js'
import type { Hostile, StallCase, Word } from './cases.js'
import { hunt } from './hunt.js'

const textBytes = isLong ? 6_000_000 : 1_000_000
const members = isLong ? 60_000 : 6_000
const manyWords = isLong ? 50_000 : 10_000
const wordsAtOnce = 2_000

/** Commands that end or stop the connection or the server, or only answer what others do. */
const left = new Set([
  ...['shutdown', 'quit', 'reset', 'monitor', 'multi', 'exec', 'discard', 'client|reply', 'debug'],
  ...['client|pause', 'flushall', 'flushdb', 'swapdb', 'select', 'auth', 'hello', 'save', 'bgsave'],
  ...['subscribe', 'psubscribe', 'unsubscribe', 'punsubscribe', 'client|kill', 'config|set'],
])

const long = (kind: Hostile['kind'], size = textBytes): Word => ({ hostile: { kind, size } })

function filled(words: (from: number) => readonly Word[][]): StallCase[] {
  const cases: StallCase[] = []
  for (let from = 0; from < members; from += wordsAtOnce) {
    for (const line of words(from)) cases.push({ kind: 'words', name: 'fill', words: line })
  }
  return cases
}

const range = (from: number): number[] => Array.from({ length: wordsAtOnce }, (_, i) => from + i)

/** Two large keys of each type, of names that begin with the type's letter. */
const prepare: readonly StallCase[] = [
  { kind: 'words', name: 'fill', words: ['SET', 't1', long('text')] },
  { kind: 'words', name: 'fill', words: ['SET', 't2', long('almostText')] },
  ...filled((from) => [
    ['RPUSH', 'l1', ...range(from).map((i) => `a${i % 100}`)],
    ['SADD', 's1', ...range(from)],
    ['SADD', 's2', ...range(from).map((i) => i + (members >> 1))],
    ['HSET', 'h1', ...range(from).flatMap((i) => [`${'a'.repeat(20)}${i}`, i])],
    ['ZADD', 'z1', ...range(from).flatMap((i) => [i, `m${i}`])],
    ['ZADD', 'z2', ...range(from).flatMap((i) => [0, `m${i}`])],
    ['MSET', ...range(from).flatMap((i) => [`${'a'.repeat(30)}${i}`, i])],
  ]),
]

const typesOfGroup: Readonly<Record<string, readonly string[]>> = {
  ...{ string: ['t'], bitmap: ['t'], hash: ['h'], list: ['l'], set: ['s'] },
  'sorted-set': ['z'],
  generic: ['t', 'l', 's', 'h', 'z'],
}

/** What stands for a name of the syntax; each in turn where there are several. */
const meanings: Readonly<Record<string, readonly Word[]>> = {
  start: [0, '-inf', '-', '(0'],
  min: ['-inf', '-', '(0'],
  stop: [-1, '+inf', '+'],
  end: [-1],
  max: ['+inf', '+'],
  count: [1_000_000, -1_000_000],
  'num-matches': [0],
  limit: [0],
  cursor: [0],
  offset: [0, 100_000_000],
  index: [0],
  bit: [1, 0],
  pattern: [`${'a*'.repeat(40)}b`, `*${'[a-z]*'.repeat(30)}b`],
  'by-pattern': ['*', 'nosort', 'a*->a'],
  'get-pattern': ['*', '#'],
  score: [1],
  increment: [1],
  encoding: ['u8'],
  seconds: [1000],
  timeout: [0.01],
  numkeys: [2],
  'serialized-value': [long('text')],
  ttl: [0],
  value: [long('text'), 'x'],
  element: [long('text'), 'a7'],
  member: [long('text'), 'm7'],
  field: [long('text', 1_000_000), 'f7'],
  message: [long('text')],
  pivot: ['none', 'a99'],
}

/** The words of a syntax: choices take their first, repetitions many words, options are taken. */
function wordsOf(syntax: string, type: string, variant: number, isMany: boolean): Word[] {
  const flat = syntax.replaceAll(/<([^|<>[\]]*)\|[^<>]*>/g, '$1')
  const words: Word[] = []
  let keys = 0
  const mean = (name: string, at: number): Word => {
    if (/^(?:key\d?|source|src|destination|dst|destkey|newkey)$/.test(name)) {
      const isNew = /^(?:dest|dst|newkey)/.test(name)
      return isNew ? 'made' : at === 0 ? `${type}${(keys++ % 2) + 1}` : `${'a'.repeat(30)}${at}`
    }
    const from = meanings[name]
    if (from !== undefined) {
      const chosen = from[variant % from.length] as Word
      return at > 0 && typeof chosen === 'object' ? `x${at}` : chosen
    }
    return name === name.toUpperCase() ? name : at === 0 ? long('text', 10_000) : `x${at}`
  }
  const plain = flat.replaceAll(/\[[^[\]]*(?:\[[^[\]]*\][^[\]]*)*\]/g, (option) =>
    /\.\.\.\]$/.test(option) && isMany ? ` ${option.slice(1, -4)}… ` : ' ',
  )
  for (const part of plain.split(/(?<=…)|\s(?=[^…]*$)/)) {
    const names = part.replace('…', '').trim().split(/\s+/).filter(Boolean)
    const count = part.includes('…') ? manyWords : 1
    for (let at = 0; at < count; at++) {
      for (const name of names) words.push(mean(name, part.includes('…') ? at + 1 : 0))
    }
  }
  return words
}

const cases: StallCase[] = []
for (const { name, syntax, group } of keyValueRows) {
  if (left.has(name)) continue
  for (const type of typesOfGroup[group] ?? ['t']) {
    for (const isMany of syntax.includes('...') ? [false, true] : [false]) {
      for (let variant = 0; variant < 3; variant++) {
        cases.push({
          kind: 'words',
          name: `${name} ${type}${variant}${isMany ? ' many' : ''}`,
          // Made when the case is sent: the words of all cases together would fill the heap.
          get words() {
            return [...name.split('|'), ...wordsOf(syntax, type, variant, isMany)]
          },
        })
      }
    }
  }
}

/** What the syntax alone does not say. */
const further: readonly (readonly Word[])[] = [
  ['BITOP', 'AND', 'made', 't1', 't2'],
  ['COPY', 't1', 'made', 'REPLACE'],
  ['MSET', 't3', long('text'), 't4', long('text')],
  ['MSET', 't3', long('text'), 't4', long('text')],
  ['APPEND', 't4', 'x'],
  ['BITOP', 'NOT', 'made', 't1'],
  ['LCS', 't1', 't2'],
  ['SORT', 'l1', 'ALPHA'],
  ['SORT', 's1', 'DESC'],
  ['SORT', 's1', 'BY', '*', 'GET', '#', 'GET', '*'],
  ['KEYS', `${'a*'.repeat(60)}b`],
  ['SCAN', 0, 'MATCH', `${'a*'.repeat(60)}b`, 'COUNT', 1_000_000],
  ['HSCAN', 'h1', 0, 'MATCH', `${'a*'.repeat(60)}b`, 'COUNT', 1_000_000],
  ['SUNION', ...Array.from({ length: 10 }, (_, i) => `s${(i % 2) + 1}`)],
  ['SINTER', 's1', 's2'],
  ['SDIFF', 's1', 's2'],
  ['SUNIONSTORE', 'made', 's1', 's2'],
  ['SDIFFSTORE', 'made', 's1', ...Array<string>(manyWords).fill('t1')],
  ['SDIFFSTORE', 'made', 's1', 's2'],
  ['ZUNION', 2, 'z1', 'z2', 'WITHSCORES'],
  ['ZINTERSTORE', 'made', 2, 'z1', 'z2'],
  ['ZRANGE', 'z1', 0, -1, 'WITHSCORES'],
  ['ZRANGESTORE', 'made', 'z1', 0, -1],
  ['ZREMRANGEBYRANK', 'z2', 0, members >> 1],
  ['ZPOPMIN', 'z1', members >> 1],
  ['SRANDMEMBER', 's1', -1_000_000],
  ['HRANDFIELD', 'h1', -1_000_000, 'WITHVALUES'],
  ['SPOP', 's2', members >> 1],
  ['LPOP', 'l1', members >> 1],
  ['LPOS', 'l1', 'none', 'COUNT', 0],
  ['LREM', 'l1', 0, 'a7'],
  ['LINSERT', 'l1', 'BEFORE', 'none', 'x'],
  ['COPY', 's1', 'made', 'REPLACE'],
  ['RENAME', 's1', 's9'],
  ['DEL', 's9', 'h1', 'z1'],
  ['FLUSHALL'],
]

const names = Array.from({ length: isLong ? 200_000 : 20_000 }, (_, i) => `k${i}`)
const several = names.slice(0, names.length >> 2)

/** What a pipeline or a transaction has many of. */
const pipelines: readonly (readonly [string, readonly (readonly Word[])[]])[] = [
  ['unknown commands', several.map((name) => [name])],
  ['wrong arities', several.map(() => ['GET'])],
  ['wrong types', several.map(() => ['LLEN', 's1'])],
  ['MULTI', [['MULTI'], ...several.map((name) => ['GET', name]), ['EXEC']]],
  ['MULTI of many words', [['MULTI'], ['DEL', ...names], ['DISCARD']]],
  ['DEL of many words', [['DEL', ...names]]],
  ...['BLPOP', 'BRPOP', 'BZPOPMIN'].map(
    (name) => [`${name} of many words`, [[name, ...names, '0.01']]] as const,
  ),
  ['CLIENT LIST ID', [['CLIENT', 'LIST', 'ID', ...names.map((_, i) => i)]]],
]

const largest = long('text', isLong ? 15_000_000 : 2_000_000)

/** One value that is as large as it may be. */
const large: readonly (readonly Word[])[] = [
  ['SET', 'v', largest],
  ...[
    ...[
      ['APPEND', 'v', 'x'],
      ['SETRANGE', 'v', 5, 'x'],
      ['SETBIT', 'v', 5, 1],
      ['STRLEN', 'v'],
    ],
    ...[
      ['BITFIELD', 'v', 'SET', 'u8', 0, 5],
      ['GETEX', 'v', 'EX', 1000],
      ['EXPIRE', 'v', 1000],
    ],
    ...[
      ['COPY', 'v', 'copied', 'REPLACE'],
      ['PERSIST', 'v'],
      ['RENAME', 'v', 'v2'],
    ],
  ],
  ['GETSET', 'v2', largest],
  ...[
    ['HSET', 'vh', 'f', largest],
    ['RPUSH', 'vl', largest],
    ['SADD', 'vs', largest],
  ],
  ...[
    ['ZADD', 'vz', 1, largest],
    ['MSET', 'v3', largest, 'v4', largest],
    ['DEL', 'v3', 'v4'],
  ],
]

t.test('no pipeline and no large value holds the loop', async (t) => {
  const all: StallCase[] = [
    ...pipelines.map(([name, lines]): StallCase => ({ kind: 'lines', name, lines })),
    ...large.map(
      (words): StallCase => ({
        kind: 'words',
        name: `large ${words.slice(0, 2).join(' ')}`,
        words,
      }),
    ),
  ]
  await hunt(t, all, { prepare })
})

t.test('no key-value command holds the loop', async (t) => {
  const last: StallCase[] = further.map((words) => ({
    kind: 'words',
    name: words
      .slice(0, 4)
      .map((word) => (typeof word === 'object' ? word.hostile.kind : word))
      .join(' '),
    words,
  }))
  await t.test('by its syntax', (t) => hunt(t, cases, { prepare }))
  await t.test('with words of its own', (t) => hunt(t, last, { prepare }))
})
