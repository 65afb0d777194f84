// Random runs of commands over keys of every type, bad input among them: over few names and few
// databases, so that they meet each other. The same seed makes the same run.

type Random = () => number

const names = ['a', 'b', 'c', 'd', 'none'] as const
const databases = ['0', '1', '2', '2', '16', 'x'] as const

/** `count` commands behind those that begin a run: empty databases. */
export function keySequence(random: Random, count: number): string[][] {
  const lines = [['FLUSHALL'], ['SELECT', '0']]
  for (let i = 0; i < count; i++) lines.push(keyCommand(random))
  lines.push(['SELECT', '0'], ['KEYS', '*'], ['DBSIZE'])
  for (const name of names) lines.push(['TYPE', name], ['TTL', name])
  return lines
}

export function keyCommand(random: Random): string[] {
  const one = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const key = () => one(names)
  const maybe = (...words: string[]) => (random() < 0.3 ? words : [])
  const number = () => String(Math.floor(random() * 5))
  const text = () => one(['x', '', 'longer text', '10', '-3.5', '1e3'])
  const makers: readonly (() => string[])[] = [
    () => ['SET', key(), text(), ...maybe('EX', '1000')],
    () => ['RPUSH', key(), number(), number(), ...maybe(text())],
    () => ['SADD', key(), number(), number()],
    () => ['ZADD', key(), number(), number(), number(), text()],
    () => ['HSET', key(), number(), text()],
    () => ['DEL', key(), key()],
    () => ['UNLINK', key()],
    () => ['TOUCH', key(), key()],
    () => ['RENAME', key(), key()],
    () => ['RENAMENX', key(), key()],
    () => ['COPY', key(), key(), ...maybe('DB', one(databases)), ...maybe('REPLACE')],
    () => ['MOVE', key(), one(databases)],
    () => ['SELECT', one(databases)],
    () => ['SWAPDB', one(databases), one(databases)],
    () => (random() < 0.1 ? ['FLUSHDB', ...maybe('ASYNC')] : ['DBSIZE']),
    () => ['KEYS', one(['*', 'a*', '[ab]', '?', 'none', '**'])],
    () => ['SCAN', '0', 'COUNT', '100', ...maybe('TYPE', one(['set', 'list', 'zset', 'nope']))],
    () => ['OBJECT', one(['ENCODING', 'REFCOUNT', 'FREQ', 'NOPE']), key()],
    () => [one(['HSCAN', 'SSCAN', 'ZSCAN']), key(), '0', ...maybe('MATCH', one(['1', '*', '?']))],
    () => sort(),
    () => sort(),
    () => ['LRANGE', key(), '0', '-1'],
  ]
  const sort = () => {
    const by = maybe('BY', one(['a*', '*', 'nosort', 'b*->1', '*->2']))
    const alpha = maybe('ALPHA')
    // Equal texts lie as the reference server's hash table has them: stored, the runs would part.
    const mayStore = by.length === 0 || alpha.length === 0
    return [
      ...[one(['SORT', 'SORT', 'SORT_RO']), key(), ...by],
      ...maybe('LIMIT', one(['0', '1', '-1']), one(['0', '1', '2', '-1', 'x'])),
      ...maybe('GET', one(['#', '*', 'a*', '*->1'])),
      ...[...alpha, ...maybe('DESC')],
      ...(mayStore && random() < 0.15 ? ['STORE', key()] : []),
    ]
  }
  return one(makers)()
}
