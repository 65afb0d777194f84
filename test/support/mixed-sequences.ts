// Random runs over all types at once: the commands of every family over the same few keys, damaged
// ones and transactions among them, and what is asked about a server. The same seed makes the same
// run.

import { hashCommands } from './hash-sequences.js'
import { keyCommand } from './key-sequences.js'
import { listCommand } from './list-sequences.js'
import { setCommand } from './set-sequences.js'
import { sortedSetCommands } from './sorted-set-sequences.js'
import { stringCommands } from './string-sequences.js'

type Random = () => number

/** Names of all families: `n` and `h` hold numbers that must stay among themselves. */
const names = ['a', 'b', 'c', 'd', 'i', 'h', 'n', 'text', 'hash', 'plain', 'none'] as const

/** `count` commands behind those that begin a run: empty databases. */
export function mixedSequence(random: Random, count: number): string[][] {
  const lines = [
    ['FLUSHALL'],
    ['SELECT', '0'],
    // Slowness on a busy machine is no difference.
    ['CONFIG', 'SET', 'slowlog-log-slower-than', '-1'],
    ['SLOWLOG', 'RESET'],
  ]
  const command = mixedCommands(random)
  while (lines.length < count) {
    if (random() < 0.06) lines.push(...transaction(random, command))
    else lines.push(command())
  }
  lines.push(['SELECT', '0'], ['DBSIZE'])
  for (const name of names) lines.push(['TYPE', name], ['TTL', name], ['OBJECT', 'ENCODING', name])
  return lines
}

function mixedCommands(random: Random): () => string[] {
  const one = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const families = [
    stringCommands(random),
    hashCommands(random),
    sortedSetCommands(random),
    () => listCommand(random),
    () => setCommand(random),
    () => keyCommand(random),
    () => serverCommand(random),
  ]
  return () => {
    const line = one(families)()
    return random() < 0.06 ? damaged(random, line) : line
  }
}

/** A word less, a word more, another case, or an unknown name. */
function damaged(random: Random, line: string[]): string[] {
  const [name = '', ...words] = line
  const kind = Math.floor(random() * 4)
  // Without its count SPOP throws the dice, and the runs would part.
  if (kind === 0) return line.length === 1 || name === 'SPOP' ? line : line.slice(0, -1)
  if (kind === 1) return [...line, 'more']
  return kind === 2 ? [name.toLowerCase(), ...words] : [`${name}X`, ...words]
}

function transaction(random: Random, command: () => string[]): string[][] {
  const lines: string[][] = random() < 0.3 ? [['WATCH', 'a', 'b']] : []
  lines.push(['MULTI'])
  const count = Math.floor(random() * 6)
  for (let i = 0; i < count; i++) lines.push(command())
  if (random() < 0.1) lines.push(['MULTI'], ['WATCH', 'a'])
  lines.push([random() < 0.85 ? 'EXEC' : 'DISCARD'])
  return random() < 0.1 ? [...lines, ['EXEC'], ['UNWATCH']] : lines
}

/** Commands without keys, or about what is known of them. */
function serverCommand(random: Random): string[] {
  const one = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const key = () => one(names)
  const lines: readonly (() => string[])[] = [
    () => ['PING', ...(random() < 0.5 ? [one(['', 'x', 'ÿ'])] : [])],
    () => ['ECHO', one(['', 'x', 'a b'])],
    () => ['EXISTS', key(), key(), key()],
    () => ['TYPE', key()],
    () => [one(['EXPIRE', 'PEXPIRE']), key(), one(['100000', '0', '-1', 'no', '9e9', ''])],
    () => ['EXPIRE', key(), one(['100000', '200000']), one(['NX', 'xx', 'GT', 'lt', 'FOO'])],
    () => ['EXPIRE', key(), '100000', one(['NX', 'GT']), one(['XX', 'LT', 'GT'])],
    () => [one(['EXPIREAT', 'PEXPIREAT']), key(), one(['99999999999', '1', '-5', 'x'])],
    () => [one(['TTL', 'PTTL', 'EXPIRETIME', 'PEXPIRETIME', 'PERSIST']), key()],
    () => ['OBJECT', one(['ENCODING', 'IDLETIME', 'REFCOUNT', 'FREQ', 'HELP', 'NOPE']), key()],
    () => ['MEMORY', 'USAGE', key()],
    () => ['CLIENT', one(['GETNAME', 'ID', 'INFO', 'LIST', 'NOPE'])],
    () => ['CLIENT', 'SETNAME', one(['', 'name', 'a b', 'x\ny'])],
    () => ['CLIENT', one(['SETINFO', 'NO-EVICT', 'REPLY', 'UNBLOCK']), one(['x', '0', 'on'])],
    () => ['CONFIG', 'GET', one(['save', 'maxmemory-policy', 'hash-max-*-value', 'nosuch'])],
    () => ['CONFIG', one(['SET', 'GET']), one(['nosuch', 'databases']), '3'],
    () => ['COMMAND', one(['COUNT', 'NOPE'])],
    () => ['COMMAND', 'GETKEYS', one(['SET', 'MSET', 'GET', 'NOPE', 'PING']), key(), 'x'],
    () => ['PUBLISH', one(['c', '']), 'x'],
    () => ['PUBSUB', one(['NUMPAT', 'CHANNELS', 'NUMSUB', 'NOPE'])],
    () => [one(['TIME', 'LASTSAVE', 'ROLE', 'RANDOMKEY', 'UNWATCH', 'WAIT'])],
    () => ['WAIT', one(['0', 'x']), one(['1', '-1', 'x'])],
    () => ['SLOWLOG', one(['LEN', 'GET', 'RESET', 'NOPE'])],
    () => ['ACL', one(['WHOAMI', 'NOPE'])],
    () => ['SCRIPT', one(['EXISTS', 'NOPE']), 'x'],
    // Wrong passwords are tested elsewhere: some of them on a connection end it here.
    () => ['AUTH', ...one([['x'], ['default', 'x'], ['a', 'b', 'c', 'd']])],
    () => ['SELECT', one(['0', '1', '15', '16', '-1', 'x'])],
  ]
  return one(lines)()
}
