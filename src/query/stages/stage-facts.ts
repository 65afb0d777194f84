// The facts of stages that need no plan: which pipelines allow a stage, what it runs against, and
// what it reaches. They stand on the rows, so that no user of stages has a list of names.

import { fail, type GatewayError } from '../../base/errors.js'
import { fieldsOf, lastFieldIn } from '../../value/elements.js'
import { bsonType, stringOf, type Value } from '../../value/value.js'

/** Pipelines that do not allow all stages. */
export type PipelineKind = 'facet' | 'union' | 'view' | 'update' | 'changeStream'

/** What an aggregate command that begins with the stage runs against. */
export type StageTarget = 'collection' | 'database' | 'admin' | 'sessions'

interface TargetRule {
  fits(db: string, collection: string | undefined): boolean
  text(name: string): string
}

const targets: Readonly<Record<StageTarget, TargetRule>> = {
  collection: {
    fits: (_, collection) => collection !== undefined,
    text: (name) => `{aggregate: 1} is not valid for '${name}'; a collection is required.`,
  },
  database: {
    fits: (_, collection) => collection === undefined,
    text: (name) =>
      `${name} must be run against the database with {aggregate: 1}, not a collection`,
  },
  admin: {
    fits: (db, collection) => db === 'admin' && collection === undefined,
    text: (name) => `${name} must be run against the 'admin' database with {aggregate: 1}`,
  },
  sessions: {
    fits: (db, collection) => db === 'config' && collection === 'system.sessions',
    text: (name) => `${name} may only be run against config.system.sessions`,
  },
}

export function fitsTarget(over: StageTarget, db: string, collection: string | undefined): boolean {
  return targets[over].fits(db, collection)
}

export function notOfTarget(over: StageTarget, name: string): GatewayError {
  return fail('InvalidNamespace', targets[over].text(name))
}

export interface PipelineCollection {
  /** The database, if the stage names another one. */
  readonly db?: string
  readonly name: string
  readonly privilege: 'read' | 'write'
  /** Set for a new time series, whose options restrict its documents. */
  readonly isRuled?: boolean
  /** Whether the written data depends on stored fields other than `_id`. */
  readonly readsTarget?: boolean
}

/** What a specification names: collections, and the pipelines that it runs. */
export interface Reach {
  readonly collections: readonly PipelineCollection[]
  readonly pipelines: readonly Value[]
}

/** A field of a specification; the last of repeated ones, as in compiling the stage. */
export function given(spec: Value, name: string): Value | undefined {
  return spec.type === bsonType.object ? lastFieldIn(spec, name) : undefined
}

/** A join reads the collection of this name, and runs its `pipeline`. */
export function joinReach(spec: Value, from: Value | undefined): Reach {
  const pipeline = given(spec, 'pipeline')
  const pipelines = pipeline === undefined ? [] : [pipeline]
  return { collections: namedBy(from, { privilege: 'read' }), pipelines }
}

/** The collection of `name` or `{db, coll}`; an invalid name is left to compiling. */
export function namedBy(
  value: Value | undefined,
  use: Pick<PipelineCollection, 'privilege' | 'isRuled' | 'readsTarget'>,
): PipelineCollection[] {
  if (value?.type === bsonType.string) return [{ name: stringOf(value), ...use }]
  if (value?.type !== bsonType.object) return []
  const fields = new Map(fieldsOf(value))
  const db = fields.get('db')
  const coll = fields.get('coll')
  if (coll?.type !== bsonType.string) return []
  const named = { name: stringOf(coll), ...use }
  return [db?.type === bsonType.string ? { db: stringOf(db), ...named } : named]
}

/** A stage that combines or creates documents, with no restriction of its own. */
export const plainStage = {
  place: 'any',
  within: ['facet', 'union', 'view'],
  isStable: true,
  readConcern: 'all',
  over: 'collection',
  isOfCollection: false,
  effect: () => undefined,
  needs: () => undefined,
  reach: (): Reach => ({ collections: [], pipelines: [] }),
} as const

/** A stage that changes each document by itself, also in updates and change streams. */
export const mappingStage = {
  ...plainStage,
  within: ['facet', 'union', 'view', 'update', 'changeStream'],
} as const

/** A first stage that creates the documents. */
export const sourceStage = { ...plainStage, place: 'first', within: ['union', 'view'] } as const
