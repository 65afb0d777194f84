// Unions, intersections and differences of sorted sets and sets: returned, stored, or, for
// intersections, counted. All sources are read before anything is written.

import { mapKey } from '../../../base/bytes/bytes.js'
import type { Slice } from '../../../base/bytes/slice.js'
import { GrowingMap } from '../../../base/heap/growing-map.js'
import { notInteger, refuse, syntaxError } from '../../../base/reply-error.js'
import { wordUnits } from '../../../base/work/work-figures.js'
import type { Arguments } from '../../../bus/keyvalue/arguments.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import type { Reply } from '../../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import type { KnownSource } from '../../../engine/collection/staging.js'
import { putMade } from '../../../engine/keyspace/containers/building.js'
import { eachInTurns, mapInTurns } from '../../../engine/keyspace/containers/in-turns.js'
import { sortInTurns } from '../../../engine/keyspace/containers/merge-sort.js'
import type { Key } from '../../../engine/keyspace/keys/key.js'
import type { Keyspace } from '../../../engine/keyspace/keyspace.js'
import {
  openSortedSet,
  type ScoredMember,
  storeSortedSet,
} from '../../../engine/keyspace/sorted-sets/sorted-set.js'
import {
  type Input,
  inputOf,
  type Scores,
} from '../../../engine/keyspace/sorted-sets/sorted-set-inputs.js'
import { compareScored } from '../../../engine/keyspace/sorted-sets/sorted-set-place.js'
import { parseFloat64, parseInt64 } from '../../../engine/keyspace/strings/numbers.js'
import type { Program } from '../../../store/store.js'
import { sourceOf } from '../keys/source-of.js'
import { keysFrom } from '../lists/list-moves.js'
import { replyOf } from './sorted-set-ranges.js'

const shared = { categories: ['sortedset'], group: 'sorted-set' } as const

type Operation = 'union' | 'inter' | 'diff'

type Aggregate = (a: number, b: number) => number

/** Opposite infinities add up to 0, as in Redis. */
const sum: Aggregate = (a, b) => orZero(a + b)
const least: Aggregate = (a, b) => (b < a ? b : a)
const greatest: Aggregate = (a, b) => (b > a ? b : a)

function orZero(score: number): number {
  return Number.isNaN(score) ? 0 : score
}

interface Request {
  readonly keys: readonly Key[]
  readonly inputs: readonly Weighted[]
  readonly aggregate: Aggregate
  readonly withScores: boolean
  /** For ZINTERCARD: where counting stops; 0 counts all. */
  readonly limit: number
}

interface Weighted {
  readonly input: Input
  readonly weight: number
  /** Identifies the key, so that a key named twice is recognized. */
  readonly name: string
}

/** The options that a command accepts. */
interface Kind {
  readonly operation: Operation
  readonly result: 'reply' | 'store' | 'count'
}

/** `at` is the index of numkeys. Redis checks the types of the keys before the options. */
function* readRequest(ks: Keyspace, call: KeyValueCall, at: number, kind: Kind): Program<Request> {
  const count = call.args.read(at, parseInt64)
  if (count === undefined) throw notInteger()
  if (count < 1) throw refuse(`ERR at least 1 input key is needed for '${call.name}' command`)
  if (count > call.count - at - 1) throw syntaxError()
  const behind = at + 1 + Number(count)
  const keys = yield* ks.keys(call.argsFrom(at + 1).slice(0, Number(count)), 'members')
  const inputs = yield* mapInTurns(ks.tx, keys, (key) => inputOf(ks, key))
  const { weights, ...options } = readOptions(call, behind, inputs.length, kind)
  return {
    ...options,
    keys,
    inputs: yield* mapInTurns(ks.tx, inputs, (input, i) => ({
      input,
      weight: weights[i] ?? 1,
      name: mapKey((keys[i] as Key).name.view()),
    })),
  }
}

interface Options extends Omit<Request, 'inputs' | 'keys'> {
  readonly weights: readonly number[]
}

function readOptions(call: KeyValueCall, first: number, keys: number, kind: Kind): Options {
  const { operation, result } = kind
  const weighs = operation !== 'diff' && result !== 'count'
  let weights: number[] = []
  let aggregate = sum
  let withScores = false
  let limit = 0
  for (let i = first; i < call.count; i++) {
    const left = call.count - i - 1
    if (weighs && left >= keys && call.is(i, 'weights')) {
      weights = Array.from({ length: keys }, () => weightAt(call, ++i))
    } else if (weighs && left >= 1 && call.is(i, 'aggregate')) aggregate = aggregateAt(call, ++i)
    else if (result === 'reply' && call.is(i, 'withscores')) withScores = true
    else if (result === 'count' && left >= 1 && call.is(i, 'limit')) limit = limitAt(call, ++i)
    else throw syntaxError()
  }
  return { weights, aggregate, withScores, limit }
}

function weightAt(call: KeyValueCall, index: number): number {
  const weight = call.args.read(index, parseFloat64)
  if (weight === undefined) throw refuse('ERR weight value is not a float')
  return weight
}

