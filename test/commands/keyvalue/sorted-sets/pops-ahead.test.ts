// What pops read ahead serves later programs: pops in programs of their own, of two clients, beside
// every kind of change that may come between them. Each is compared with a sorted array.

import t from 'tap'
import { checkStore } from '../../../../src/engine/check/check.js'
import { eachKeyValueRoom, type KeyValueRoom, type Word } from '../../../support/key-value-room.js'
import { scansOf } from '../../../support/scans-of.js'
import { seed } from '../../../support/seed.js'
import { seededRandom } from '../../../support/seeded-random.js'

interface Scored {
  readonly member: string
  readonly score: number
}

type Sets = Record<string, Scored[]>
type Random = () => number

const size = 400
/** Large from the second member on, so that sets stay large while they are emptied. */
const bounds = { members: 1, bytes: 1_000_000 }

function inOrder(entries: Scored[]): Scored[] {
  return entries.sort((a, b) => a.score - b.score || (a.member < b.member ? -1 : 1))
}

function flat(entries: readonly Scored[]): Word[] {
  return entries.flatMap(({ member, score }) => [member, score])
}

function made(random: Random, prefix: string, count = size): Scored[] {
  const entries = Array.from({ length: count }, (_, i) => {
    return { member: `${prefix}${i}`, score: Math.floor(random() * 1_000) }
  })
  return inOrder(entries)
}

function adding(name: string, entries: readonly Scored[]): Word[] {
  return ['ZADD', name, ...entries.flatMap(({ member, score }) => [score, member])]
}

/** A change, the replies of its commands, and what the sets are then. */
interface Change {
  readonly lines: readonly (readonly Word[])[]
  readonly wanted: readonly unknown[]
  readonly sets: Sets
}

type Maker = (sets: Sets, random: Random, step: number) => Change

const without = (entries: readonly Scored[], gone: Scored) =>
  entries.filter(({ member }) => member !== gone.member)

function one(name: string, entries: Scored[], line: readonly Word[], wanted: unknown): Maker {
  return (sets) => ({ lines: [line], wanted: [wanted], sets: { ...sets, [name]: entries } })
}

/** Changes of `z` that come between two pops; `y` is another large set. */
const changes: Readonly<Record<string, Maker>> = {
  'a member before all': (sets, random, step) => {
    const entry = { member: `low${step}`, score: -step }
    const z = inOrder([...(sets.z ?? []), entry])
    return one('z', z, adding('z', [entry]), 1)(sets, random, step)
  },
  'a member behind all': (sets, random, step) => {
    const entry = { member: `high${step}`, score: 1_000 + step }
    const z = inOrder([...(sets.z ?? []), entry])
    return one('z', z, adding('z', [entry]), 1)(sets, random, step)
  },
  'a member between the next ones': (sets, random, step) => {
    const [{ score } = { score: 0 }] = sets.z ?? []
    const entry = { member: `next${step}`, score: score + 0.5 }
    const z = inOrder([...(sets.z ?? []), entry])
    return one('z', z, adding('z', [entry]), 1)(sets, random, step)
  },
  'the next member removed': (sets, random, step) => {
    const { z = [] } = sets
    const [gone] = z
    if (gone === undefined || z.length < 3) return nothing(sets)
    return one('z', without(z, gone), ['ZREM', 'z', gone.member], 1)(sets, random, step)
  },
  'the next member moved': (sets, random, step) => {
    const { z = [] } = sets
    const [gone] = z
    if (gone === undefined || z.length < 3) return nothing(sets)
    const moved = inOrder([...without(z, gone), { member: gone.member, score: gone.score + 300 }])
    const wanted = gone.score + 300
    return one('z', moved, ['ZINCRBY', 'z', 300, gone.member], wanted)(sets, random, step)
  },
  'removed and put back': (sets) => {
    const [gone] = sets.z ?? []
    if (gone === undefined || (sets.z ?? []).length < 3) return nothing(sets)
    return { lines: [['ZREM', 'z', gone.member], adding('z', [gone])], wanted: [1, 1], sets }
  },
  renamed: (sets) => {
    const lines = [['RENAME', 'z', 'x'] as const, ['RENAME', 'y', 'z'] as const]
    const back = ['RENAME', 'x', 'y'] as const
    const { z = [], y = [] } = sets
    return { lines: [...lines, back], wanted: ['OK', 'OK', 'OK'], sets: { z: y, y: z } }
  },
  copied: (sets) => {
    const { y = [] } = sets
    return { lines: [['COPY', 'y', 'z', 'REPLACE']], wanted: [1], sets: { y, z: [...y] } }
  },
  'deleted and filled': (sets, random, step) => {
    const z = made(random, `d${step}.`)
    return {
      lines: [['DEL', 'z'], adding('z', z)],
      wanted: [1, z.length],
      sets: { ...sets, z },
    }
  },
  'databases swapped twice': (sets) => {
    const swap = ['SWAPDB', '0', '1'] as const
    return { lines: [swap, swap], wanted: ['OK', 'OK'], sets }
  },
  'a transaction': (sets, _random, step) => {
    const entry = { member: `exec${step}`, score: 0 }
    const all = inOrder([...(sets.z ?? []), entry])
    const [first] = all as [Scored]
    return {
      lines: [['MULTI'], adding('z', [entry]), ['ZPOPMIN', 'z'], ['EXEC']],
      wanted: ['OK', 'QUEUED', 'QUEUED', [1, flat([first])]],
      sets: { ...sets, z: all.slice(1) },
    }
  },
  // The large value is staged: the program that popped is undone, and its commands run singly.
  'a program that is undone': (sets) => {
    const { z = [] } = sets
    if (z.length < 4) return nothing(sets)
    const large = 'x'.repeat(300_000)
    return {
      lines: [
        ['ZPOPMIN', 'z'],
        ['SET', 'large', large],
        ['ZPOPMIN', 'z'],
      ],
      wanted: [flat(z.slice(0, 1)), 'OK', flat(z.slice(1, 2))],
      sets: { ...sets, z: z.slice(2) },
    }
  },
}

