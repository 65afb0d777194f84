// Packs measurements into buckets, in MongoDB's storage form of a time-series collection: mongodump
// reads `system.buckets.<name>` and mongorestore writes it. The measurements of a bucket share one
// metaField value and the bucket's span, and their fields do not mix kinds.
// Source: MongoDB manual, Time Series Collections.

import { createHash } from 'node:crypto'
import { bucketBytesMax, bucketMeasurementsMax } from '../../../base/limits/documents.js'
import { work } from '../../../base/work/work-budget.js'
import { valueUnits } from '../../../base/work/work-figures.js'
import { Elements } from '../../../value/elements.js'
import { readInt64AsNumber } from '../../../value/numbers.js'
import {
  bsonType,
  type Document,
  nullValue,
  objectIdValue,
  type Value,
} from '../../../value/value.js'
import { type DocumentWriter, writeDocument } from '../../../value/writer.js'
import type { Emit, Transform, TransformPlan } from '../stage.js'
import { type Extremes, fits, type Side, widened, writeExtreme } from './series-extremes.js'

/** Buckets that a read fills at once, and their bytes: interleaved series need one each. */
const openBucketsMax = 256
const openBucketsBytesMax = 1_048_576

/** The packing rules of a collection. */
export interface BucketRules {
  readonly timeField: string
  readonly metaField: string | undefined
  readonly spanSeconds: number
  readonly roundingSeconds: number
}

interface Column {
  readonly values: Map<number, Value>
  extremes: Extremes
}

/** The bucket version with columns as plain objects. */
const plainVersion = 1

class Bucket {
  readonly columns = new Map<string, Column>()
  readonly first: Document
  count = 0
  bytes = 0

  constructor(
    first: Document,
    /** Milliseconds, rounded down. */
    readonly begin: number,
    readonly meta: Value | undefined,
  ) {
    this.first = first
  }

  takes(fields: readonly Field[], bytes: number): boolean {
    if (this.count >= bucketMeasurementsMax || this.bytes + bytes > bucketBytesMax) return false
    return fields.every(({ name, value }) => fits(this.columns.get(name)?.extremes, value))
  }

  add(fields: readonly Field[], bytes: number): void {
    for (const { name, value } of fields) {
      const column = this.columns.get(name)
      if (column === undefined) {
        const values = new Map([[this.count, value]])
        this.columns.set(name, { values, extremes: widened(undefined, value) })
      } else if (!column.values.has(this.count)) {
        column.values.set(this.count, value)
        column.extremes = widened(column.extremes, value)
      }
    }
    this.count++
    this.bytes += bytes
  }

  /** The bucket's document; `ordinal` distinguishes buckets whose first measurements are equal. */
  document(timeField: string, ordinal: number): Document {
    return writeDocument((writer) => {
      writer.value('_id', objectIdValue(this.id(ordinal)))
      writer.openDocument('control').int32('version', plainVersion)
      this.writeControl(writer, 'min', timeField)
      this.writeControl(writer, 'max', timeField)
      writer.close()
      if (this.meta !== undefined) writer.value('meta', this.meta)
      writer.openDocument('data')
      for (const [name, { values }] of this.columns) {
        writer.openDocument(name)
        for (const [i, value] of values) writer.value(String(i), value)
        writer.close()
      }
      writer.close()
    })
  }

  private writeControl(writer: DocumentWriter, side: Side, timeField: string): void {
    writer.openDocument(side)
    for (const [name, { extremes }] of this.columns) {
      if (name === timeField && side === 'min') writer.date(name, this.begin)
      else writeExtreme(writer, name, extremes, side)
    }
    writer.close()
  }

  /** The id begins with the bucket's time in seconds, as in MongoDB. */
  private id(ordinal: number): Uint8Array {
    const hash = createHash('sha256').update(this.first).update(String(ordinal)).digest()
    const id = new Uint8Array(hash.subarray(0, 12))
    new DataView(id.buffer).setUint32(0, (this.begin / 1000) >>> 0)
    return id
  }
}

interface Field {
  readonly name: string
  readonly value: Value
}

/**
 * Emits one document per bucket. The number of open buckets is bounded; the oldest is closed first.
 */
class Packing implements Transform {
  private readonly open = new Map<string, Bucket>()
  private bytes = 0
  private made = 0

  constructor(private readonly rules: BucketRules) {}

  get satisfied(): boolean {
    return false
  }

  get pending(): boolean {
    return false
  }

  get bytesHeld(): number {
    return this.bytes
  }

  resume(_emit: Emit): void {}

  push(document: Document, emit: Emit): void {
    const { rules } = this
    const { fields, meta, time } = partsOf(document, rules)
    const key = meta === undefined ? '' : `${meta.type}:${latin1(meta)}`
    const found = this.open.get(key)
    const begin = roundedDown(time, rules.roundingSeconds)
    const isWithin =
      found !== undefined && time >= found.begin && time < found.begin + rules.spanSeconds * 1000
    if (found !== undefined && !(isWithin && found.takes(fields, document.length))) {
      this.pack(key, found, emit)
    }
    let bucket = this.open.get(key)
    if (bucket === undefined) {
      bucket = new Bucket(document, begin, meta)
      this.open.set(key, bucket)
    }
    bucket.add(fields, document.length)
    this.bytes += document.length
    while (this.bytes > openBucketsBytesMax || this.open.size > openBucketsMax) {
      const [oldest] = this.open
      if (oldest === undefined) break
      this.pack(...oldest, emit)
    }
  }

  *finish(emit: Emit): Generator<void, void, void> {
    for (const [key, bucket] of [...this.open]) {
      this.pack(key, bucket, emit)
      yield
    }
  }

  private pack(key: string, bucket: Bucket, emit: Emit): void {
    this.open.delete(key)
    this.bytes -= bucket.bytes
    work.spend(bucket.count * bucket.columns.size * valueUnits)
    emit(bucket.document(this.rules.timeField, this.made++))
  }
}

function partsOf(document: Document, { timeField, metaField }: BucketRules) {
  const fields: Field[] = []
  let meta: Value | undefined
  let time = 0
  const elements = new Elements(document)
  while (elements.next()) {
    const name = elements.name()
    const value = elements.value()
    if (name === metaField) meta ??= value
    else fields.push({ name, value })
    if (name === timeField && value.type === bsonType.date) {
      time = readInt64AsNumber(value.bytes, value.start)
    }
  }
  work.spend(fields.length * valueUnits)
  return { fields, meta, time }
}

function latin1({ bytes, start, end }: Value): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1')
}

function roundedDown(ms: number, seconds: number): number {
  return Math.floor(ms / (seconds * 1000)) * seconds * 1000
}

/** The stage that packs the measurements of a collection. */
export function packingStage(rules: BucketRules): TransformPlan {
  const create = (): Transform => new Packing(rules)
  return { kind: 'transform', name: '$_internalPackBuckets', spec: nullValue, create }
}
