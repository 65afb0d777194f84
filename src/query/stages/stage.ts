// What a stage is: a plan compiled from its specification, and for most stages a transform that
// documents are pushed through. Transforms are pure and bounded, so that the engine decides when
// they run; plans that need a collection are run by the engine itself.

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

export type Emit = (document: Document) => void

export type Finishing = Generator<unknown, void, void>

export interface Transform {
  /** Takes one document; bounded work, and at most `stepDocumentsMax` documents come out. */
  push(document: Document, emit: Emit): void
  /** Wants no more input; what it has taken may still come out. */
  readonly satisfied: boolean
  /** Documents wait that `resume` would emit; input is better held back until it is false. */
  readonly pending: boolean
  /** Emits up to `stepDocumentsMax` of what waits. */
  resume(emit: Emit): void
  /**
   * After the last push: emits the rest, yielding after each bounded step; a refusal that has a
   * job is yielded, and tried again behind it.
   */
  finish(emit: Emit): Finishing
  /** Bytes that are kept from one push to the next. */
  readonly bytesHeld: number
  /** Of a stage that may spill. */
  readonly figures?: SpillFigures | undefined
  /** Lets go of what is on disk, whether or not the stage is over. */
  close?(): void
}

/** What all transforms share that keep nothing: the rest is `push`. */
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

/** One document in, one out or none. */
export class MapTransform extends StreamTransform {
  private readonly map: Detachable<Document | undefined>

