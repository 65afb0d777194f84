// Random runs of set commands, bad input among them: over few keys and few members, so that they
// meet each other. The same seed makes the same run. Nothing in it depends on what was picked.

type Random = () => number

const names = ['a', 'b', 'c', 'text', 'none'] as const
const members = ['x', 'y', 'z', '', '1', '2', '3', 'longer text'] as const

/** `count` commands behind the two that begin a run: an empty database, and a key that is no set. */
export function setSequence(random: Random, count: number): string[][] {
  const lines = [
    ['DEL', ...names],
    ['SET', 'text', 'no set'],
  ]
  for (let i = 0; i < count; i++) lines.push(setCommand(random))
  for (const name of names) lines.push(['SMEMBERS', name])
  return lines
}

export function setCommand(random: Random): string[] {
  const one = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const key = () => (random() < 0.75 ? one(['a', 'b', 'c']) : one(names))
  const member = () => one(members)
  const some = (most: number, make: () => string) =>
    Array.from({ length: 1 + Math.floor(random() * most) }, make)
  const maybe = (...words: string[]) => (random() < 0.5 ? words : [])
  const number = () => one(['0', '1', '2', '3', '-1', 'no', ''])
  const counted = () => {
    const keys = some(3, key)
    const count = random() < 0.9 ? String(keys.length) : number()
    return [count, ...keys, ...maybe('LIMIT', number())]
  }
  const makers: readonly (() => string[])[] = [
    () => ['SADD', key(), ...some(6, member)],
    () => ['SADD', key(), ...some(6, member)],
    () => ['SADD', key(), ...some(6, member)],
    () => ['SREM', key(), ...some(3, member)],
    () => ['SCARD', key()],
    () => ['SISMEMBER', key(), member()],
    () => ['SMISMEMBER', key(), ...some(4, member)],
    () => ['SMOVE', key(), key(), member()],
    () => ['SPOP', key(), one(['0', '100', '-1', 'no'])],
    () => ['SRANDMEMBER', key(), one(['0', '1', '2', '100', '-3', 'no'])],
    () => [one(['SPOP', 'SRANDMEMBER']), key(), '1', '2'],
    () => [one(['SINTER', 'SUNION', 'SDIFF']), ...some(3, key)],
    () => [one(['SINTERSTORE', 'SUNIONSTORE', 'SDIFFSTORE']), key(), ...some(3, key)],
    () => ['SINTERCARD', ...counted()],
  ]
  return one(makers)()
}

/** Sets have no order, and what is picked at random is only counted. */
export function sameSet(reply: unknown, line: readonly string[]): unknown {
  if (!Array.isArray(reply)) return reply
  if (line[0] === 'SRANDMEMBER') return reply.length
  return line[0] === 'SMISMEMBER' ? reply : [...reply].sort()
}
