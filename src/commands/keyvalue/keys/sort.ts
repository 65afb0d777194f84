// SORT: the elements of a list, set or sorted set, ordered by themselves or by keys from a pattern,
// as a reply or stored. Without STORE it is a read, which may pause.

import type { Slice } from '../../../base/bytes/slice.js'
import { emptySlice } from '../../../base/bytes/slice.js'
import { syntaxError, wrongType } from '../../../base/reply-error.js'
import type { Arguments } from '../../../bus/keyvalue/arguments.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import type { Reply } from '../../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import { flatMapInTurns } from '../../../engine/keyspace/containers/in-turns.js'
import { elementsOfKey } from '../../../engine/keyspace/keys/contents.js'
import type { Keyspace } from '../../../engine/keyspace/keyspace.js'
import { listOf } from '../../../engine/keyspace/lists/list.js'
import type { Program } from '../../../store/store.js'
import { type SortOrder, sortElements } from './sort-order.js'
import { isConstant, lookUpByPattern } from './sort-patterns.js'

interface SortOptions extends SortOrder {
  /** Elements to skip, and the number of elements after them; below 0 means all. */
  offset: number
  count: number
  readonly gets: Slice[]
  store: Slice | undefined
}

function readOptions(call: KeyValueCall, mayStore: boolean): SortOptions {
  const options: SortOptions = {
    isDescending: false,
    isAlpha: false,
    offset: 0,
    count: -1,
    by: undefined,
    gets: [],
    store: undefined,
  }
  for (let i = 2; i < call.count; i++) {
    const left = call.count - 1 - i
    if (call.is(i, 'asc')) options.isDescending = false
    else if (call.is(i, 'desc')) options.isDescending = true
    else if (call.is(i, 'alpha')) options.isAlpha = true
    else if (call.is(i, 'limit') && left >= 2) {
      options.offset = call.integer(i + 1)
      options.count = call.integer(i + 2)
      i += 2
    } else if (mayStore && call.is(i, 'store') && left >= 1) options.store = call.arg(++i)
    else if (call.is(i, 'by') && left >= 1) options.by = call.arg(++i)
    else if (call.is(i, 'get') && left >= 1) options.gets.push(call.arg(++i))
    else throw syntaxError()
  }
  return options
}

function* sort(ks: Keyspace, call: KeyValueCall, mayStore: boolean): Program<Reply> {
  const options = readOptions(call, mayStore)
  const key = yield* ks.key(call.arg(1))
  const { type } = key
  if (type === 'string' || type === 'hash') throw wrongType()
  let elements = yield* elementsOfKey(ks, key)
  const isUnsorted = options.by !== undefined && isConstant(options.by)
  if (isUnsorted && type === 'set' && options.store !== undefined) {
    // A stored result must not depend on the internal order of a set.
    const byItself = { ...options, by: undefined, isAlpha: true }
    elements = yield* sortElements(ks, elements, byItself)
  } else if (!isUnsorted) elements = yield* sortElements(ks, elements, options)
  else if (options.isDescending && type !== 'set') elements.reverse()
  const offset = Math.max(options.offset, 0)
  const end = options.count < 0 ? elements.length : offset + options.count
  const chosen = elements.slice(offset, end)
  const found = yield* project(ks, chosen, options.gets)
  if (options.store === undefined) return found.map((value) => value ?? null)
  const values = found.map((value) => value ?? emptySlice)
  return yield* store(ks, options.store, values)
}

/** The values of GET for each element, or the elements themselves. */
function* project(
  ks: Keyspace,
  elements: readonly Slice[],
  gets: readonly Slice[],
): Program<(Slice | undefined)[]> {
  if (gets.length === 0) return [...elements]
  const columns: (Slice | undefined)[][] = []
  for (const pattern of gets) columns.push(yield* lookUpByPattern(ks, pattern, elements))
  return yield* flatMapInTurns(ks.tx, elements, (_, row) => columns.map((column) => column[row]))
}

function* store(ks: Keyspace, name: Slice, values: readonly Slice[]): Program<Reply> {
  const key = yield* ks.keyAround(name)
  const existed = yield* ks.remove(key)
  if (values.length === 0) {
    if (existed) ks.notify('g', 'del', name)
    return 0
  }
  const list = listOf(ks, key)
  yield* list.push('back', values)
  yield* list.save()
  ks.notify('l', 'sortstore', name)
  return values.length
}

/** Index of the key after STORE; 0 if absent. */
function storeIndex(args: Arguments): number {
  let found = 0
  for (let i = 2; i < args.count; i++) {
    if (args.is(i, 'limit')) i += 2
    else if (args.is(i, 'get') || args.is(i, 'by')) i++
    else if (args.is(i, 'store') && i + 1 < args.count) found = ++i
  }
  return found
}

const shared = {
  arity: -2,
  categories: ['set', 'sortedset', 'list', 'dangerous'],
  keys: [1, 1, 1],
  group: 'generic',
  complexity: 'O(N+M*log(M)) with N elements of which M are sorted',
} as const

const options =
  'key [BY by-pattern] [LIMIT offset count] [GET get-pattern [GET get-pattern ...]] [ASC | DESC] ' +
  '[ALPHA]'

const sortRow: KeyValueRow = {
  ...shared,
  name: 'sort',
  uses: 'RO access 1; RO access ?; OW update ?',
  grows: 'keys',
  readsByPattern: true,
  flags: ['write', 'denyoom'],
  privileges: ['read', 'write'],
  movableKeys: (args) => {
    const target = storeIndex(args)
    return target === 0 ? [1] : [1, target]
  },
  isRead: (args) => storeIndex(args) === 0,
  summary: 'Returns or stores the elements of a list, set or sorted set in order.',
  since: '1.0.0',
  syntax: `${options} [STORE destination]`,
  grain: 'write',
  run: (ks, call) => sort(ks, call, true),
}

const sortRo: KeyValueRow = {
  ...shared,
  name: 'sort_ro',
  uses: 'RO access 1; RO access ?',
  grows: 'nothing',
  readsByPattern: true,
  flags: ['readonly'],
  movableKeys: () => [1],
  summary: 'Returns the elements of a list, set or sorted set in order.',
  since: '7.0.0',
  syntax: options,
  grain: 'read',
  run: (ks, call) => sort(ks, call, false),
}

export const sortRows: readonly KeyValueRow[] = [sortRow, sortRo]
