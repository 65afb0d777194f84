// Lists: ordered elements under one key. Both ends support push and pop. The storage of small and
// large lists is in engine/keyspace.

import {
  indexOutOfRange,
  mustBePositive,
  noSuchKey,
  syntaxError,
  wrongArity,
} from '../../../base/reply-error.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import { emptyArray, nullArray, ok, type Reply } from '../../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import type { Keyspace } from '../../../engine/keyspace/keyspace.js'
import { findOpenList, type List, listOf, openList } from '../../../engine/keyspace/lists/list.js'
import type { End } from '../../../engine/keyspace/lists/list-leftovers.js'
import { parseInt64 } from '../../../engine/keyspace/strings/numbers.js'
import { Done } from '../../../store/steps.js'
import type { Program, Step } from '../../../store/store.js'

const shared = { categories: ['list'], keys: [1, 1, 1], group: 'list' } as const

const ends: Readonly<Record<End, { readonly letter: string; readonly text: string }>> = {
  front: { letter: 'l', text: 'first' },
  back: { letter: 'r', text: 'last' },
}

/** Saves a list after a pop, and notifies: `lpop`, and `del` if the list is now empty. */
export function* saveTaken(ks: Keyspace, list: List, event: string): Program<void> {
  const { name } = list.key
  yield* list.save()
  ks.notify('l', event, name)
  if (list.size === 0) ks.notify('g', 'del', name)
}

export function popEvent(end: End): string {
  return `${ends[end].letter}pop`
}

export function pushEvent(end: End): string {
  return `${ends[end].letter}push`
}

function push(ks: Keyspace, call: KeyValueCall, end: End, mustExist: boolean): Step<Reply> {
  const list = findOpenList(ks, call.arg(1))
  if (list?.pushNow(end, call.argsFrom(2)) !== true) return pushLater(ks, call, end, mustExist)
  ks.notify('l', pushEvent(end), call.arg(1))
  return new Done<Reply>(list.size)
}

function* pushLater(
  ks: Keyspace,
  call: KeyValueCall,
  end: End,
  mustExist: boolean,
): Program<Reply> {
  const list = yield* openList(ks, call.arg(1))
  if (mustExist && list.size === 0) return 0
  yield* list.push(end, call.argsFrom(2))
  yield* list.save()
  ks.notify('l', pushEvent(end), call.arg(1))
  return list.size
}

function pushRow(end: End): KeyValueRow {
  return {
    ...shared,
    name: pushEvent(end),
    uses: 'RW insert',
    grows: 'keys',
    arity: -3,
    flags: ['write', 'denyoom', 'fast'],
    summary: `${end === 'front' ? 'Prepends' : 'Appends'} elements to a list.`,
    since: '1.0.0',
    complexity: 'O(1) for each element',
    syntax: 'key element [element ...]',
    grain: 'write',
    run: (ks, call) => push(ks, call, end, false),
  }
}

function pushExistingRow(end: End): KeyValueRow {
  return {
    ...shared,
    name: `${pushEvent(end)}x`,
    uses: 'RW insert',
    grows: 'keys',
    arity: -3,
    flags: ['write', 'denyoom', 'fast'],
    summary: `Like ${pushEvent(end).toUpperCase()}, if the list exists.`,
    since: '2.2.0',
    complexity: 'O(1) for each element',
    syntax: 'key element [element ...]',
    grain: 'write',
    run: (ks, call) => push(ks, call, end, true),
  }
}

/** Parses a count of elements to pop; Redis has one error text for all invalid ones. */
function popCount(call: KeyValueCall, index: number): number {
  const count = Number(call.args.read(index, parseInt64) ?? -1)
  if (count < 0) throw mustBePositive()
  return count
}

function* pop(ks: Keyspace, call: KeyValueCall, end: End): Program<Reply> {
  if (call.count > 3) throw wrongArity(call.name)
  const count = call.count === 3 ? popCount(call, 2) : undefined
  const key = yield* ks.key(call.arg(1))
  if (!key.exists) return count === undefined ? null : nullArray
  const list = listOf(ks, key)
  if (count === 0) return emptyArray
  const taken = yield* list.pop(end, count ?? 1)
  yield* saveTaken(ks, list, popEvent(end))
  return count === undefined ? (taken[0] ?? null) : taken
}

function popRow(end: End): KeyValueRow {
  return {
    ...shared,
    name: popEvent(end),
    uses: 'RW access delete',
    grows: 'nothing',
    arity: -2,
    flags: ['write', 'fast'],
    privileges: ['read', 'write'],
    summary: `Removes the ${ends[end].text} elements of a list and returns them.`,
    since: '1.0.0',
    complexity: 'O(1) for each element',
    syntax: 'key [count]',
    grain: 'write',
    run: (ks, call) => pop(ks, call, end),
  }
}

const llen: KeyValueRow = {
  ...shared,
  name: 'llen',
  uses: 'RO',
  grows: 'nothing',
  arity: 2,
  flags: ['readonly', 'fast'],
  summary: 'Returns how many elements a list has.',
  since: '1.0.0',
  complexity: 'O(1)',
  syntax: 'key',
  grain: 'read',
  *run(ks, call) {
    return (yield* openList(ks, call.arg(1))).size
  },
}

interface Range {
  readonly from: number
  readonly to: number
}

/** A range whose indexes may count from the end or lie outside; undefined if it is empty. */
function rangeWithin(start: number, stop: number, size: number): Range | undefined {
  const from = Math.max(0, start < 0 ? size + start : start)
  const to = Math.min(size - 1, stop < 0 ? size + stop : stop)
  return from <= to ? { from, to } : undefined
}

