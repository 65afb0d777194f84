// Random runs of hash commands, bad input among them. The same seed makes the same run.

type Random = () => number

const names = ['h', 'i', 'text', 'none'] as const
const fields = ['f', 'g', 'h', '1', '', '$x', 'a.b', 'ÿ\u0000', 'long'.repeat(30)] as const
const values = ['', 'x', '10', '-7', '3.25', 'abc', 'y'.repeat(90)] as const
const numbers = ['0', '1', '2', '3', '-1', '-3', '100', 'no', ''] as const
/** For a field that is no decimal's: those are exact where the reference server's are not. */
const large = ['9223372036854775807', '-9223372036854775808', '9007199254740993', '1'] as const
const decimals = ['0.5', '-0.25', '1e3', '+2', '-0', '.125', 'no', '', 'inf', 'nan'] as const

/** `count` commands behind the two that begin a run, and what the keys hold in the end. */
export function hashSequence(random: Random, count: number): string[][] {
  const lines = [
    ['DEL', ...names],
    ['SET', 'text', 'no hash'],
  ]
  const command = hashCommands(random)
  for (let i = 0; i < count; i++) lines.push(command())
  for (const name of names) lines.push(['TYPE', name], ['HLEN', name], ['HGETALL', name])
  return lines
}

/** Each call makes one command. */
export function hashCommands(random: Random): () => string[] {
  const one = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const key = () => (random() < 0.8 ? one(['h', 'i']) : one(names))
  const field = () => one(fields)
  const value = () => one(values)
  const some = (most: number, make: () => string) =>
    Array.from({ length: 1 + Math.floor(random() * most) }, make)
  const maybe = (...words: string[]) => (random() < 0.5 ? words : [])
  const pairs = () => some(4, field).flatMap((name) => [name, value()])
  const odd = () => (random() < 0.05 ? ['x'] : [])
  const makers: readonly (() => string[])[] = [
    () => [one(['HSET', 'HMSET', 'HSET']), key(), ...pairs(), ...odd()],
    () => ['HSET', key(), ...pairs()],
    () => ['HSETNX', key(), field(), value()],
    () => [one(['HGET', 'HEXISTS', 'HSTRLEN']), key(), field()],
    () => [one(['HMGET', 'HDEL']), key(), ...some(5, field)],
    () => [one(['HGETALL', 'HKEYS', 'HVALS', 'HLEN']), key()],
    () => ['HDEL', key(), field()],
    () => ['HINCRBY', key(), field(), one(numbers)],
    () => ['HINCRBY', key(), 'large', one(large)],
    () => ['HINCRBYFLOAT', key(), field(), one(decimals)],
    () => ['HRANDFIELD', key(), ...maybe(one(numbers.filter((each) => each.length < 5)))],
    () => [
      'HRANDFIELD',
      key(),
      one(['2', '-4', 'no', '0']),
      one(['WITHVALUES', 'withvalues', 'x']),
    ],
  ]
  return () => one(makers)()
}