function aggregateAt(call: KeyValueCall, index: number): Aggregate {
  if (call.is(index, 'sum')) return sum
  if (call.is(index, 'min')) return least
  if (call.is(index, 'max')) return greatest
  throw syntaxError()
}

function limitAt(call: KeyValueCall, index: number): number {
  const limit = call.args.read(index, parseInt64)
  if (limit === undefined || limit < 0) throw refuse("ERR LIMIT can't be negative")
  return Number(limit)
}

/** Smallest input first: Redis adds in this order, and rounding depends on it. */
function bySize(inputs: readonly Weighted[]): Weighted[] {
  return [...inputs].sort((a, b) => a.input.size - b.input.size)
}

/** NaN (infinity times 0) counts as 0, as in Redis. */
function weighted(score: number, weight: number): number {
  return orZero(score * weight)
}

function* unite({ tx }: Keyspace, { inputs, aggregate }: Request): Program<ScoredMember[]> {
  const found: (ScoredMember & { score: number })[] = []
  const places = new GrowingMap<{ score: number }>()
  for (const { input, weight } of bySize(inputs)) {
    yield* eachInTurns(tx, yield* input.all(), ({ member, score }) => {
      const name = mapKey(member.view())
      const before = places.get(name)
      const one = weighted(score, weight)
      if (before !== undefined) {
        before.score = aggregate(before.score, one)
        return
      }
      const entry = { member, score: one }
      places.set(name, entry)
      found.push(entry)
    })
  }
  return found
}

/** Stops after `limit` members; 0 takes all. */
function* intersect({ tx }: Keyspace, request: Request): Program<ScoredMember[]> {
  const { aggregate, limit } = request
  const [first, ...others] = bySize(request.inputs)
  if (first === undefined || first.input.size === 0) return []
  const members = yield* first.input.all()
  /** Undefined for an input that repeats the first one. */
  const scores: (Scores | undefined)[] = []
  for (const { name, input } of others) {
    scores.push(name === first.name ? undefined : yield* input.scores(members))
  }
  const found: ScoredMember[] = []
  for (const { member, score } of members) {
    yield* tx.pause(wordUnits)
    let total: number | undefined = weighted(score, first.weight)
    for (let i = 0; i < others.length && total !== undefined; i++) {
      const ask = scores[i]
      const other: number | undefined = ask === undefined ? score : yield* ask(member)
      const { weight } = others[i] as Weighted
      // Redis does not replace NaN here: SUM turns it into 0, MIN and MAX ignore it.
      total = other === undefined ? undefined : aggregate(total, other * weight)
    }
    if (total === undefined) continue
    found.push({ member, score: total })
    if (found.length === limit) break
  }
  return found
}

function* subtract({ tx }: Keyspace, { inputs }: Request): Program<ScoredMember[]> {
  const [first, ...others] = inputs
  if (first === undefined || first.input.size === 0) return []
  if (others.some(({ name }) => name === first.name)) return []
  let kept = yield* first.input.all()
  for (const { input } of others) {
    if (kept.length === 0) break
    if (input.size === 0) continue
    const ask = yield* input.scores(kept)
    const still: ScoredMember[] = []
    for (let i = 0; i < kept.length; i++) {
      yield* tx.pause(wordUnits)
      const entry = kept[i] as ScoredMember
      if ((yield* ask(entry.member)) === undefined) still.push(entry)
    }
    kept = still
  }
  return kept
}

/** The score of one member in the result; undefined if it is not in it. */
function* scoreIn(
  { inputs, aggregate }: Request,
  operation: Operation,
  member: Slice,
): Program<number | undefined> {
  let total: number | undefined
  const ordered = operation === 'diff' ? inputs : bySize(inputs)
  for (let i = 0; i < ordered.length; i++) {
    const { input, weight } = ordered[i] as Weighted
    const score: number | undefined = yield* input.score(member)
    if (operation === 'diff' && i > 0) {
      if (score !== undefined) return undefined
    } else if (score === undefined) {
      if (operation !== 'union') return undefined
    } else if (total === undefined) total = weighted(score, weight)
    else if (operation === 'union') total = aggregate(total, weighted(score, weight))
    else total = aggregate(total, score * weight)
  }
  return total
}

/** Makes these members of a stored result again; returns its size. */
function* remake(
  ks: Keyspace,
  name: Slice,
  members: readonly Slice[],
  scoreOf: (member: Slice) => Program<number | undefined>,
): Program<number> {
  const into = yield* openSortedSet(ks, name)
  for (const member of members) {
    const score = yield* scoreOf(member)
    const before = yield* into.score(member)
    if (score === undefined) yield* into.remove(member)
    else if (score !== before) yield* into.set(member, score, before)
  }
  yield* into.save()
  return into.size
}

const operations = { union: unite, inter: intersect, diff: subtract } as const

type Texts = Pick<KeyValueRow, 'summary' | 'since' | 'complexity'>