function nothing(sets: Sets): Change {
  return { lines: [['PING']], wanted: ['PONG'], sets }
}

/** One to five pops, waited for one by one or sent at once. */
function pops(sets: Sets, random: Random): Change & { readonly isPipeline: boolean } {
  const z = [...(sets.z ?? [])]
  const lines: Word[][] = []
  const wanted: unknown[] = []
  const isLow = random() < 0.75
  for (let left = 1 + Math.floor(random() * 5); left > 0 && z.length > 3; left--) {
    const isBlocking = random() < 0.3
    const count = isBlocking || random() < 0.8 ? 1 : 2
    const taken = isLow ? z.splice(0, count) : z.splice(-count).reverse()
    const end = isLow ? 'MIN' : 'MAX'
    if (isBlocking) lines.push([`BZPOP${end}`, 'z', 1])
    else lines.push(count === 1 ? [`ZPOP${end}`, 'z'] : [`ZPOP${end}`, 'z', count])
    wanted.push(isBlocking ? ['z', ...flat(taken)] : flat(taken))
  }
  return { lines, wanted, sets: { ...sets, z }, isPipeline: random() < 0.5 }
}

async function filled(room: KeyValueRoom, random: Random): Promise<Sets> {
  const sets: Sets = { z: made(random, 'm'), y: made(random, 'y') }
  for (const [name, entries] of Object.entries(sets)) await room.run(...adding(name, entries))
  return sets
}

t.test('pops of many programs take what a sorted array has, whatever comes between', (t) =>
  eachKeyValueRoom(
    t,
    `seed ${seed}`,
    async (t, room) => {
      const random = seededRandom(seed)
      let sets = await filled(room, random)
      const clients = [room, room.client()]
      const names = Object.keys(changes)
      for (let step = 0; step < 150; step++) {
        const client = clients[Math.floor(random() * 2)] as KeyValueRoom
        // Each change comes at least once, and most pops meet none.
        const isDue = step % 4 === 3
        const name = names[isDue ? ((step / 4) | 0) % names.length : -1]
        const maker = name === undefined ? undefined : changes[name]
        const made = maker === undefined ? pops(sets, random) : maker(sets, random, step)
        const inTurn: unknown[] = []
        if ('isPipeline' in made && !made.isPipeline) {
          for (const line of made.lines) inTurn.push(await client.run(...line))
        } else inTurn.push(...(await Promise.all(made.lines.map((line) => client.run(...line)))))
        t.same(inTurn, made.wanted, `step ${step}: ${name ?? 'pops'}`)
        sets = made.sets
      }
      for (const [name, entries] of Object.entries(sets)) {
        t.same(await room.run('ZRANGE', name, 0, -1, 'WITHSCORES'), flat(entries), name)
        t.equal(await room.run('ZCARD', name), entries.length)
      }
      t.same(await checkStore(room.store), [])
    },
    { bounds },
  ),
)

t.test('two clients that pop at once share the members', (t) =>
  eachKeyValueRoom(t, 'two clients', async (t, room) => {
    const { z = [] } = await filled(room, seededRandom(seed))
    const clients = [room, room.client()]
    const popped: unknown[] = []
    const popAll = async (client: (typeof clients)[number]) => {
      for (let i = 0; i < size / 2 - 20; i++) popped.push(await client.line('ZPOPMIN z'))
    }
    await Promise.all(clients.map(popAll))
    const taken = popped.map((pair) => (pair as [string, number])[0])
    const wanted = z.slice(0, size - 40).map(({ member }) => member)
    t.same([...taken].sort(), [...wanted].sort())
    t.same(
      await room.line('ZRANGE z 0 -1'),
      z.slice(size - 40).map(({ member }) => member),
    )
  }),
)

t.test('an expired set gives nothing, and neither does a flushed database', (t) =>
  eachKeyValueRoom(t, 'gone', async (t, room) => {
    const { z = [] } = await filled(room, seededRandom(seed))
    const next = () => room.line('ZPOPMIN z')
    for (const entry of z.slice(0, 20)) t.same(await next(), flat([entry]))
    t.equal(await room.line('PEXPIRE z 1000'), 1)
    t.same(await next(), flat(z.slice(20, 21)), 'the expiry is a change of the record')
    room.clock.ms += 1_001
    t.same(await next(), [])
    await room.run(...adding('z', z))
    for (const entry of z.slice(0, 20)) t.same(await next(), flat([entry]))
    t.equal(await room.line('FLUSHDB'), 'OK')
    t.same(await next(), [])
  }),
)

t.test('a hundred pops in a row, each a program, read few times', (t) =>
  eachKeyValueRoom(
    t,
    'reads',
    async (t, room) => {
      const { z = [] } = await filled(room, seededRandom(seed))
      const scans = scansOf(room.store)
      // A store that gateways share runs a program once to learn what it reads.
      const times = room.store.gateways === undefined ? 1 : 2
      for (const entry of z.slice(0, 100)) t.same(await room.line('ZPOPMIN z'), flat([entry]))
      t.ok(scans() <= 10 * times, `${scans()} scans`)
      for (const entry of z.slice(100, 200)) {
        t.same(await room.line('BZPOPMIN z 1'), ['z', ...flat([entry])])
      }
      t.ok(scans() <= 12 * times, `${scans()} scans`)
    },
    { kinds: ['memory', 'lmdb'] },
  ),
)