  constructor(
    map: (document: Document) => Document | undefined,
    /** Of a stage that does nothing but this. */
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

/** How a stage is made elsewhere. */
export function recipeOf(name: string, spec: Value, context: QueryContext): () => RecipeData {
  return () => ({ kind: 'stage', stage: stageData(name, spec), context: contextData(context) })
}

function documentIn([cell]: readonly Cell[]): Document | undefined {
  return resultOf(cell)?.bytes
}

interface PurePlan {
  readonly name: string
  readonly spec: Value
  /** A blocking stage spills into the workspace; without one it is held to its bound. */
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
  /** Only so many documents are taken from the sort, because $limit follows. */
  readonly limit?: number
}

interface CountPlan extends PurePlan {
  readonly kind: 'limit' | 'skip'
  readonly count: number
}

/**
 * A join, which the engine runs: for each document it finds the documents of `from` that match
 * `foreignFilter`, runs `pipelineFor` over them, and emits `joined`.
 */
export interface LookupPlan {
  readonly kind: 'lookup'
  readonly name: '$lookup'
  readonly spec: Value
  readonly from: string
  /** It stands in a view's definition. */
  readonly throughView: boolean
  readonly as: string
  /** Always a filter; `{}` where nothing narrows the foreign documents. */
  foreignFilter(document: Document): Document
  /** Stages after the filter; none in the form without `pipeline`. */
  pipelineFor(document: Document): StagePlan[]
  joined(document: Document, matches: readonly Document[]): Document
  /** An $unwind of `as` that follows: then `joinedEach` takes the place of `joined`. */
  readonly unwind?: LookupUnwind
  /** The document with one of its matches, or without the field where there is none. */
  joinedEach(document: Document, match: Document | undefined): Document
}

export interface LookupUnwind {
  readonly keepsEmpty: boolean
  readonly indexPath: string | undefined
}

/** The documents of another pipeline after those of this one, which the engine runs. */
interface UnionPlan {
  readonly kind: 'union'
  readonly name: '$unionWith'
  readonly spec: Value
  /** The other pipeline's collection; undefined where its first stage makes the documents. */
  readonly from: string | undefined
  /** It stands in a view's definition. */
  readonly throughView: boolean
  readonly stages: readonly StagePlan[]
}

/** Several pipelines over the same documents, and one document of their results. */
export interface FacetPlan {
  readonly kind: 'facet'
  readonly name: '$facet'
  readonly spec: Value
  readonly facets: readonly { readonly name: string; readonly stages: readonly StagePlan[] }[]
}

/**
 * A search from document to document, breadth first, which the engine runs: those of `from` whose
 * `connectTo` is among the values of a round, and the values that they lead to for the next one.
 */
export interface GraphLookupPlan {
  readonly kind: 'graphLookup'
  readonly name: '$graphLookup'
  readonly spec: Value
  readonly from: string
  /** It stands in a view's definition. */
  readonly throughView: boolean
  /** Rounds after the first; Infinity: until nothing new is found. */
  readonly maxDepth: number
  /** Values of the first round. */
  startOf(document: Document): readonly Value[]
  /** What finds the documents of a round. */
  filterOf(values: readonly Value[]): Document
  /** Values that a found document leads to. */
  leadsTo(found: Document): readonly Value[]
  /** A found document with its depth, where that is asked for. */
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

/** A first stage that makes documents, which the engine or a command runs. */
export interface SourcePlan {
  readonly kind: SourceKind
  readonly name: string
  readonly spec: Value
}

/** $documents: the documents are here. */
interface DocumentsPlan {
  readonly kind: 'documents'
  readonly name: '$documents'
  readonly spec: Value
  readonly documents: readonly Document[]
}

export type PureStagePlan = TransformPlan | MatchPlan | SortPlan | CountPlan
/** Where results are written. */
export interface WriteTarget {
  /** The pipeline's own where undefined. */
  readonly db: string | undefined
  readonly collection: string
}

/** The results take a collection's place. */
export interface OutPlan {
  readonly kind: 'out'
  readonly name: '$out'
  readonly spec: Value
  readonly target: WriteTarget
  /** Options of the time-series collection that it makes, as they were given. */
  readonly timeSeries: Value | undefined
}

/** Each result meets the document of a collection that is equal in some fields. */
export interface MergePlan {
  readonly kind: 'merge'
  readonly name: '$merge'
  readonly spec: Value
  readonly target: WriteTarget
  /** The fields; `_id` where undefined. */
  readonly on: readonly string[] | undefined
  /** `let`: expressions of the result, for the pipeline of `whenMatched`. */
  readonly variables: Value | undefined
  /** An array is the pipeline of an update. */
  readonly whenMatched: 'replace' | 'keepExisting' | 'merge' | 'fail' | Value
  readonly whenNotMatched: 'insert' | 'discard' | 'fail'
}

type WritePlan = OutPlan | MergePlan
export type JoinPlan = LookupPlan | UnionPlan | FacetPlan | GraphLookupPlan
export type StagePlan = PureStagePlan | JoinPlan | SourcePlan | DocumentsPlan | WritePlan

/** What a pipeline may hold where it stands. */
export interface PipelineRules {
  /** Names that are allowed, with `refuse` for the others; all where absent. */
  readonly allows?: (name: string) => boolean
  readonly refuse?: (name: string) => Error
  /** Another order of the stages than the usual one. */
  readonly order?: (plans: readonly StagePlan[]) => StagePlan[]
}

/** What stages are compiled with. */
export interface StageCompiler {
  readonly context: QueryContext
  readonly scope: Scope
  /** Sub-pipelines inside sub-pipelines that stand around this stage. */
  readonly depth: number
  /** As scope.compile, of what a stage that keeps something evaluates for each document. */
  input(expression: Value): Expression
  readonly inputs: Inputs
  /** An environment of its own for one transform. */
  environment(): Env
  /** The scope of another context's expressions. */
  scopeOf(context: QueryContext): Scope
  /** A sub-pipeline; one level deeper. */
  compile(pipeline: Value, context: QueryContext, rules?: PipelineRules): StagePlan[]
}

/** A row of the stage table. */
export interface StageRow {
  /** With its `$`. */
  readonly name: string
  /** Where the stage may stand, if not anywhere. */
  readonly place?: 'first' | 'last'
  compile(spec: Value, compiler: StageCompiler): StagePlan[]
}
