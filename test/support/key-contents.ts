// One key of each type, with a member too long for its key and values that lie in chunks, and what
// all of them hold: for tests that carry keys elsewhere.

import type { KeyValueRoom } from './key-value-room.js'

const long = 'x'.repeat(300_000)

/** One key of each type, with a member too long for its key and a value that lies in chunks. */
export async function fillTypes(room: KeyValueRoom): Promise<void> {
  await room.run('SET', 'string', 'text')
  await room.run('RPUSH', 'list', 'a', 'b', long, 'c')
  await room.run('LPOP', 'list')
  await room.run('SADD', 'set', '1', '2', 'y'.repeat(2_000))
  await room.run('ZADD', 'zset', '1', 'a', '2', 'b', '2', 'z'.repeat(2_000))
  await room.run('HSET', 'hash', 'f', 'v', 'big', long)
}

export const typeViews: readonly (readonly [string, ...string[]])[] = [
  ['string', 'GET'],
  ['list', 'LRANGE', '0', '-1'],
  ['set', 'SMEMBERS'],
  ['zset', 'ZRANGE', '0', '-1', 'WITHSCORES'],
  ['hash', 'HGETALL'],
]

/** What each of them holds, under a name made of its own. */
export async function contentsOfTypes(
  room: KeyValueRoom,
  name: (type: string) => string,
): Promise<unknown[]> {
  const found: unknown[] = []
  for (const [type, command = '', ...rest] of typeViews) {
    const reply = await room.run(command, name(type), ...rest)
    found.push(type === 'set' ? [...(reply as string[])].sort() : reply)
  }
  return found
}
