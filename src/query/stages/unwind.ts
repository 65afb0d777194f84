// $unwind: one document for each element of an array. A long array is emitted in steps, so that one
// document never creates an unbounded number of documents at once.

import type { Bytes } from '../../base/bytes/bytes.js'
import { stepDocumentsMax } from '../../base/limits/engine.js'
import { work } from '../../base/work/work-budget.js'
import { Elements } from '../../value/elements.js'
import { type FieldPath, parsePath, valueAt } from '../../value/path.js'
import {
  boolOf,
  bsonType,
  type Document,
  int64Value,
  nullValue,
  readInt32,
  stringOf,
  type Value,
} from '../../value/value.js'
import { DocumentWriter } from '../../value/writer.js'
import type { QueryContext } from '../context.js'
import { location, type Result, typeName } from '../expressions/operator.js'
import { requirePath } from '../projection-spec.js'
import { expressionNeeds, unwindEffect } from './effects.js'
import { FieldSetter } from './setter.js'
import { type Emit, type StageRow, StreamTransform } from './stage.js'
import { plainStage } from './stage-facts.js'

interface Options {
  readonly path: FieldPath
  readonly keepsEmpty: boolean
  readonly indexPath: string | undefined
}

/** The document with another value at a path through objects; undefined removes the field. */
function withValue(document: Document, path: FieldPath, value: Result): Document {
  const writer = new DocumentWriter()
  copyWith(document, 0, path, 0, value, writer)
  return writer.finish()
}

function copyWith(
  bytes: Bytes,
  start: number,
  path: FieldPath,
  index: number,
  value: Result,
  writer: DocumentWriter,
): void {
  const name = path.names[index] as Bytes
  const part = path.parts[index] as string
  const end = start + readInt32(bytes, start) - 1
  const elements = new Elements(bytes, start)
  while (elements.next()) {
    if (!elements.nameIs(name)) continue
    copyRange(bytes, start + 4, elements.start, writer)
    if (index < path.names.length - 1) {
      writer.openDocument(part)
      copyWith(bytes, elements.valueStart, path, index + 1, value, writer)
      writer.close()
    } else if (value !== undefined) writer.value(part, value)
    copyRange(bytes, elements.valueEnd, end, writer)
    return
  }
  copyRange(bytes, start + 4, end, writer)
}

function copyRange(bytes: Bytes, from: number, to: number, writer: DocumentWriter): void {
  if (to > from) writer.element(bytes, from, to)
}

/** Work units of an element that becomes a document, beside its bytes: 0.2 µs. */
const unwoundUnits = 2

/** A document in progress; its next element is at `position`. */
interface Unwinding {
  readonly document: Document
  readonly elements: Elements
  position: number
  /** Whether `elements` is at the next element. */
  hasNext: boolean
}

/** Each such piece of a document counts as one more document: a step emits 4 MiB at most. */
const largeBytes = 8 * 1_024

class Unwind extends StreamTransform {
  private current: Unwinding | undefined
  private readonly queue: Document[] = []
  private queuedBytes = 0
  private readonly index: FieldSetter | undefined

  constructor(
    private readonly options: Options,
    context: QueryContext,
  ) {
    super()
    const { indexPath } = options
    this.index = indexPath === undefined ? undefined : new FieldSetter(indexPath, context)
  }

  override get pending(): boolean {
    return this.current !== undefined
  }

  override get bytesHeld(): number {
    return this.queuedBytes + (this.current?.document.length ?? 0)
  }

  push(document: Document, emit: Emit): void {
    if (this.current !== undefined) {
      this.queue.push(document)
      this.queuedBytes += document.length
    } else this.begin(document, emit)
    this.resume(emit)
  }

  override resume(emit: Emit): void {
    for (let room = stepDocumentsMax; room > 0 && !(room < stepDocumentsMax && work.isDue); ) {
      if (this.current === undefined) {
        const next = this.queue.shift()
        if (next === undefined) return
        this.queuedBytes -= next.length
        this.begin(next, emit)
        room--
      } else room -= this.unwind(this.current, room, emit)
    }
  }

  override *finish(emit: Emit): Generator<void, void, void> {
    while (this.current !== undefined || this.queue.length > 0) {
      this.resume(emit)
      yield
    }
  }

