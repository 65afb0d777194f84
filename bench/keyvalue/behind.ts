// Question: do large things go, end and move at once? How long DEL, EXPIRE, RENAME and FLUSHDB of
// containers with a million members take to answer, and FLUSHDB of a million keys; the bar is 5 ms.
// What has to be cleaned up is cleaned up behind: the next round finds it under way.

import type { Redis } from 'ioredis'
import { type Figure, median, plain } from '../support/figure.js'
import { startSigil } from '../support/processes.js'
import { connectSigil, pipelined } from '../support/redis-client.js'

const members = 1_000_000
const perCommand = 500
/** Odd: what is renamed to and fro ends under its other name. */
const turns = 5

/** The command that puts members from `n` on into a container. */
const containers: Readonly<Record<string, (name: string, n: number) => string[]>> = {
  hash: (name, n) => ['HSET', name, ...each(n, (i) => [`field:${i}`, `value:${i}`])],
  list: (name, n) => ['RPUSH', name, ...each(n, (i) => [`element:${i}`])],
  set: (name, n) => ['SADD', name, ...each(n, (i) => [`member:${i}`])],
  zset: (name, n) => ['ZADD', name, ...each(n, (i) => [String(i), `member:${i}`])],
}

export async function keyValueBehind(): Promise<Figure[]> {
  const sigil = await startSigil({ environment: { DURABILITY: 'interval' } })
  const client = connectSigil(sigil.redisPort)
  const figures: Figure[] = []
  try {
    for (const [type, add] of Object.entries(containers)) {
      const fill = (name: string) =>
        pipelined(client, members / perCommand, (n) => add(name, n * perCommand))
      const measure = async (name: string, ...words: string[]) => {
        figures.push(plain(`${name} of a ${type} of ${members}`, await answer(client, words), 'ms'))
      }
      const often = async (name: string, words: (turn: number) => string[]) => {
        const found: number[] = []
        for (let turn = 0; turn < turns; turn++) found.push(await answer(client, words(turn)))
        figures.push(plain(`${name} of a ${type} of ${members}`, median(found), 'ms'))
        figures.push(plain(`  worst of ${turns}`, Math.max(...found), 'ms'))
      }
      await fill('a')
      await often('RENAME', (turn) => [
        'RENAME',
        turn % 2 === 0 ? 'a' : 'b',
        turn % 2 === 0 ? 'b' : 'a',
      ])
      await often('EXPIRE', (turn) => ['EXPIRE', 'b', String(1_000 + turn)])
      await measure('DEL', 'DEL', 'b')
      await fill('a')
      await measure('EXPIRE at once', 'EXPIRE', 'a', '-1')
      await fill('a')
      await measure('FLUSHDB', 'FLUSHDB')
    }
    await pipelined(client, members, (n) => ['SET', `key:${n}`, 'x'])
    figures.push(plain(`FLUSHDB of ${members} keys`, await answer(client, ['FLUSHDB']), 'ms'))
  } finally {
    client.disconnect()
    await sigil.stop()
  }
  return figures
}

function each(from: number, words: (i: number) => string[]): string[] {
  return Array.from({ length: perCommand }, (_, i) => words(from + i)).flat()
}

async function answer(client: Redis, [name = '', ...args]: readonly string[]): Promise<number> {
  // The connection has been idle: what is measured is the command, not what was sent before it.
  await client.ping()
  const started = performance.now()
  await client.call(name, ...args)
  return performance.now() - started
}
