// Caches chosen plans by query shape, with the details for $planCacheStats. Details are recorded
// when the trial ends, because a plan keeps the bytes of its request alive.

import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { KiB } from '../../base/units.js'
import { type Filter, filterToDocument } from '../../query/filter.js'
import type { Sort } from '../../query/sort.js'
import { type Document, numberValue } from '../../value/value.js'
import { DocumentWriter, writeDocument } from '../../value/writer.js'
import type { NamespaceId } from '../types.js'
import { type Figures, findStages, type Shape, writeExecution, writeStage } from './explain-plan.js'
import type { Plan } from './plan.js'

/** Query shapes with a kept winner. */
const planChoicesMax = 5_000

/** Maximum details of one choice for $planCacheStats, bytes. */
const planCacheDetailBytesMax = 4 * KiB
/** Queries that use a choice before it is made again, since the data may have changed. */
export const planChoiceUses = 500

/** The result of a plan's trial on its first documents. */
export interface Trial {
  readonly plan: Plan
  readonly keysExamined: number
  readonly docsExamined: number
  readonly found: number
  /** Whether the plan reached its end. */
  readonly isDone: boolean
}

/** The best first. */
type Trials = readonly [Trial, ...Trial[]]

/** A query shape, and its collection. */
export interface Shaped {
  readonly collection: NamespaceId
  readonly version: number
  /** The query without its values. */
  readonly text: string
}

/** The query of a trial. */
interface Tried {
  readonly filter: Filter
  readonly sort: Sort | undefined
  /** Time of the command, milliseconds since 1970. */
  readonly now: number | undefined
}

interface Choice {
  readonly shaped: Shaped
  readonly winner: string
  usesLeft: number
  readonly details: Document
}

/** Chosen plans by shape; in this process only, because they are advice, not data. */
export class PlanChoices {
  private readonly kept = new LRUCache<string, Choice>({ max: planChoicesMax })

  /** The chosen plan for this shape; undefined if it must be determined. */
  find(shaped: Shaped, plans: readonly Plan[], nameOf: (plan: Plan) => string): Plan | undefined {
    const choice = this.kept.get(keyOf(shaped))
    if (choice === undefined || choice.usesLeft === 0) return undefined
    choice.usesLeft--
    return plans.find((plan) => nameOf(plan) === choice.winner)
  }

  /** `winner` is the name of the first trial's plan. */
  keep(shaped: Shaped, winner: string, trials: Trials, tried: Tried): void {
    const details = detailsOf(shaped, trials, tried)
    this.kept.set(keyOf(shaped), { shaped, winner, usesLeft: planChoiceUses, details })
  }

  /** $planCacheStats of the current version of a collection; choices of older versions are void. */
  *stats(collection: NamespaceId, version: number, host: string): Generator<Document> {
    for (const { shaped, usesLeft, details } of this.kept.values()) {
      if (shaped.collection !== collection || shaped.version !== version) continue
      const out = new DocumentWriter()
      out
        .element(details, 4, details.length - 1)
        .bool('isActive', usesLeft > 0)
        .string('host', host)
      yield out.finish()
    }
  }

  /** Removes the choices of a collection, or only of one shape if `text` is given. */
  clear(collection: NamespaceId, text?: string): void {
    for (const [key, { shaped }] of [...this.kept.entries()]) {
      if (shaped.collection !== collection) continue
      if (text === undefined || shaped.text === text) this.kept.delete(key)
    }
  }
}

function keyOf({ collection, version, text }: Shaped): string {
  return `${collection}\0${version}\0${text}`
}

/** Like MongoDB's: 8 hex digits of the shape, and of the shape with its collection. */
export function hashesOf(shaped: Shaped): { queryHash: string; planCacheKey: string } {
  return { queryHash: hashOf(shaped.text), planCacheKey: hashOf(keyOf(shaped)) }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8).toUpperCase()
}

function detailsOf(shaped: Shaped, trials: Trials, tried: Tried): Document {
  const [best] = trials
  const { queryHash, planCacheKey } = hashesOf(shaped)
  const { filter } = tried
  const sort = sortDocument(tried.sort)
  const shape: Shape = { sort }
  const debug = writeDocument((out) => {
    out.openDocument('createdFromQuery').document('query', filterToDocument(filter.tree))
    out.document('sort', sort).openDocument('projection').close()
    if (filter.collation !== undefined) out.document('collation', filter.collation.spec)
    out.close()
    writeStage(
      out.openDocument('cachedPlan'),
      findStages(best.plan, shape, () => figuresOf(best)),
    )
    out.close().openArray('creationExecStats')
    for (const trial of trials) writeTrial(out.pushOpenDocument(), trial, shape)
    out.close().openArray('candidatePlanScores')
    trials.forEach((trial, i) => {
      out.double(String(i), scoreOf(trial))
    })
    out.close()
  })
  return writeDocument((out) => {
    out.string('version', '1').string('queryHash', queryHash).string('planCacheKey', planCacheKey)
    out.int64('works', worksOf(best))
    if (tried.now !== undefined) out.date('timeOfCreation', tried.now)
    // As on MongoDB, details too large to keep are omitted, and the choice stays.
    if (debug.length <= planCacheDetailBytesMax) out.element(debug, 4, debug.length - 1)
    out.bool('indexFilterSet', false)
    out.int64('estimatedSizeBytes', Math.min(debug.length, planCacheDetailBytesMax))
  })
}

function sortDocument(sort: Sort | undefined): Document {
  return writeDocument((out) => {
    for (const { path, direction } of sort?.parts ?? []) out.int32(path.text, direction)
  })
}

/** Writes the figures of a tried plan as in explain; closes the document. */
export function writeTrial(out: DocumentWriter, trial: Trial, shape: Shape): void {
  out.value('nReturned', numberValue(trial.found)).int32('executionTimeMillisEstimate', 0)
  out.value('totalKeysExamined', numberValue(trial.keysExamined))
  out.value('totalDocsExamined', numberValue(trial.docsExamined))
  writeExecution(
    out.openDocument('executionStages'),
    findStages(trial.plan, shape, () => figuresOf(trial)),
  )
  out.close().close()
}

function figuresOf({ keysExamined, docsExamined, found }: Trial): Figures {
  return { walk: { keysExamined, docsExamined, returned: found }, returned: found }
}

/** Keys or documents that a trial examined, whichever are more. */
export function worksOf({ keysExamined, docsExamined }: Trial): number {
  return Math.max(keysExamined, docsExamined)
}

/**
 * MongoDB's score: one, plus the share of examined items that were results, plus one for reaching
 * the end.
 */
function scoreOf(trial: Trial): number {
  return 1 + trial.found / Math.max(worksOf(trial), 1) + (trial.isDone ? 1 : 0)
}