  private begin(document: Document, emit: Emit): void {
    const { path, keepsEmpty } = this.options
    const value = valueAt(document, path)
    if (value?.type === bsonType.array) {
      const elements = new Elements(value.bytes, value.start)
      const hasNext = elements.next()
      if (hasNext) this.current = { document, elements, position: 0, hasNext }
      else if (keepsEmpty) emit(this.indexed(withValue(document, path, undefined), nullValue))
    } else if (value !== undefined && !value.isNullish) {
      emit(this.indexed(document, nullValue))
    } else if (keepsEmpty) emit(this.indexed(document, nullValue))
  }

  /** Emits up to `room` elements, fewer if documents are large; returns the used room. */
  private unwind(current: Unwinding, room: number, emit: Emit): number {
    const { document, elements } = current
    let emitted = 0
    while (current.hasNext && emitted < room && !(emitted > 0 && work.isDue)) {
      work.note(unwoundUnits)
      const unwound = withValue(document, this.options.path, elements.value())
      const index = current.position++
      current.hasNext = elements.next()
      if (!current.hasNext) this.current = undefined
      emitted += 1 + Math.floor(unwound.length / largeBytes)
      emit(this.indexed(unwound, this.index === undefined ? nullValue : int64Value(BigInt(index))))
    }
    return emitted
  }

  private indexed(document: Document, index: Value): Document {
    return this.index === undefined ? document : this.index.set(document, index)
  }
}

export function unwindOptionsOf(spec: Value): Options {
  if (spec.type === bsonType.string) {
    return { path: pathOf(spec), keepsEmpty: false, indexPath: undefined }
  }
  if (spec.type !== bsonType.object) {
    throw location(
      15981,
      'expected either a string or an object as specification for $unwind stage, got ' +
        typeName(spec),
    )
  }
  let path: FieldPath | undefined
  let keepsEmpty = false
  let indexPath: string | undefined
  const elements = new Elements(spec.bytes, spec.start)
  while (elements.next()) {
    const value = elements.value()
    switch (elements.name()) {
      case 'path':
        if (value.type !== bsonType.string) {
          throw location(
            28808,
            `expected a string as the path for $unwind stage, got ${typeName(value)}`,
          )
        }
        path = pathOf(value)
        break
      case 'preserveNullAndEmptyArrays':
        if (value.type !== bsonType.bool) {
          throw location(
            28809,
            'expected a boolean for the preserveNullAndEmptyArrays option to $unwind stage, got ' +
              typeName(value),
          )
        }
        keepsEmpty = boolOf(value)
        break
      case 'includeArrayIndex':
        indexPath = indexPathOf(value)
        break
      default:
        throw location(28811, `unrecognized option to $unwind stage: ${elements.name()}`)
    }
  }
  if (path === undefined) throw location(28812, 'no path specified to $unwind stage')
  return { path, keepsEmpty, indexPath }
}

function pathOf(value: Value): FieldPath {
  const text = stringOf(value)
  if (text === '') throw location(28812, 'no path specified to $unwind stage')
  if (!text.startsWith('$')) {
    throw location(28818, `path option to $unwind stage should be prefixed with a '$': ${text}`)
  }
  requirePath(text.slice(1))
  return parsePath(text.slice(1))
}

function indexPathOf(value: Value): string {
  const text = value.type === bsonType.string ? stringOf(value) : ''
  if (text === '') {
    throw location(
      28810,
      'expected a non-empty string for the includeArrayIndex  option to $unwind stage, got ' +
        typeName(value),
    )
  }
  if (text.startsWith('$')) {
    throw location(
      28822,
      `includeArrayIndex option to $unwind stage should not be prefixed with a '$': ${text}`,
    )
  }
  requirePath(text)
  return text
}

export const unwindStage: StageRow = {
  ...plainStage,
  name: '$unwind',
  effect: ({ spec }) => unwindEffect(spec),
  needs: expressionNeeds,
  compile: (spec, { context }) => {
    const options = unwindOptionsOf(spec)
    return [
      { kind: 'transform', name: '$unwind', spec, create: () => new Unwind(options, context) },
    ]
  },
}
