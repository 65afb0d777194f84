// Random runs of sorted-set commands, bad input among them: over few keys, members and scores, so
// that they meet each other. The same seed makes the same run.

type Random = () => number

const names = ['a', 'b', 'c', 'plain', 'text', 'none'] as const
const members = ['m', 'n', 'o', 'mm', '', 'n0', 'Z', 'é', 'a longer one'] as const
const numbers = ['0', '1', '2', '3', '5', '-1', '-2', '-3', '-7', '100', '-100', 'no', ''] as const
const scores = [
  ...['0', '1', '2', '3', '-1', '1.5', '-2.25', '0.1', '1e3', '0x10', '100000', '-0', '+3'],
  ...['inf', '-inf', '1e20', '12345678901234567', '1e-7', 'nan', 'no', '1e400', ' 1', ''],
] as const
const scoreBounds = [
  ...['-inf', '+inf', '0', '1', '(1', '3', '(3', '-2', '1.5', '(1e20', '(-inf', 'inf'],
  ...['(inf', '', '(', 'no', '((1', 'nan'],
] as const
const lexBounds = ['-', '+', '[m', '(m', '[n', '(mm', '[Z', '[', '(', '[zz', 'm', ''] as const

/** `count` commands behind those that begin a run: other types are there, the rest is empty. */
export function sortedSetSequence(random: Random, count: number): string[][] {
  const lines = [
    ['DEL', ...names],
    ['SET', 'text', 'no set'],
    ['SADD', 'plain', 'm', 'o', 'Z', 'only here'],
  ]
  const command = sortedSetCommands(random)
  for (let i = 0; i < count; i++) lines.push(command())
  for (const name of names) lines.push(['ZRANGE', name, '0', '-1', 'WITHSCORES'], ['TYPE', name])
  return lines
}

/** Each call makes one command. */
export function sortedSetCommands(random: Random): () => string[] {
  const one = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const some = (most: number, make: () => string) =>
    Array.from({ length: 1 + Math.floor(random() * most) }, make)
  const maybe = (...words: string[]) => (random() < 0.4 ? words : [])
  const key = () => (random() < 0.8 ? one(['a', 'b']) : one(names))
  const target = () => (random() < 0.7 ? one(['c', 'a']) : one(names))
  const member = () => one(members)
  const number = () => (random() < 0.92 ? one(numbers.slice(0, 11)) : one(numbers))
  const score = () => (random() < 0.95 ? one(scores.slice(0, 18)) : one(scores))
  const bound = () => (random() < 0.95 ? one(scoreBounds.slice(0, 13)) : one(scoreBounds))
  const lexBound = () => (random() < 0.95 ? one(lexBounds.slice(0, 10)) : one(lexBounds))
  const pairs = () => some(5, () => '').flatMap(() => [score(), member()])
  /** All of one score, which lexical ranges are made for. */
  const ties = () => some(6, () => '').flatMap(() => ['0', member()])
  const limit = () => maybe('LIMIT', number(), number())
  const inputs = () => {
    const keys = some(3, () => (random() < 0.7 ? key() : one(['plain', 'c', 'none'])))
    return [random() < 0.97 ? String(keys.length) : number(), ...keys]
  }
  const weighted = () => {
    const keys = inputs()
    const weights = keys.slice(1).map(score)
    const aggregate = one(['SUM', 'min', 'MAX', 'avg'])
    return [...keys, ...maybe('WEIGHTS', ...weights), ...maybe('AGGREGATE', aggregate)]
  }
  const end = () => one(['MIN', 'max', 'Min', 'MAX', 'max', 'low'])
  const range = () => one([byRank, byScore, byLex])()
  const byRank = () => [number(), number(), ...maybe('REV')]
  const byScore = () => [bound(), bound(), 'BYSCORE', ...maybe('rev'), ...limit()]
  const byLex = () => [lexBound(), lexBound(), 'bylex', ...maybe('REV'), ...limit()]
  const makers: readonly (() => string[])[] = [
    () => ['ZADD', key(), ...pairs()],
    () => ['ZADD', key(), ...pairs()],
    () => ['ZADD', key(), ...ties()],
    () => [
      ...['ZADD', key(), ...maybe(one(['NX', 'xx'])), ...maybe(one(['GT', 'LT']))],
      ...[...maybe('CH'), ...pairs()],
    ],
    () => ['ZADD', key(), ...maybe(one(['NX', 'XX', 'gt', 'lt'])), 'INCR', score(), member()],
    () => ['ZINCRBY', key(), score(), member()],
    () => ['ZREM', key(), ...some(3, member)],
    () => [one(['ZSCORE', 'ZRANK', 'ZREVRANK']), key(), member()],
    () => ['ZMSCORE', key(), ...some(3, member)],
    () => ['ZCARD', key()],
    () => ['ZCOUNT', key(), bound(), bound()],
    () => ['ZLEXCOUNT', key(), lexBound(), lexBound()],
    () => ['ZRANGE', key(), ...range(), ...maybe('WITHSCORES')],
    () => ['ZRANGE', key(), ...range()],
    () => ['ZREVRANGE', key(), number(), number(), ...maybe('withscores')],
    () => [
      ...[one(['ZRANGEBYSCORE', 'ZREVRANGEBYSCORE']), key(), bound(), bound()],
      ...[...limit(), ...maybe('WITHSCORES')],
    ],
    () => [one(['ZRANGEBYLEX', 'ZREVRANGEBYLEX']), key(), lexBound(), lexBound(), ...limit()],
    () => ['ZRANGESTORE', target(), key(), ...range()],
    () => ['ZREMRANGEBYRANK', key(), number(), number()],
    () => ['ZREMRANGEBYSCORE', key(), bound(), bound()],
    () => ['ZREMRANGEBYLEX', key(), lexBound(), lexBound()],
    () => [one(['ZPOPMIN', 'ZPOPMAX']), key(), ...maybe(number())],
    () => ['ZMPOP', ...inputs(), end(), ...maybe('COUNT', number())],
    () => [one(['BZPOPMIN', 'BZPOPMAX']), ...some(2, key), one(['0.001', '0.001', '-1', 'no'])],
    () => ['BZMPOP', '0.001', ...inputs(), end(), ...maybe('COUNT', number())],
    () => [one(['ZUNION', 'ZINTER']), ...weighted(), ...maybe('WITHSCORES')],
    () => ['ZDIFF', ...inputs(), ...maybe('WITHSCORES')],
    () => [one(['ZUNIONSTORE', 'ZINTERSTORE']), target(), ...weighted()],
    () => ['ZDIFFSTORE', target(), ...inputs()],
    () => ['ZINTERCARD', ...inputs(), ...maybe('LIMIT', number())],
  ]
  return () => one(makers)()
}
