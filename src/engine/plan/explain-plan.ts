// Prints a plan as MongoDB does: a tree of stages, each with its input and, after a run, its
// figures. Tools read `stage` and follow `inputStage`; bounds are text.

import { blockingBytesMax } from '../../base/limits/documents.js'
import { type FilterNode, filterToDocument } from '../../query/filter.js'
import { noSpills, type SpillFigures } from '../../query/spill.js'
import type { Collation } from '../../value/collation/collation.js'
import { fieldsOf } from '../../value/elements.js'
import { shellText } from '../../value/shell.js'
import {
  bsonType,
  type Document,
  documentValue,
  doubleOf,
  numberValue,
  stringOf,
  type Value,
} from '../../value/value.js'
import type { DocumentWriter } from '../../value/writer.js'
import type { Counters } from '../sources/walk.js'
import type { IndexDescriptor } from '../types.js'
import type { Interval } from './intervals.js'
import type { Listed } from './listed.js'
import type { Access, AskedRange, FieldBounds, Plan } from './plan.js'
import { isMade } from './points.js'

export interface Stage {
  readonly name: string
  /** The stage's own fields. */
  readonly fields: (out: DocumentWriter) => void
  readonly inputs: readonly Stage[]
  /** Fields of executionStats beside nReturned. */
  readonly stats?: (out: DocumentWriter) => void
  /** Documents that leave the stage, after a run. */
  readonly returned: () => number
}

/** The query besides its filter: specifications as the client wrote them. */
export interface Shape {
  readonly sort?: Document | undefined
  readonly projection?: Document | undefined
  readonly skip?: number | undefined
  readonly limit?: number | undefined
  /** Whether the index covers the projection. */
  readonly isCovered?: boolean
  readonly returnKey?: boolean
}

/** Counters of a run: the walk's figures, and the number of results. */
export interface Figures {
  readonly walk: Readonly<Counters>
  readonly returned: number
  /** For a plan with several scans: the keys that each examined. */
  readonly keysByAccess?: readonly number[]
  /** Documents found by more than one entry or scan. */
  readonly repeated?: number
  /** Figures of an in-memory sort. */
  readonly spilled?: SpillFigures | undefined
}

const none = (): void => {}

export const eofStage: Stage = { name: 'EOF', fields: none, inputs: [], returned: () => 0 }

/** The stages of a find. */
export function findStages(plan: Plan, shape: Shape, figures: () => Figures): Stage {
  const returned = () => figures().returned
  const { sort, projection, skip = 0, limit = 0, isCovered = false } = shape
  let stage = isCovered ? coveredStage(plan, figures) : accessStages(plan, figures)
  const isBlocking = sort !== undefined && !plan.isSorted
  if (isBlocking) stage = sortStage(sort, limit > 0 ? limit + skip : 0, stage, figures)
  if (skip > 0) {
    const fields = (out: DocumentWriter) => out.value('skipAmount', numberValue(skip))
    stage = { name: 'SKIP', fields, inputs: [stage], returned }
  }
  if (shape.returnKey === true) {
    stage = { name: 'RETURN_KEY', fields: none, inputs: [stage], returned }
  } else if (projection !== undefined && projection.length > 5) {
    const fields = (out: DocumentWriter) => out.document('transformBy', projection)
    const name = isCovered ? 'PROJECTION_COVERED' : projectionName(projection)
    stage = { name, fields, inputs: [stage], returned }
  }
  if (limit > 0 && !isBlocking) {
    const fields = (out: DocumentWriter) => out.value('limitAmount', numberValue(limit))
    stage = { name: 'LIMIT', fields, inputs: [stage], returned }
  }
  return stage
}

function sortStage(sort: Document, limit: number, input: Stage, figures: () => Figures): Stage {
  return {
    name: 'SORT',
    fields: (out) => {
      out.document('sortPattern', sort).int64('memLimit', blockingBytesMax)
      if (limit > 0) out.int64('limitAmount', limit)
      out.string('type', 'simple')
    },
    inputs: [input],
    stats: (out) => writeSpills(out, 'totalDataSizeSorted', figures().spilled ?? noSpills()),
    returned: () => Math.min(figures().walk.returned, limit > 0 ? limit : Number.MAX_SAFE_INTEGER),
  }
}

/** Writes the spill figures of a blocking stage, after its input size. */
export function writeSpills(out: DocumentWriter, sizeName: string, figures: SpillFigures): void {
  out.int64(sizeName, figures.inputBytes).bool('usedDisk', figures.spills > 0)
  out.int64('spills', figures.spills).int64('spilledDataStorageSize', figures.spilledBytes)
}