const lrange: KeyValueRow = {
  ...shared,
  name: 'lrange',
  grows: 'nothing',
  arity: 4,
  flags: ['readonly'],
  summary: 'Returns the elements between two indexes of a list.',
  since: '1.0.0',
  complexity: 'O(log(N)+M) with M elements answered',
  syntax: 'key start stop',
  grain: 'read',
  *run(ks, call) {
    const start = call.integer(2)
    const stop = call.integer(3)
    const list = yield* openList(ks, call.arg(1))
    const range = rangeWithin(start, stop, list.size)
    return range === undefined ? emptyArray : yield* list.range(range.from, range.to)
  },
}

/** An index that may count from the end; it may lie outside of the list. */
function indexWithin(call: KeyValueCall, at: number, { size }: List): number {
  const index = call.integer(at)
  return index < 0 ? size + index : index
}

const lindex: KeyValueRow = {
  ...shared,
  name: 'lindex',
  grows: 'nothing',
  arity: 3,
  flags: ['readonly'],
  summary: 'Returns the element of a list at an index.',
  since: '1.0.0',
  complexity: 'O(log(N))',
  syntax: 'key index',
  grain: 'read',
  *run(ks, call) {
    const key = yield* ks.key(call.arg(1))
    // Redis checks the index only if there is a list.
    if (!key.exists) return null
    const list = listOf(ks, key)
    return (yield* list.at(indexWithin(call, 2, list))) ?? null
  },
}

const lset: KeyValueRow = {
  ...shared,
  name: 'lset',
  grows: 'keys',
  arity: 4,
  flags: ['write', 'denyoom'],
  summary: 'Sets the element at an index of a list.',
  since: '1.0.0',
  complexity: 'O(log(N))',
  syntax: 'key index element',
  grain: 'write',
  *run(ks, call) {
    const key = yield* ks.key(call.arg(1))
    if (!key.exists) throw noSuchKey()
    const list = listOf(ks, key)
    const index = indexWithin(call, 2, list)
    if (index < 0 || index >= list.size) throw indexOutOfRange()
    yield* list.set(index, call.arg(3))
    yield* list.save()
    ks.notify('l', 'lset', call.arg(1))
    return ok
  },
}

const linsert: KeyValueRow = {
  ...shared,
  name: 'linsert',
  uses: 'RW insert',
  grows: 'keys',
  arity: 5,
  flags: ['write', 'denyoom'],
  // The reply reveals whether the pivot exists.
  privileges: ['read', 'write'],
  summary: 'Inserts an element before or after the first one that equals a pivot.',
  since: '2.2.0',
  complexity: 'O(N) with N elements to the pivot',
  syntax: 'key <BEFORE | AFTER> pivot element',
  grain: 'write',
  *run(ks, call) {
    const isAfter = call.is(2, 'after')
    if (!isAfter && !call.is(2, 'before')) throw syntaxError()
    const list = yield* openList(ks, call.arg(1))
    if (list.size === 0) return 0
    const [pivot] = yield* list.find({ value: call.arg(3), most: 1 })
    if (pivot === undefined) return -1
    // With AFTER, the next element for the same pivot goes between the pivot and this one.
    if (isAfter) yield* list.insert(pivot + 1, call.arg(4), 'right')
    else yield* list.insert(pivot, call.arg(4), 'left')
    yield* list.save()
    ks.notify('l', 'linsert', call.arg(1))
    return list.size
  },
}

const lrem: KeyValueRow = {
  ...shared,
  name: 'lrem',
  uses: 'RW delete',
  grows: 'nothing',
  arity: 4,
  flags: ['write'],
  // The number of removed elements reveals the content.
  privileges: ['read', 'write'],
  summary: 'Removes elements equal to a value from a list; returns how many.',
  since: '1.0.0',
  complexity: 'O(N)',
  syntax: 'key count element',
  grain: 'write',
  *run(ks, call) {
    const count = call.integer(2)
    const list = yield* openList(ks, call.arg(1))
    const most = count === 0 ? Number.POSITIVE_INFINITY : Math.abs(count)
    const found = yield* list.find({ value: call.arg(3), fromBack: count < 0, most })
    if (found.length === 0) return 0
    yield* list.removeAt(count < 0 ? found.reverse() : found)
    yield* saveTaken(ks, list, 'lrem')
    return found.length
  },
}

const ltrim: KeyValueRow = {
  ...shared,
  name: 'ltrim',
  uses: 'RW delete',
  grows: 'nothing',
  arity: 4,
  flags: ['write'],
  summary: 'Trims a list to the elements between two indexes.',
  since: '1.0.0',
  complexity: 'O(N) with N elements removed, most of them behind',
  syntax: 'key start stop',
  grain: 'write',
  *run(ks, call) {
    const start = call.integer(2)
    const stop = call.integer(3)
    const list = yield* openList(ks, call.arg(1))
    if (list.size === 0) return ok
    const range = rangeWithin(start, stop, list.size)
    yield* list.trim(range?.from ?? 0, range?.to ?? -1)
    yield* saveTaken(ks, list, 'ltrim')
    return ok
  },
}

export const listRows: readonly KeyValueRow[] = [
  pushRow('front'),
  pushRow('back'),
  pushExistingRow('front'),
  pushExistingRow('back'),
  popRow('front'),
  popRow('back'),
  llen,
  lrange,
  lindex,
  lset,
  linsert,
  lrem,
  ltrim,
]
