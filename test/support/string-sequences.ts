// Random runs of string and bit commands, bad input among them: over few keys and few values, so
// that they meet each other. The same seed makes the same run.

type Random = () => number

const names = ['a', 'b', 'c', 'n', 'hash', 'none'] as const
const values = ['', 'x', 'abc', 'abcabcbba', '10', '-7', '3.25', 'ÿé\u0000z']
const numbers = ['0', '1', '2', '3', '7', '8', '15', '23', '-1', '-2', '-8', '-100', '100'] as const
/**
 * Sums of decimals differ from the reference server's beyond its 64 bits: `n` alone has such
 * numbers.
 */
const large = ['9223372036854775807', '-9223372036854775808', '9007199254740993', '1'] as const
const badNumbers = ['no', '', '1.5', '+1', '99999999999999999999'] as const
/**
 * Small ones: a large sum of what APPEND has made of 3.25 shows the noise of the reference server's
 * 80 bits.
 */
const decimals = ['0.5', '-0.25', '1e1', '+2', '0x10', '-0', '.125', '5.', '0'] as const
const badDecimals = ['no', '', ' 1', 'nan', 'inf', '1e', '1e5000', '1e-5000', '0x'] as const

/** `count` commands behind the two that begin a run, and what the keys hold in the end. */
export function stringSequence(random: Random, count: number): string[][] {
  const lines = [
    ['DEL', ...names],
    ['HSET', 'hash', 'f', 'v'],
  ]
  const command = stringCommands(random)
  for (let i = 0; i < count; i++) lines.push(command())
  for (const name of names) lines.push(['TYPE', name], ['GET', name], ['TTL', name])
  return lines
}

/** Each call makes one command. */
export function stringCommands(random: Random): () => string[] {
  const one = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const key = () => one(random() < 0.9 ? ['a', 'b', 'c'] : ['hash', 'none'])
  const value = () => one(values)
  const number = () => (random() < 0.95 ? one(numbers) : one(badNumbers))
  const decimal = () => (random() < 0.9 ? one(decimals) : one(badDecimals))
  const some = (most: number, make: () => string) =>
    Array.from({ length: 1 + Math.floor(random() * most) }, make)
  const maybe = (make: () => string[], chance = 0.5) => (random() < chance ? make() : [])
  const time = () => [one(['EX', 'px', 'EXAT', 'pxat']), one(['100000', '99999999999', '0', 'no'])]
  const word = () =>
    one([['NX'], ['xx'], ['GET'], ['KEEPTTL'], ['PERSIST'], ['foo'], time(), time()])
  const words = () => Array.from({ length: Math.floor(random() * 3) }, word).flat()
  const pairs = () => [
    ...some(3, key).flatMap((name) => [name, value()]),
    ...maybe(() => ['x'], 0.1),
  ]
  const range = () => [number(), number(), ...maybe(() => [one(['BIT', 'byte', 'bytes'])], 0.6)]
  const makers: readonly (() => string[])[] = [
    () => ['SET', key(), value(), ...maybe(words)],
    () => ['SET', key(), value()],
    () => ['GET', key()],
    () => ['SETNX', key(), value()],
    () => [
      one(['SETEX', 'PSETEX']),
      key(),
      one(['100000', '0', '-1', 'no', '9223372036854775807']),
      value(),
    ],
    () => ['GETSET', key(), value()],
    () => ['APPEND', key(), one(['', 'x', '1', 'ÿ'])],
    () => [one(['GETDEL', 'STRLEN']), key()],
    () => ['GETEX', key(), ...maybe(words)],
    () => [one(['GETRANGE', 'substr']), key(), number(), number()],
    () => ['SETRANGE', key(), number(), value()],
    () => ['MGET', ...some(4, key)],
    () => [one(['MSET', 'MSETNX']), ...pairs()],
    () => [one(['INCR', 'DECR']), one([key(), 'n'])],
    () => [one(['INCRBY', 'DECRBY']), key(), number()],
    () => [one(['INCRBY', 'DECRBY', 'SET']), 'n', one(large)],
    () => ['INCRBYFLOAT', one(['a', 'b', 'c', 'hash']), decimal()],
    () => [
      ...['LCS', key(), key(), ...maybe(() => [one(['LEN', 'IDX', 'idx', 'foo'])], 0.8)],
      ...[...maybe(() => ['MINMATCHLEN', number()]), ...maybe(() => ['WITHMATCHLEN'])],
    ],
    () => ['SETBIT', key(), number(), one(['0', '1', '1', '2', 'no'])],
    () => ['GETBIT', key(), one([number(), '4294967296'])],
    () => ['BITCOUNT', key(), ...maybe(range, 0.8), ...maybe(() => ['more'], 0.05)],
    () => [
      'BITPOS',
      key(),
      one(['0', '1', '1', '0', '2', 'no']),
      ...maybe(range),
      ...maybe(() => [number()]),
    ],
    () => [...['BITOP', one(['AND', 'or', 'XOR', 'not', 'NOT', 'foo']), key()], ...some(3, key)],
    () => ['EXPIRE', key(), '1000'],
    () => [...['BITFIELD', key()], ...some(4, () => '').flatMap(operation)],
    () => [...['BITFIELD_RO', key()], ...some(2, () => '').flatMap(operation)],
  ]
  const type = () => one(['u8', 'i8', 'u1', 'i5', 'u63', 'i64', 'u17', 'i1', 'u64', 'x8', 'i0'])
  const place = () => one([number(), '#0', '#1', '#2', '0', '3'])
  const amount = () => one(['1', '-1', '100', '300', '-129', '9223372036854775807', 'no'])
  function operation(): string[] {
    return one([
      () => ['GET', type(), place()],
      () => ['SET', type(), place(), amount()],
      () => ['INCRBY', type(), place(), amount()],
      () => ['OVERFLOW', one(['WRAP', 'sat', 'FAIL', 'SAT', 'foo'])],
    ])()
  }
  return () => one(makers)()
}