/** `PROJECTION_SIMPLE`: only whole top-level fields, included or excluded. */
function projectionName(projection: Document): string {
  for (const [path, value] of fieldsOf(documentValue(projection))) {
    const isFlag = value.isNumber || value.type === bsonType.bool
    if (!isFlag || path.includes('.')) return 'PROJECTION_DEFAULT'
  }
  return 'PROJECTION_SIMPLE'
}

/** Only the scan: records are read only if entries do not suffice. */
function coveredStage({ accesses: [access] }: Plan, figures: () => Figures): Stage {
  const keys = () => figures().walk.keysExamined
  return access === undefined ? eofStage : scanStage(access, keys)
}

function accessStages(plan: Plan, figures: () => Figures): Stage {
  const [access, ...others] = plan.accesses.filter(({ kind }) => kind !== 'nothing')
  const returned = () => figures().walk.returned
  const filter = filterOf(plan.residual)
  if (access === undefined) return eofStage
  const docsExamined = (out: DocumentWriter) =>
    out.value('docsExamined', numberValue(figures().walk.docsExamined))
  if (access.kind === 'records' && access.bounds === undefined) {
    const fields = (out: DocumentWriter) => {
      if (filter !== undefined) out.document('filter', filter)
      out.string('direction', access.reverse ? 'backward' : 'forward')
    }
    return { name: 'COLLSCAN', fields, inputs: [], stats: docsExamined, returned }
  }
  if (access.kind === 'points' && access.keys.length === 1 && plan.isExact) {
    const stats = (out: DocumentWriter) =>
      docsExamined(out.value('keysExamined', numberValue(figures().walk.keysExamined)))
    return { name: 'IDHACK', fields: none, inputs: [], stats, returned }
  }
  const keys = (at: number) => () => {
    const { walk, keysByAccess } = figures()
    return keysByAccess?.[at] ?? walk.keysExamined
  }
  const scans = plan.accesses.map((one, at) => scanStage(one, keys(at)))
  const apart = () => figures().walk.docsExamined - (figures().repeated ?? 0)
  const real = scans.filter((scan) => scan !== eofStage)
  const input =
    others.length === 0 ? real[0] : { name: 'OR', fields: none, inputs: real, returned: apart }
  return {
    name: 'FETCH',
    fields: (out) => {
      if (filter !== undefined) out.document('filter', filter)
    },
    inputs: input === undefined ? [] : [input],
    stats: docsExamined,
    returned,
  }
}

function filterOf(nodes: readonly FilterNode[]): Document | undefined {
  const [only] = nodes
  if (only === undefined) return undefined
  return filterToDocument(nodes.length === 1 ? only : { op: 'and', children: nodes })
}

/** More points of a long membership are not printed. */
const shownPointsMax = 10_000

/** One scan of keys, of an index or of `_id_`. */
export function scanStage(access: Access, keysExamined: () => number, name = 'IXSCAN'): Stage {
  if (access.kind === 'nothing') return eofStage
  const index = access.kind === 'entries' ? access.index : undefined
  const reverse = access.kind === 'points' ? isDescending(access.keys) : access.reverse
  const bounds =
    access.kind === 'entries' ? access.bounds : access.bounds === undefined ? [] : [access.bounds]
  return {
    name,
    fields: (out) => {
      writeIndex(out, index, index === undefined ? bounds[0]?.collation : index.collation)
      if (name !== 'COUNT_SCAN') out.string('direction', reverse ? 'backward' : 'forward')
      if (bounds.some(({ intervals }) => isMade(intervals) && intervals.length > shownPointsMax)) {
        out.string('warning', 'index bounds omitted due to BSON size limit for explain')
        return
      }
      out.openDocument('indexBounds')
      if (access.kind !== 'points' && access.range !== undefined) writeRange(out, access.range)
      else writeBounds(out, bounds, reverse)
      out.close()
    },
    inputs: [],
    stats: (out) => out.value('keysExamined', numberValue(keysExamined())),
    returned: keysExamined,
  }
}

function isDescending(keys: Listed<Uint8Array>): boolean {
  const first = keys.at(0)
  const last = keys.at(-1)
  return first !== undefined && last !== undefined && Buffer.compare(first, last) > 0
}

