// Sets: unordered members under one key. Commands over several sets are in set-algebra.ts. The
// storage of small and large sets is in engine/keyspace.

import type { Slice } from '../../../base/bytes/slice.js'
import { mustBePositive, syntaxError } from '../../../base/reply-error.js'
import { wordUnits } from '../../../base/work/work-figures.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import { emptyArray, type Reply, set } from '../../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import type { Key } from '../../../engine/keyspace/keys/key.js'
import type { Keyspace } from '../../../engine/keyspace/keyspace.js'
import { findOpenSet, type MemberSet, openSet, setOf } from '../../../engine/keyspace/sets/set.js'
import { parseInt64 } from '../../../engine/keyspace/strings/numbers.js'
import { Done } from '../../../store/steps.js'
import type { Program, Step } from '../../../store/store.js'
import { pickedOf, pickNumbers, picksFromAll, readPickCount } from './random-picks.js'

const shared = { categories: ['set'], keys: [1, 1, 1], group: 'set' } as const

/** Saves a set after a removal, and notifies: the event, and `del` if the set is now empty. */
function* saveTaken(ks: Keyspace, taken: MemberSet, event: string): Program<void> {
  const { name } = taken.key
  yield* taken.save()
  ks.notify('s', event, name)
  if (taken.size === 0) ks.notify('g', 'del', name)
}

/** One member of a set that an earlier command of the program left open; else undefined. */
function addOne(ks: Keyspace, call: KeyValueCall): Step<Reply> | undefined {
  const name = call.arg(1)
  const isNew = findOpenSet(ks, name)?.addNow(call.arg(2))
  if (isNew === undefined) return undefined
  if (isNew) ks.notify('s', 'sadd', name)
  return new Done<Reply>(isNew ? 1 : 0)
}

/** The members that a command names one after the other. */
const membersOf =
  (call: KeyValueCall) =>
  (index: number): Slice =>
    call.arg(2 + index)

function* addAll(ks: Keyspace, call: KeyValueCall): Program<Reply> {
  const into = yield* openSet(ks, call.arg(1))
  const ahead = call.count > 3 ? into.ahead(call.count - 2, membersOf(call)) : undefined
  let added = 0
  for (let i = 2; i < call.count; i++) {
    yield* ks.tx.pause(wordUnits)
    if (ahead !== undefined) yield* ahead.before(i - 2)
    if (yield* into.add(call.arg(i))) added++
  }
  if (added === 0) {
    into.keepOpen()
    return 0
  }
  yield* into.save()
  ks.notify('s', 'sadd', call.arg(1))
  return added
}

const sadd: KeyValueRow = {
  ...shared,
  name: 'sadd',
  uses: 'RW insert',
  grows: 'keys',
  arity: -3,
  flags: ['write', 'denyoom', 'fast'],
  summary: 'Adds members to a set; returns how many are new.',
  since: '1.0.0',
  complexity: 'O(1) for each member',
  syntax: 'key member [member ...]',
  grain: 'write',
  run: (ks, call) => (call.count === 3 ? addOne(ks, call) : undefined) ?? addAll(ks, call),
}

const srem: KeyValueRow = {
  ...shared,
  name: 'srem',
  uses: 'RW delete',
  grows: 'nothing',
  arity: -3,
  flags: ['write', 'fast'],
  summary: 'Removes members from a set; returns how many existed.',
  since: '1.0.0',
  complexity: 'O(1) for each member',
  syntax: 'key member [member ...]',
  grain: 'write',
  *run(ks, call) {
    const from = yield* openSet(ks, call.arg(1))
    const ahead = call.count > 3 ? from.removalsAhead(call.count - 2, membersOf(call)) : undefined
    let removed = 0
    for (let i = 2; i < call.count; i++) {
      yield* ks.tx.pause(wordUnits)
      if (ahead !== undefined) yield* ahead.before(i - 2)
      if (yield* from.remove(call.arg(i))) removed++
    }
    if (removed > 0) yield* saveTaken(ks, from, 'srem')
    return removed
  },
}

const scard: KeyValueRow = {
  ...shared,
  name: 'scard',
  uses: 'RO',
  grows: 'nothing',
  arity: 2,
  flags: ['readonly', 'fast'],
  summary: 'Returns how many members a set has.',
  since: '1.0.0',
  complexity: 'O(1)',
  syntax: 'key',
  grain: 'read',
  *run(ks, call) {
    return (yield* openSet(ks, call.arg(1))).size
  },
}

const sismember: KeyValueRow = {
  ...shared,
  name: 'sismember',
  uses: 'RO',
  grows: 'nothing',
  arity: 3,
  flags: ['readonly', 'fast'],
  summary: 'Returns whether a value is a member of a set.',
  since: '1.0.0',
  complexity: 'O(1)',
  syntax: 'key member',
  grain: 'read',
  *run(ks, call) {
    const asked = yield* openSet(ks, call.arg(1))
    return (yield* asked.has(call.arg(2))) ? 1 : 0
  },
}