const weights = '[WEIGHTS weight [weight ...]] [AGGREGATE <SUM | MIN | MAX>]'

function replyRow(operation: Operation, texts: Texts): KeyValueRow {
  const options = operation === 'diff' ? '' : ` ${weights}`
  return {
    ...shared,
    ...texts,
    name: `z${operation}`,
    uses: 'RO access #1',
    grows: 'nothing',
    arity: -3,
    flags: ['readonly'],
    movableKeys: (args) => keysFrom(args, 1),
    syntax: `numkeys key [key ...]${options} [WITHSCORES]`,
    grain: 'read',
    *run(ks, call) {
      const request = yield* readRequest(ks, call, 1, { operation, result: 'reply' })
      const found = yield* operations[operation](ks, request)
      const inOrder = yield* sortInTurns(ks.tx, found, compareScored)
      return yield* replyOf(ks.tx, inOrder, request.withScores)
    },
  }
}

function storeRow(operation: Operation, texts: Texts): KeyValueRow {
  const options = operation === 'diff' ? '' : ` ${weights}`
  return {
    ...shared,
    ...texts,
    name: `z${operation}store`,
    uses: 'OW update 1; RO access #2',
    grows: 'keys',
    arity: -4,
    flags: ['write', 'denyoom'],
    keys: [1, 1, 1],
    movableKeys: storeKeys,
    privileges: ['read', 'write'],
    syntax: `destination numkeys key [key ...]${options}`,
    grain: 'write',
    run: (ks, call) => store(ks, call, operation),
  }
}

function storeKeys(args: Arguments): number[] {
  return [1, ...keysFrom(args, 2)]
}

function* store(ks: Keyspace, call: KeyValueCall, operation: Operation): Program<Reply> {
  const request = yield* readRequest(ks, call, 2, { operation, result: 'store' })
  // Scores are added in the order of the sizes, and rounding depends on it.
  const order = bySize(request.inputs).map(({ name }) => name)
  const source = yield* sourceOf(ks, call, request.keys, order.join(' '))
  const target = yield* ks.key(call.arg(1))
  const existed = target.exists
  const count = yield* storeResult(ks, target, request, { operation, source })
  if (count > 0) ks.notify('z', call.name, target.name)
  else if (existed) ks.notify('g', 'del', target.name)
  return count
}

interface ResultOf {
  readonly operation: Operation
  readonly source: KnownSource | undefined
}

function* storeResult(
  ks: Keyspace,
  target: Key,
  request: Request,
  { operation, source }: ResultOf,
): Program<number> {
  const made = yield* putMade(ks, target, 'zset', source)
  if (made === undefined) {
    const found = yield* operations[operation](ks, request)
    yield* storeSortedSet(ks, target, found, source)
    return found.length
  }
  const { count, changed } = made
  if (changed.length === 0) return count
  const scoreOf = (member: Slice) => scoreIn(request, operation, member)
  return yield* remake(ks, target.name, changed, scoreOf)
}

const zintercard: KeyValueRow = {
  ...shared,
  name: 'zintercard',
  uses: 'RO access #1',
  grows: 'nothing',
  arity: -3,
  flags: ['readonly'],
  movableKeys: (args) => keysFrom(args, 1),
  summary: 'Returns how many members several sorted sets have in common.',
  since: '7.0.0',
  complexity: 'O(N*K) with N members in the smallest of K inputs',
  syntax: 'numkeys key [key ...] [LIMIT limit]',
  grain: 'read',
  *run(ks, call) {
    const request = yield* readRequest(ks, call, 1, { operation: 'inter', result: 'count' })
    return (yield* intersect(ks, request)).length
  },
}

const complexity = {
  union: 'O(N)+O(M*log(M)) with N members in all inputs and M in the result',
  inter: 'O(N*K)+O(M*log(M)) with N members in the smallest of K inputs and M in the result',
  diff: 'O(L)+O(M*log(M)) with L members in all inputs and M in the result',
} as const

export const sortedSetAlgebraRows: readonly KeyValueRow[] = [
  replyRow('union', {
    summary: 'Returns the members of several sorted sets, with combined scores.',
    since: '6.2.0',
    complexity: complexity.union,
  }),
  replyRow('inter', {
    summary: 'Returns the members that several sorted sets have in common, with combined scores.',
    since: '6.2.0',
    complexity: complexity.inter,
  }),
  replyRow('diff', {
    summary: 'Returns the members of the first sorted set that no other has.',
    since: '6.2.0',
    complexity: complexity.diff,
  }),
  storeRow('union', {
    summary: 'Stores the members of several sorted sets; returns their number.',
    since: '2.0.0',
    complexity: complexity.union,
  }),
  storeRow('inter', {
    summary: 'Stores the members that several sorted sets have in common; returns how many.',
    since: '2.0.0',
    complexity: complexity.inter,
  }),
  storeRow('diff', {
    summary: 'Stores the members of the first sorted set that no other has; returns how many.',
    since: '6.2.0',
    complexity: complexity.diff,
  }),
  zintercard,
]