/** The `_id` index is the records themselves; explain shows it like any other index. */
function writeIndex(
  out: DocumentWriter,
  index: IndexDescriptor | undefined,
  collation: Collation | undefined,
): void {
  const fields = index?.fields ?? [{ path: '_id', direction: 1 }]
  out.openDocument('keyPattern')
  for (const { path, direction, hashed } of fields) {
    if (hashed === true) out.string(path, 'hashed')
    else out.int32(path, direction)
  }
  out.close().string('indexName', index?.name ?? '_id_')
  if (collation !== undefined) out.document('collation', collation.spec)
  out.bool('isMultiKey', index?.multikey.includes(true) ?? false)
  out.openDocument('multiKeyPaths')
  fields.forEach(({ path }, i) => {
    out.openArray(path)
    if (index?.multikey[i] === true) writeArrays(out, index, path)
    out.close()
  })
  out
    .close()
    .bool('isUnique', index?.unique ?? true)
    .bool('isSparse', index?.sparse === true)
  out.bool('isPartial', index?.partial !== undefined).int32('indexVersion', 2)
}

function writeArrays(out: DocumentWriter, { wildcard }: IndexDescriptor, path: string): void {
  const isValue = wildcard?.scan?.path === path
  const arrays = isValue ? wildcard.scan.arrays : [path]
  arrays.forEach((array, i) => {
    out.string(String(i), array)
  })
}

/** Bounds as a count by keys shows them: the client's values, in either direction. */
function writeRange(out: DocumentWriter, { min, max }: AskedRange): void {
  if (min !== undefined) out.document('startKey', min).bool('startKeyInclusive', true)
  if (max !== undefined) out.document('endKey', max).bool('endKeyInclusive', false)
}

function writeBounds(out: DocumentWriter, bounds: readonly FieldBounds[], reverse: boolean): void {
  for (const { path, direction, intervals, collation } of bounds) {
    const isBackward = (direction === -1) !== reverse
    const texts = Array.from(intervals, (one) => intervalText(one, isBackward, collation))
    if (isBackward) texts.reverse()
    out.openArray(path)
    texts.forEach((text, i) => {
      out.string(String(i), text)
    })
    out.close()
  }
}

/** `[1, 5)`, or `(5, 1]` if keys are read downwards. */
export function intervalText(
  { low, high }: Interval,
  isBackward = false,
  collation?: Collation,
): string {
  const [first, last] = isBackward ? [high, low] : [low, high]
  const open = first.inclusive ? '[' : '('
  const close = last.inclusive ? ']' : ')'
  return `${open}${boundText(first.value, collation)}, ${boundText(last.value, collation)}${close}`
}

function boundText(value: Value, collation: Collation | undefined): string {
  if (value.type === bsonType.string && collation !== undefined) {
    return `CollationKey(0x${Buffer.from(collation.key(stringOf(value))).toString('hex')})`
  }
  if (value.type === bsonType.double) {
    const number = doubleOf(value)
    if (number === Number.POSITIVE_INFINITY) return 'inf.0'
    if (number === Number.NEGATIVE_INFINITY) return '-inf.0'
  }
  return shellText(value)
}

/** `{stage: …, inputStage: {…}}` into an open document. */
export function writeStage(out: DocumentWriter, stage: Stage): void {
  out.string('stage', stage.name)
  stage.fields(out)
  writeInputs(out, stage, writeStage)
}

/** Like writeStage, with the figures of each stage. */
export function writeExecution(out: DocumentWriter, stage: Stage): void {
  const returned = stage.returned()
  out.string('stage', stage.name).value('nReturned', numberValue(returned))
  out.int32('executionTimeMillisEstimate', 0).value('works', numberValue(returned + 1))
  out.value('advanced', numberValue(returned)).int32('needTime', 0).int32('needYield', 0)
  out.int32('saveState', 0).int32('restoreState', 0).int32('isEOF', 1)
  stage.fields(out)
  stage.stats?.(out)
  writeInputs(out, stage, writeExecution)
}

function writeInputs(
  out: DocumentWriter,
  { inputs }: Stage,
  write: (out: DocumentWriter, stage: Stage) => void,
): void {
  const [only] = inputs
  if (inputs.length === 1 && only !== undefined) {
    write(out.openDocument('inputStage'), only)
    out.close()
  } else if (inputs.length > 1) {
    out.openArray('inputStages')
    for (const input of inputs) {
      write(out.pushOpenDocument(), input)
      out.close()
    }
    out.close()
  }
}