const smismember: KeyValueRow = {
  ...shared,
  name: 'smismember',
  grows: 'nothing',
  arity: -3,
  flags: ['readonly', 'fast'],
  summary: 'Returns which of several values are members of a set.',
  since: '6.2.0',
  complexity: 'O(1) for each member',
  syntax: 'key member [member ...]',
  grain: 'read',
  *run(ks, call) {
    const asked = yield* openSet(ks, call.arg(1))
    const found: number[] = []
    const ahead = call.count > 3 ? asked.ahead(call.count - 2, membersOf(call)) : undefined
    for (let i = 2; i < call.count; i++) {
      if (ahead !== undefined) yield* ahead.before(i - 2)
      found.push((yield* asked.has(call.arg(i))) ? 1 : 0)
    }
    return found
  },
}

const smembers: KeyValueRow = {
  ...shared,
  name: 'smembers',
  grows: 'nothing',
  arity: 2,
  flags: ['readonly'],
  tips: ['nondeterministic_output_order'],
  summary: 'Returns all members of a set.',
  since: '1.0.0',
  complexity: 'O(N)',
  syntax: 'key',
  grain: 'read',
  *run(ks, call) {
    const asked = yield* openSet(ks, call.arg(1))
    return set(yield* asked.all())
  },
}

/** Removes random members one by one, until there are enough or none is left. */
function* takeSome(
  { tx }: Keyspace,
  call: KeyValueCall,
  from: MemberSet,
  count: number,
): Program<Slice[]> {
  if (count >= from.size) {
    const all = yield* from.all()
    from.clear()
    return all
  }
  const taken: Slice[] = []
  while (taken.length < count) {
    const member = yield* from.at(call.random(from.size))
    if (member === undefined) break
    yield* from.remove(member)
    taken.push(member)
    yield* tx.pause(wordUnits)
  }
  return taken
}

function* pop(ks: Keyspace, call: KeyValueCall): Program<Reply> {
  if (call.count > 3) throw syntaxError()
  const hasCount = call.count === 3
  const count = hasCount ? Number(call.args.read(2, parseInt64) ?? -1) : 1
  if (count < 0) throw mustBePositive()
  const from = yield* openSet(ks, call.arg(1))
  if (from.size === 0 || count === 0) return hasCount ? set([]) : null
  const taken = yield* takeSome(ks, call, from, count)
  yield* saveTaken(ks, from, 'spop')
  return hasCount ? set(taken) : (taken[0] ?? null)
}

const spop: KeyValueRow = {
  ...shared,
  name: 'spop',
  uses: 'RW access delete',
  grows: 'nothing',
  arity: -2,
  flags: ['write', 'fast'],
  tips: ['nondeterministic_output'],
  privileges: ['read', 'write'],
  summary: 'Removes random members of a set and returns them.',
  since: '1.0.0',
  complexity: 'O(1) for each member',
  syntax: 'key [count]',
  grain: 'write',
  run: (ks, call) => pop(ks, call),
}

const srandmember: KeyValueRow = {
  ...shared,
  name: 'srandmember',
  grows: 'nothing',
  arity: -2,
  flags: ['readonly'],
  tips: ['nondeterministic_output'],
  summary: 'Returns random members of a set; a negative count allows repetitions.',
  since: '1.0.0',
  complexity: 'O(1) for each member',
  syntax: 'key [count]',
  grain: 'read',
  *run(ks, call) {
    if (call.count > 3) throw syntaxError()
    const hasCount = call.count === 3
    const count = hasCount ? readPickCount(call, 2) : 1
    const from = yield* openSet(ks, call.arg(1))
    if (from.size === 0 || count === 0) return hasCount ? emptyArray : null
    if (count >= from.size && hasCount) return yield* from.all()
    const numbers = yield* pickNumbers(ks.tx, call, from.size, count)
    if (picksFromAll(numbers.length, from.size)) {
      const all = yield* from.all()
      const some = yield* pickedOf(ks.tx, call, all, numbers, ({ length }) => length)
      return hasCount ? some : (some[0] ?? null)
    }
    const picked: Slice[] = []
    const ahead = from.numbersAhead(numbers)
    for (const [i, number] of numbers.entries()) {
      if (ahead !== undefined) yield* ahead.before(i)
      const member = yield* from.at(number)
      if (member !== undefined) picked.push(member)
    }
    return hasCount ? picked : (picked[0] ?? null)
  },
}

const smove: KeyValueRow = {
  ...shared,
  name: 'smove',
  uses: 'RW access delete 1; RW insert 2',
  grows: 'keys',
  arity: 4,
  flags: ['write', 'fast'],
  keys: [1, 2, 1],
  summary: 'Moves a member from a set to another.',
  since: '1.0.0',
  complexity: 'O(1)',
  syntax: 'source destination member',
  grain: 'write',
  *run(ks, call) {
    const [source, target] = (yield* ks.keys([call.arg(1), call.arg(2)], 'members')) as [Key, Key]
    if (!source.exists) return 0
    const from = setOf(ks, source)
    const to = setOf(ks, target)
    const member = call.arg(3)
    if (source.name.equals(target.name)) return (yield* from.has(member)) ? 1 : 0
    if (!(yield* from.remove(member))) return 0
    yield* saveTaken(ks, from, 'srem')
    if (yield* to.add(member)) {
      yield* to.save()
      ks.notify('s', 'sadd', target.name)
    }
    return 1
  },
}

export const setRows: readonly KeyValueRow[] = [
  ...[sadd, srem, scard, sismember, smismember, smembers, spop, srandmember, smove],
]
