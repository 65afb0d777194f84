// Queries on a test collection as commands make them: compiled from plain objects, read to the end.

import { IndexBuilds } from '../../src/engine/index/index-build-job.js'
import type { Plan } from '../../src/engine/plan/plan.js'
import { planQuery } from '../../src/engine/plan/planner.js'
import { fillBatch } from '../../src/engine/sources/cursors.js'
import type { Source } from '../../src/engine/sources/holding-source.js'
import { type CountQuery, countDocuments, openFind } from '../../src/engine/sources/source.js'
import type { Counters } from '../../src/engine/sources/walk.js'
import type { QueryContext } from '../../src/query/context.js'
import { compileFilter } from '../../src/query/filter.js'
import { compileProjection } from '../../src/query/projection.js'
import { compileSort } from '../../src/query/sort.js'
import { documentFrom, valueFrom } from '../../src/value/literal.js'
import type { Document } from '../../src/value/value.js'
import { countingRandom, indexSpecs, jobParts, ManualClock, Room } from './engine-room.js'
import { toObject } from './literal.js'

type Plain = Readonly<Record<string, unknown>>

export const context: QueryContext = {
  now: 1_700_000_000_000,
  variables: new Map(),
  objectId: (index) => new Uint8Array(12).fill(index),
}

export interface PlainQuery {
  readonly filter?: Plain
  readonly sort?: Plain
  readonly hint?: unknown
  readonly skip?: number
  readonly limit?: number
  readonly projection?: Plain
}

/** The parts of a query, compiled. */
export function compiled(query: PlainQuery) {
  const filter = compileFilter(documentFrom(query.filter ?? {}), context)
  const { sort, projection } = query
  return {
    filter,
    sort: sort === undefined ? undefined : compileSort(documentFrom(sort)),
    hint: query.hint === undefined ? undefined : valueFrom(query.hint),
    skip: query.skip,
    limit: query.limit,
    projection:
      projection === undefined
        ? undefined
        : compileProjection(documentFrom(projection), filter, context),
  }
}

export interface Answer {
  readonly documents: Record<string, unknown>[]
  readonly counters: Readonly<Counters>
}

/** A Room whose queries are answered as commands answer them. */
export class ReadingRoom extends Room {
  async index(...specs: readonly (readonly [key: Plain, options?: Plain])[]): Promise<void> {
    const parts = jobParts(this.store, new ManualClock())
    await new IndexBuilds(parts, countingRandom).ensure(this.db, this.name, indexSpecs(...specs))
  }

  async plan(query: PlainQuery): Promise<Plan> {
    return planQuery(await this.get(), compiled(query))
  }

  async open(query: PlainQuery): Promise<Source> {
    return openFind(await this.find(), compiled(query))
  }

  /** One pull. */
  async pull(source: Source, want: number): Promise<Document[]> {
    return this.store.read((tx) => source.pull(tx, want))
  }

  /** All documents, in batches of `batch`, each in a transaction of its own. */
  async ask(query: PlainQuery, batch = 1_000): Promise<Answer> {
    const source = await this.open(query)
    const documents: Record<string, unknown>[] = []
    while (!source.drained) {
      const next = await this.store.read((tx) =>
        fillBatch(tx, source, { documentsMax: batch, bytesMax: 16_000_000 }),
      )
      documents.push(...next.documents.map(toObject))
    }
    return { documents, counters: source.counters }
  }

  async ids(query: PlainQuery, batch = 1_000): Promise<unknown[]> {
    return (await this.ask(query, batch)).documents.map((document) => document._id)
  }

  async count(query: PlainQuery): Promise<number> {
    const ns = await this.find()
    const counted: CountQuery = compiled(query)
    return this.store.read((tx) => countDocuments(tx, ns, counted))
  }
}
