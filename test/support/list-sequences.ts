// Random runs of list commands, bad input among them: over few keys and few elements, so that they
// meet each other. The same seed makes the same run.

type Random = () => number

const names = ['a', 'b', 'c', 'text', 'none'] as const
const elements = ['x', 'y', 'z', '', '1', 'longer text'] as const
const numbers = ['0', '1', '2', '3', '5', '-1', '-2', '-3', '-7', '100', '-100', 'no', ''] as const
const sides = ['LEFT', 'right', 'Left', 'RIGHT', 'up'] as const

/** `count` commands behind the two that begin a run: an empty database, and a key that is no list. */
export function listSequence(random: Random, count: number): string[][] {
  const lines = [
    ['DEL', ...names],
    ['SET', 'text', 'no list'],
  ]
  for (let i = 0; i < count; i++) lines.push(listCommand(random))
  for (const name of names) lines.push(['LRANGE', name, '0', '-1'])
  return lines
}

export function listCommand(random: Random): string[] {
  const one = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const key = () => (random() < 0.6 ? one(['a', 'b']) : one(names))
  const element = () => one(elements)
  const number = () => (random() < 0.9 ? one(numbers.slice(0, 11)) : one(numbers))
  const side = () => (random() < 0.95 ? one(sides.slice(0, 4)) : one(sides))
  const some = (most: number, make: () => string) =>
    Array.from({ length: 1 + Math.floor(random() * most) }, make)
  const maybe = (...words: string[]) => (random() < 0.5 ? words : [])
  const popSome = () => {
    const keys = some(3, key)
    return [String(keys.length), ...keys, side(), ...maybe('COUNT', number())]
  }
  /** One kind among the others: each waits some milliseconds where there is nothing to pop. */
  const blocking: readonly (() => string[])[] = [
    () => ['BLMPOP', '0.001', ...popSome()],
    () => [one(['BLPOP', 'BRPOP']), ...some(3, key), one(['0.001', '0.001', '-1', 'no'])],
    () => ['BLMOVE', key(), key(), side(), side(), '0.001'],
    () => ['BRPOPLPUSH', key(), key(), '0.001'],
  ]
  const makers: readonly (() => string[])[] = [
    () => ['RPUSH', key(), ...some(6, element)],
    () => ['LPUSH', key(), ...some(6, element)],
    () => ['RPUSH', key(), ...some(6, element)],
    () => [one(['LPUSHX', 'RPUSHX']), key(), ...some(3, element)],
    () => [one(['LPOP', 'RPOP']), key(), ...maybe(number())],
    () => ['LLEN', key()],
    () => ['LRANGE', key(), number(), number()],
    () => ['LINDEX', key(), number()],
    () => ['LSET', key(), number(), element()],
    () => ['LREM', key(), number(), element()],
    () => ['LINSERT', key(), one(['BEFORE', 'after', 'before', 'on']), element(), element()],
    () => ['LINSERT', key(), one(['BEFORE', 'AFTER']), element(), element()],
    () => ['LTRIM', key(), one(['0', '1', number()]), one(['-1', '-2', number()])],
    () => [
      ...['LPOS', key(), element()],
      ...[...maybe('RANK', number()), ...maybe('COUNT', number()), ...maybe('MAXLEN', number())],
    ],
    () => ['LMOVE', key(), key(), side(), side()],
    () => ['RPOPLPUSH', key(), key()],
    () => ['LMPOP', ...popSome()],
    () => one(blocking)(),
  ]
  return one(makers)()
}
