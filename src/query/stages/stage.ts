// What a stage is: a plan compiled from its specification, and for most stages a transform that
// takes documents. Transforms are pure and bounded, so the engine decides when they run. The engine
// also runs the plans that need a collection.

import type { Document, Value } from '../../value/value.js'
import type { QueryContext } from '../context.js'
import {
  type Cell,
  contextData,
  Detachable,
  type Inputs,
  type RecipeData,
  resultOf,
  stageData,
} from '../detached.js'
import type { Env, Expression, Scope } from '../expressions/operator.js'
import type { Filter } from '../filter.js'
import type { Sort } from '../sort.js'
import type { SpillFigures, Workspace } from '../spill.js'
import type { Effect, Needs } from './effects.js'
import type { PipelineKind, Reach, StageTarget } from './stage-facts.js'

export type Emit = (document: Document) => void

export type Finishing = Generator<unknown, void, void>

export interface Transform {
  /** Takes one document: bounded work, and at most `stepDocumentsMax` documents of output. */
  push(document: Document, emit: Emit): void
  /** Needs no more input; output of earlier input may follow. */
  readonly satisfied: boolean
  /** Whether output waits for `resume`; do not push input until it is false. */
  readonly pending: boolean
  /** Emits up to `stepDocumentsMax` of the waiting documents. */
  resume(emit: Emit): void
  /**
   * Runs after the last push and emits the rest, yielding after each bounded step. An error with a
   * job is yielded, and the operation is retried after it.
   */
  finish(emit: Emit): Finishing
  /** Bytes kept between two pushes. */
  readonly bytesHeld: number
  /** Present if the stage may spill. */
  readonly figures?: SpillFigures | undefined
  /** Deletes the stage's file, at any time. */
  close?(): void
}

/** The base of transforms that keep nothing; they only implement `push`. */
export abstract class StreamTransform implements Transform {
  get bytesHeld(): number {
    return 0
  }

  get figures(): SpillFigures | undefined {
    return undefined
  }

  get pending(): boolean {
    return false
  }

  get satisfied(): boolean {
    return false
  }

  abstract push(document: Document, emit: Emit): void

  resume(_emit: Emit): void {}

  *finish(_emit: Emit): Finishing {}
}

/** Maps a document to one document or none. */
export class MapTransform extends StreamTransform {
  private readonly map: Detachable<Document | undefined>

  constructor(
    map: (document: Document) => Document | undefined,
    /** Present if a thread can compute the stage. */
    describe?: () => RecipeData,
  ) {
    super()
    this.map = new Detachable(map, describe, documentIn)
  }

  push(document: Document, emit: Emit): void {
    const mapped = this.map.of(document)
    if (mapped !== undefined) emit(mapped)
  }
}

/** How a thread rebuilds a stage. */
export function recipeOf(name: string, spec: Value, context: QueryContext): () => RecipeData {
  return () => ({ kind: 'stage', stage: stageData(name, spec), context: contextData(context) })
}

function documentIn([cell]: readonly Cell[]): Document | undefined {
  return resultOf(cell)?.bytes
}

interface PurePlan {
  readonly name: string
  readonly spec: Value
  /** A blocking stage spills to the workspace; without one it is limited to its memory. */
  create(workspace?: Workspace): Transform
}

export interface TransformPlan extends PurePlan {
  readonly kind: 'transform'
}

export interface MatchPlan extends PurePlan {
  readonly kind: 'match'
  readonly filter: Filter
}

export interface SortPlan extends PurePlan {
  readonly kind: 'sort'
  readonly sort: Sort
  /** Maximum number of documents, because $limit follows. */
  readonly limit?: number
}

interface CountPlan extends PurePlan {
  readonly kind: 'limit' | 'skip'
  readonly count: number
}

/**
 * A join, run by the engine: for each document it finds the documents of `from` that match
 * `foreignFilter`, runs `pipelineFor` over them, and emits `joined`.
 */
export interface LookupPlan {
  readonly kind: 'lookup'
  readonly name: '$lookup'
  readonly spec: Value
  readonly from: string
  /** Whether it is part of a view's definition. */
  readonly throughView: boolean
  readonly as: string
  /** The filter of foreign documents; `{}` matches all. */
  foreignFilter(document: Document): Document
  /** Stages after the filter; none in the form without `pipeline`. */
  pipelineFor(document: Document): StagePlan[]
  joined(document: Document, matches: Value): Document
  /** A following $unwind of `as`: `joinedEach` then replaces `joined`. */
  readonly unwind?: LookupUnwind
  /** The document with one match, or without the field if there is none. */
  joinedEach(document: Document, match: Document | undefined): Document
}

export interface LookupUnwind {
  readonly keepsEmpty: boolean
  readonly indexPath: string | undefined
}

/** The documents of another pipeline after those of this one; run by the engine. */
interface UnionPlan {
  readonly kind: 'union'
  readonly name: '$unionWith'
  readonly spec: Value
  /** The other pipeline's collection; undefined if its first stage creates the documents. */
  readonly from: string | undefined
  /** Whether it is part of a view's definition. */
  readonly throughView: boolean
  readonly stages: readonly StagePlan[]
}

