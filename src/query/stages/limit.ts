// Stages that pass some documents, or count them: $match, $limit, $skip, $count. The first three
// have plan kinds of their own, so that the engine can merge them into its source.

import type { GatewayError } from '../../base/errors.js'
import { integerOf, numberOf } from '../../value/numbers.js'
import {
  bsonType,
  type Document,
  documentOf,
  numberValue,
  stringOf,
  type Value,
} from '../../value/value.js'
import { DocumentWriter } from '../../value/writer.js'
import { location, valueText } from '../expressions/operator.js'
import { compileFilter, type Filter } from '../filter.js'
import {
  type Emit,
  type MatchPlan,
  type StagePlan,
  type StageRow,
  StreamTransform,
} from './stage.js'
import { plainStage } from './stage-facts.js'

class Match extends StreamTransform {
  constructor(private readonly filter: Filter) {
    super()
  }

  push(document: Document, emit: Emit): void {
    if (this.filter.matches(document)) emit(document)
  }
}

class Limit extends StreamTransform {
  private taken = 0

  constructor(private readonly count: number) {
    super()
  }

  override get satisfied(): boolean {
    return this.taken >= this.count
  }

  push(document: Document, emit: Emit): void {
    if (this.taken >= this.count) return
    this.taken++
    emit(document)
  }
}

class Skip extends StreamTransform {
  private skipped = 0

  constructor(private readonly count: number) {
    super()
  }

  push(document: Document, emit: Emit): void {
    if (this.skipped < this.count) this.skipped++
    else emit(document)
  }
}

class Count extends StreamTransform {
  private count = 0

  constructor(private readonly name: string) {
    super()
  }

  push(): void {
    this.count++
  }

  /** Without input there is no output. */
  override *finish(emit: Emit): Generator<void, void, void> {
    if (this.count === 0) return
    emit(new DocumentWriter().value(this.name, numberValue(this.count)).finish())
    yield
  }
}

/** The number of $limit and $skip: whole and not negative. Above 2^53 it has no effect. */
function countOf(name: '$limit' | '$skip', code: 5107201 | 5107200, spec: Value): number {
  const shown = `${name}: ${valueText(spec)}`
  const refuse = (what: string): GatewayError =>
    location(code, `invalid argument to ${name} stage: Expected ${what}: ${shown}`)
  if (!spec.isNumber) throw refuse('a number in')
  const n = numberOf(spec)
  if (n < 0) throw refuse('a non-negative number in')
  const whole = integerOf(spec)
  if (whole !== undefined) return whole
  const isLong = spec.type === bsonType.int64 || n < 2 ** 63
  if (n > Number.MAX_SAFE_INTEGER && isLong) return Number.MAX_SAFE_INTEGER
  throw refuse('an integer')
}

/** The stage of a compiled filter. */
export function matchPlan(spec: Value, filter: Filter): MatchPlan {
  return { kind: 'match', name: '$match', spec, filter, create: () => new Match(filter) }
}

export function limitPlan(count: number, spec = numberValue(count)): StagePlan {
  return { kind: 'limit', name: '$limit', spec, count, create: () => new Limit(count) }
}

export function skipPlan(count: number, spec = numberValue(count)): StagePlan {
  return { kind: 'skip', name: '$skip', spec, count, create: () => new Skip(count) }
}

function countField(spec: Value): string {
  if (spec.type !== bsonType.string) {
    throw location(40156, 'the count field must be a non-empty string')
  }
  const name = stringOf(spec)
  if (name === '') throw location(40157, 'the count field must be a non-empty string')
  if (name.startsWith('$')) throw location(40158, 'the count field cannot be a $-prefixed path')
  if (name.includes('\0')) throw location(40159, 'the count field cannot contain a null byte')
  if (name.includes('.')) throw location(40160, "the count field cannot contain '.'")
  if (name === '_id') throw location(15948, "a group's _id may only be specified once")
  return name
}

export const limitStages: readonly StageRow[] = [
  {
    ...plainStage,
    within: ['facet', 'union', 'view', 'changeStream'],
    name: '$match',
    compile: (spec, { context }) => {
      if (spec.type !== bsonType.object) {
        throw location(15959, 'the match filter must be an expression in an object')
      }
      const filter = compileFilter(documentOf(spec), context)
      return [matchPlan(spec, filter)]
    },
  },
  {
    ...plainStage,
    name: '$limit',
    compile: (spec) => {
      const count = countOf('$limit', 5107201, spec)
      if (count === 0) throw location(15958, 'the limit must be positive')
      return [limitPlan(count, spec)]
    },
  },
  {
    ...plainStage,
    name: '$skip',
    compile: (spec) => {
      const count = countOf('$skip', 5107200, spec)
      return [skipPlan(count, spec)]
    },
  },
  {
    ...plainStage,
    name: '$count',
    compile: (spec) => {
      const name = countField(spec)
      return [{ kind: 'transform', name: '$count', spec, create: () => new Count(name) }]
    },
  },
]
