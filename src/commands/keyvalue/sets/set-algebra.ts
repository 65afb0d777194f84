// Intersections, unions and differences of sets: returned, counted, or stored as another set. All
// sources are read before anything is written.

import type { Slice } from '../../../base/bytes/slice.js'
import { GrowingMap } from '../../../base/heap/growing-map.js'
import { scanEntriesMax } from '../../../base/limits/engine.js'
import { refuse, syntaxError } from '../../../base/reply-error.js'
import { wordUnits } from '../../../base/work/work-figures.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import { type Reply, set } from '../../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import type { KnownSource } from '../../../engine/collection/staging.js'
import { putMade } from '../../../engine/keyspace/containers/building.js'
import { eachInTurns, mapInTurns } from '../../../engine/keyspace/containers/in-turns.js'
import type { MembersPage } from '../../../engine/keyspace/containers/members.js'
import type { Keyspace } from '../../../engine/keyspace/keyspace.js'
import { type MemberSet, openSet, setOf } from '../../../engine/keyspace/sets/set.js'
import { Presence } from '../../../engine/keyspace/sets/set-presence.js'
import { parseInt64 } from '../../../engine/keyspace/strings/numbers.js'
import type { Program } from '../../../store/store.js'
import { sourceOf } from '../keys/source-of.js'
import { keysFrom } from '../lists/list-moves.js'

type Operation = (ks: Keyspace, sets: readonly MemberSet[]) => Program<Slice[]>

/** Whether one member is in the result. */
type Membership = (sets: readonly MemberSet[], member: Slice) => Program<boolean>

/** Throws WRONGTYPE if any of the keys is not a set, even if the result is already known. */
function* readSets(ks: Keyspace, names: readonly Slice[]): Program<MemberSet[]> {
  const keys = yield* ks.keys(names, 'members')
  return yield* mapInTurns(ks.tx, keys, (key) => setOf(ks, key))
}

/** Members of a set that all other sets have, or that none of them has; at most `most`. */
function* filter(
  ks: Keyspace,
  from: MemberSet,
  others: readonly MemberSet[],
  areIn: boolean,
  most = Number.POSITIVE_INFINITY,
): Program<Slice[]> {
  const presences = others.map((other) => new Presence(other, from.size, from.isLarge))
  const found: Slice[] = []
  let page: MembersPage<Slice> | undefined
  do {
    page = yield* from.page(page?.members.at(-1), scanEntriesMax)
    const { members } = page
    for (const presence of presences) presence.expect(members)
    for (const member of members) {
      let keeps = true
      for (let i = 0; keeps && i < presences.length; i++) {
        const presence = presences[i] as Presence
        keeps = (presence.hasNow(member) ?? (yield* presence.has(member))) === areIn
      }
      if (!keeps) continue
      found.push(member)
      if (found.length >= most) return found
      ks.work.gather(member.length)
    }
    yield* ks.tx.pause(members.length * wordUnits)
  } while (!page.isOver)
  return found
}

function* intersection(ks: Keyspace, sets: readonly MemberSet[], most?: number): Program<Slice[]> {
  const [smallest, ...others] = [...sets].sort((a, b) => a.size - b.size)
  if (smallest === undefined || smallest.size === 0) return []
  return yield* filter(ks, smallest, others, true, most)
}

/** Up to this many large sets are compared pairwise, which needs no table. */
const comparedMax = 3

function* isInEach(sets: readonly MemberSet[], member: Slice): Program<boolean> {
  for (const each of sets) if (!(yield* each.has(member))) return false
  return true
}

function* union(ks: Keyspace, sets: readonly MemberSet[]): Program<Slice[]> {
  const [first] = sets
  if (first !== undefined && sets.length <= comparedMax && sets.every(({ isLarge }) => isLarge)) {
    const found = yield* first.all()
    for (let i = 1; i < sets.length; i++) {
      const more = yield* filter(ks, sets[i] as MemberSet, sets.slice(0, i), false)
      yield* eachInTurns(ks.tx, more, (member) => found.push(member))
    }
    return found
  }
  const found: Slice[] = []
  const seen = new GrowingMap<true>()
  for (const each of sets) {
    yield* eachInTurns(ks.tx, yield* each.all(), (member) => {
      if (seen.set(member.mapKey(), true)) found.push(member)
    })
  }
  return found
}

function* isInAny(sets: readonly MemberSet[], member: Slice): Program<boolean> {
  for (const each of sets) if (yield* each.has(member)) return true
  return false
}

function* difference(ks: Keyspace, sets: readonly MemberSet[]): Program<Slice[]> {
  const [first, ...others] = sets
  if (first === undefined) return []
  return yield* filter(ks, first, others, false)
}

function* isInFirst([first, ...others]: readonly MemberSet[], member: Slice): Program<boolean> {
  if (first === undefined || !(yield* first.has(member))) return false
  return !(yield* isInAny(others, member))
}

