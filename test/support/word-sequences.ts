// Random runs of every command of the table with any words behind it: numbers, options and keys of
// each type where they belong and where they do not. The same seed makes the same run.

import { keyValueRows } from '../../src/commands/keyvalue/rows.js'

type Random = () => number

/** Left out, by what a run could not be compared behind them. */
const leftOut: readonly string[] = [
  // What they answer is another server's.
  ...[
    'acl',
    'client',
    'command',
    'config',
    'debug',
    'dump',
    'function',
    'hello',
    'info',
    'lastsave',
  ],
  ...['latency', 'lolwut', 'memory', 'module', 'role', 'script', 'slowlog', 'time', 'pubsub'],
  // They throw dice, or end, hold up or turn the connection or the server.
  ...['spop', 'randomkey', 'auth', 'failover', 'monitor', 'psync', 'quit', 'replconf', 'replicaof'],
  ...['reset', 'shutdown', 'slaveof', 'sync', 'wait', 'migrate', 'save', 'bgsave', 'bgrewriteaof'],
  ...['subscribe', 'unsubscribe', 'psubscribe', 'punsubscribe'],
  // Named elsewhere: databases and what is counted in them.
  ...['flushall', 'flushdb', 'swapdb', 'dbsize'],
]

const names: readonly (readonly string[])[] = keyValueRows
  .map(({ name }) => name.split('|'))
  .filter(([name = '']) => !leftOut.includes(name))

const keys = ['a', 'b', 'c', 'd'] as const
const words = [
  ...['a', 'b', 'c', 'd', '0', '1', '2', '-1', '3', '10', 'x', '', '1.5', '0.001'],
  ...[
    '9223372036854775807',
    '-9223372036854775808',
    '*',
    '(1',
    '[a',
    '-',
    '+',
    'inf',
    '-inf',
    'nan',
  ],
  ...['NX', 'XX', 'GT', 'LT', 'CH', 'INCR', 'EX', 'PX', 'KEEPTTL', 'GET', 'PERSIST', 'COUNT'],
  ...[
    'MATCH',
    'LIMIT',
    'WITHSCORES',
    'BYSCORE',
    'BYLEX',
    'REV',
    'LEFT',
    'RIGHT',
    'BEFORE',
    'AFTER',
  ],
  ...['STORE', 'BY', 'ASC', 'ALPHA', 'REPLACE', 'DB', 'AGGREGATE', 'SUM', 'WEIGHTS', 'MIN', 'MAX'],
  ...[
    'BIT',
    'BYTE',
    'AND',
    'NOT',
    'u8',
    'SET',
    'INCRBY',
    'OVERFLOW',
    'RANK',
    'MAXLEN',
    'IDX',
    'LEN',
  ],
  ...['encoding', 'refcount', 'help'],
] as const

/** `count` commands behind those that make a key of each type. */
export function wordSequence(random: Random, count: number): string[][] {
  const lines = [
    ['FLUSHALL'],
    ['SELECT', '0'],
    ['SET', 'a', '10'],
    ['RPUSH', 'b', '1', '2', 'x'],
    ['ZADD', 'c', '1', 'a', '2', 'b'],
    ['HSET', 'd', 'a', '1', 'b', 'x'],
  ]
  for (let i = 0; i < count; i++) lines.push(wordCommand(random))
  // A transaction that is still open ends here, as the next run begins on its own.
  return [...lines, ['DISCARD'], ['UNWATCH']]
}

function wordCommand(random: Random): string[] {
  const one = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const name = one(names).map((word) => word.toUpperCase())
  // Few words more often than many.
  const count = Math.floor(random() * random() * 9)
  const line = [...name]
  for (let i = 0; i < count; i++) line.push(one<string>(random() < 0.35 ? keys : words))
  const [first = ''] = name
  // An invented cursor leads to another place in every server.
  if (first === 'SCAN' && line.length > 1) line[1] = one(['0', '0', 'x', ''])
  if (isBlocking(first)) return withTimeout(line)
  return givesTime.test(line.join(' ')) ? line.map((word) => longTimes[word] ?? word) : line
}

/** A time that ends amid a run ends at another place of it in each server. */
const givesTime = /^(?:P?EXPIRE|P?SETEX|RESTORE)\b|\b[EP]X\b/
const longTimes: Readonly<Record<string, string>> = {
  '1': '100000',
  '2': '200000',
  '3': '300000',
  '10': '1000000',
}

function isBlocking(name: string): boolean {
  return /^B.*(?:POP|MOVE|POPLPUSH|POPMIN|POPMAX)$/.test(name)
}

/**
 * No command waits for ever: the last word is a timeout, or the first of those that begin with it.
 */
function withTimeout(line: readonly string[]): string[] {
  const [name = '', ...rest] = line
  if (/^B.MPOP$/.test(name)) return [name, '0.001', ...rest.slice(1)]
  return rest.length < 2 ? [name, ...rest] : [name, ...rest.slice(0, -1), '0.001']
}