/** Several pipelines over the same documents; their results form one document. */
export interface FacetPlan {
  readonly kind: 'facet'
  readonly name: '$facet'
  readonly spec: Value
  readonly facets: readonly { readonly name: string; readonly stages: readonly StagePlan[] }[]
}

/**
 * A breadth-first search, run by the engine. A round finds the documents of `from` whose
 * `connectTo` is among its values; these lead to the values of the next round.
 */
export interface GraphLookupPlan {
  readonly kind: 'graphLookup'
  readonly name: '$graphLookup'
  readonly spec: Value
  readonly from: string
  /** Whether it is part of a view's definition. */
  readonly throughView: boolean
  /** Rounds after the first; with Infinity until nothing new is found. */
  readonly maxDepth: number
  /** Values of the first round. */
  startOf(document: Document): readonly Value[]
  /** The filter for a round. */
  filterOf(values: readonly Value[]): Document
  /** Values that a found document leads to. */
  leadsTo(found: Document): readonly Value[]
  /** The found document with its depth, if requested. */
  withDepth(found: Document, depth: number): Document
  joined(document: Document, found: readonly Document[]): Document
}

export type SourceKind =
  | 'collStats'
  | 'indexStats'
  | 'planCacheStats'
  | 'geoNear'
  | 'currentOp'
  | 'listLocalSessions'
  | 'listSessions'

/** A first stage that creates documents; run by the engine or a command. */
export interface SourcePlan {
  readonly kind: SourceKind
  readonly name: string
  readonly spec: Value
}

/** $documents: the documents are part of the stage. */
interface DocumentsPlan {
  readonly kind: 'documents'
  readonly name: '$documents'
  readonly spec: Value
  readonly documents: readonly Document[]
}

export type PureStagePlan = TransformPlan | MatchPlan | SortPlan | CountPlan
/** The target of a writing stage. */
export interface WriteTarget {
  /** Undefined for the pipeline's own database. */
  readonly db: string | undefined
  readonly collection: string
}

/** The results replace a collection. */
export interface OutPlan {
  readonly kind: 'out'
  readonly name: '$out'
  readonly spec: Value
  readonly target: WriteTarget
  /** Options of the new time-series collection, as given. */
  readonly timeSeries: Value | undefined
}

/** Each result is combined with the document of a collection that has equal fields. */
export interface MergePlan {
  readonly kind: 'merge'
  readonly name: '$merge'
  readonly spec: Value
  readonly target: WriteTarget
  /** The compared fields; undefined for `_id`. */
  readonly on: readonly string[] | undefined
  /** `let`: expressions on the result, for the pipeline of `whenMatched`. */
  readonly variables: Value | undefined
  /** An array is the pipeline of an update. */
  readonly whenMatched: 'replace' | 'keepExisting' | 'merge' | 'fail' | Value
  readonly whenNotMatched: 'insert' | 'discard' | 'fail'
}

type WritePlan = OutPlan | MergePlan
export type JoinPlan = LookupPlan | UnionPlan | FacetPlan | GraphLookupPlan
export type StagePlan = PureStagePlan | JoinPlan | SourcePlan | DocumentsPlan | WritePlan

/** The rules of a pipeline at its place. */
export interface PipelineRules {
  /** Allows only the stages of this kind of pipeline, with `refuse` for others. */
  readonly only?: { readonly kind: PipelineKind; refuse(name: string): Error }
  /** Replaces the usual reordering of stages. */
  readonly order?: (plans: readonly StagePlan[]) => StagePlan[]
}

/** The compiler that stages use. */
export interface StageCompiler {
  readonly context: QueryContext
  readonly scope: Scope
  /** Number of sub-pipelines that enclose this stage. */
  readonly depth: number
  /** As scope.compile, for an expression per document in a stage that keeps state. */
  input(expression: Value): Expression
  readonly inputs: Inputs
  /** A new environment for one transform. */
  environment(): Env
  /** The scope of expressions in another context. */
  scopeOf(context: QueryContext): Scope
  /** Compiles a sub-pipeline, one level deeper. */
  compile(pipeline: Value, context: QueryContext, rules?: PipelineRules): StagePlan[]
}

/** A row of the stage table. */
export interface StageRow {
  /** With its `$`. */
  readonly name: string
  /** Required position in a pipeline; a stage that must be last writes. */
  readonly place: 'first' | 'last' | 'any'
  /** The pipelines with restrictions that allow it. */
  readonly within: readonly PipelineKind[]
  /** Whether it is in MongoDB's API version 1. */
  readonly isStable: boolean
  /** The read concern that it is limited to. */
  readonly readConcern: 'all' | 'majority' | 'local'
  readonly over: StageTarget
  /** Whether it reports about the collection itself, which views do not support. */
  readonly isOfCollection: boolean
  /** Undefined for a stage that combines or creates documents. */
  effect(plan: StagePlan): Effect | undefined
  /**
   * Adds the fields that it reads. Returns whether later stages no longer see its input; undefined
   * if it may read all fields.
   */
  needs(spec: Value, needs: Needs): boolean | undefined
  reach(spec: Value): Reach
  compile(spec: Value, compiler: StageCompiler): StagePlan[]
}