const operations = {
  inter: {
    run: (ks, sets) => intersection(ks, sets),
    has: isInEach,
    text: 'members that all sets have',
  },
  union: { run: union, has: isInAny, text: 'members of all sets together' },
  diff: { run: difference, has: isInFirst, text: 'members that only the first set has' },
} as const satisfies Record<string, { run: Operation; has: Membership; text: string }>

type OperationName = keyof typeof operations

function answerRow(name: OperationName): KeyValueRow {
  const { run, text } = operations[name]
  return {
    name: `s${name}`,
    grows: 'nothing',
    arity: -2,
    flags: ['readonly'],
    categories: ['set'],
    keys: [1, -1, 1],
    tips: ['nondeterministic_output_order'],
    summary: `Returns the ${text}.`,
    since: '1.0.0',
    group: 'set',
    complexity: 'O(N) with N members of all sets',
    syntax: 'key [key ...]',
    grain: 'read',
    *run(ks, call) {
      return set(yield* run(ks, yield* readSets(ks, call.argsFrom(1))))
    },
  }
}

/** Stores members under a name and replaces its old value; without members the key is deleted. */
function* store(
  ks: Keyspace,
  name: Slice,
  members: readonly Slice[],
  event: string,
  source: KnownSource | undefined,
): Program<Reply> {
  const existed = yield* ks.remove(yield* ks.keyAround(name))
  if (members.length === 0) {
    if (existed) ks.notify('g', 'del', name)
    return 0
  }
  const into = yield* openSet(ks, name)
  into.fill(members, source)
  yield* into.save()
  ks.notify('s', event, name)
  return members.length
}

/** Makes these members of a stored result again; returns its size. */
function* remake(
  ks: Keyspace,
  name: Slice,
  members: readonly Slice[],
  has: (member: Slice) => Program<boolean>,
): Program<number> {
  const into = yield* openSet(ks, name)
  for (const member of members) {
    if (yield* has(member)) yield* into.add(member)
    else yield* into.remove(member)
  }
  yield* into.save()
  return into.size
}

function storeRow(name: OperationName): KeyValueRow {
  const { run, has, text } = operations[name]
  return {
    name: `s${name}store`,
    uses: `${name === 'inter' ? 'RW' : 'OW'} update 1; RO access 2..-1`,
    grows: 'keys',
    arity: -3,
    flags: ['write', 'denyoom'],
    categories: ['set'],
    keys: [1, -1, 1],
    privileges: ['read', 'write'],
    summary: `Stores the ${text} as another set; returns their number.`,
    since: '1.0.0',
    group: 'set',
    complexity: 'O(N) with N members of all sets',
    syntax: 'destination key [key ...]',
    grain: 'write',
    *run(ks, call) {
      const sets = yield* readSets(ks, call.argsFrom(2))
      const name = call.arg(1)
      const keys = sets.map(({ key }) => key)
      const source = yield* sourceOf(ks, call, keys, '')
      const target = yield* ks.key(name)
      const existed = target.exists
      const made = yield* putMade(ks, target, 'set', source)
      if (made === undefined) return yield* store(ks, name, yield* run(ks, sets), call.name, source)
      const { changed } = made
      const hasMember = (member: Slice) => has(sets, member)
      const count = changed.length === 0 ? made.count : yield* remake(ks, name, changed, hasMember)
      if (count > 0) ks.notify('s', call.name, name)
      else if (existed) ks.notify('g', 'del', name)
      return count
    },
  }
}

interface Counted {
  readonly names: readonly Slice[]
  /** 0 means no limit. */
  readonly limit: number
}

function readCounted(call: KeyValueCall): Counted {
  const keys = Number(call.args.read(1, parseInt64) ?? 0)
  if (keys <= 0) throw refuse('ERR numkeys should be greater than 0')
  if (keys > call.count - 2) throw refuse("ERR Number of keys can't be greater than number of args")
  let limit = 0
  for (let i = 2 + keys; i < call.count; i += 2) {
    if (!call.is(i, 'limit') || i + 1 === call.count) throw syntaxError()
    limit = Number(call.args.read(i + 1, parseInt64) ?? -1)
    if (limit < 0) throw refuse("ERR LIMIT can't be negative")
  }
  return { names: call.argsFrom(2).slice(0, keys), limit }
}

const sintercard: KeyValueRow = {
  name: 'sintercard',
  uses: 'RO access #1',
  grows: 'nothing',
  arity: -3,
  flags: ['readonly'],
  categories: ['set'],
  movableKeys: (args) => keysFrom(args, 1),
  summary: 'Returns how many members all sets have.',
  since: '7.0.0',
  group: 'set',
  complexity: 'O(N*M) with N members of the smallest of M sets',
  syntax: 'numkeys key [key ...] [LIMIT limit]',
  grain: 'read',
  *run(ks, call) {
    const { names, limit } = readCounted(call)
    const sets = yield* readSets(ks, names)
    return (yield* intersection(ks, sets, limit === 0 ? undefined : limit)).length
  },
}

export const setAlgebraRows: readonly KeyValueRow[] = [
  answerRow('inter'),
  answerRow('union'),
  answerRow('diff'),
  storeRow('inter'),
  storeRow('union'),
  storeRow('diff'),
  sintercard,
]
