// Large values: written in chunks by programs of their own before the program that makes them
// visible, so that no transaction is long. Until then the staging list knows them, and whatever
// ends without being used becomes garbage. (facts: storage 9, rule 13)

import { type Bytes, equalBytes } from '../base/bytes.js'
import { chunksPerProgram } from '../base/limits.js'
import type { Program, Tx } from '../store/store.js'
import { type Sweep, writePhase } from '../store/sweep.js'
import type { Document } from '../value/value.js'
import { allocateValueNumber } from './catalog.js'
import { chunkKey, discardValue, markStaged, stagingKey, type ValueId } from './garbage.js'
import { chunkedRecord, chunkOf, inlineRecord, needsChunks, partsOf } from './records.js'
import type { NamespaceId } from './types.js'

/** Thrown by a program that is about to put a large value which is not staged yet. */
export class StagingNeeded extends Error {
  constructor(
    readonly namespace: NamespaceId,
    readonly document: Document,
  ) {
    super('a large value was put outside of stagedWrite')
    this.name = 'StagingNeeded'
  }
}

interface StagedValue {
  readonly value: ValueId
  readonly document: Document
}

/** The values that the phases before this one have written. Programs read it only. */
export class Staged {
  private readonly values: StagedValue[] = []

  /** The record of a large document; throws the signal that has it staged first. */
  record(tx: Tx, namespace: NamespaceId, document: Document): Bytes {
    for (const staged of this.values) {
      if (staged.value.namespace !== namespace || !sameDocument(staged.document, document)) continue
      tx.remove(stagingKey(staged.value))
      return chunkedRecord({ value: staged.value, length: document.length })
    }
    throw new StagingNeeded(namespace, document)
  }

  add(value: ValueId, document: Document): void {
    this.values.push({ value, document })
  }

  get ids(): readonly ValueId[] {
    return this.values.map((staged) => staged.value)
  }
}

const nothingStaged = new Staged()

/** The value of a record that is about to be put. Call it before the first put of a document. */
export function recordOf(
  tx: Tx,
  namespace: NamespaceId,
  document: Document,
  staged: Staged | undefined,
): Bytes {
  if (!needsChunks(document)) return inlineRecord(document)
  return (staged ?? nothingStaged).record(tx, namespace, document)
}

/** Writes the chunks of one large document and puts it on the staging list. */
export function* stage(staged: Staged, namespace: NamespaceId, document: Document): Sweep<void> {
  const value = yield* writePhase((tx) => beginStaging(tx, namespace))
  staged.add(value, document)
  const parts = partsOf(document.length)
  for (let first = 0; first < parts; first += chunksPerProgram) {
    const end = Math.min(first + chunksPerProgram, parts)
    yield* writePhase((tx) => putChunks(tx, value, document, first, end))
  }
}

function* beginStaging(tx: Tx, namespace: NamespaceId): Program<ValueId> {
  const value = { namespace, number: yield* allocateValueNumber(tx) }
  markStaged(tx, value)
  return value
}

function* putChunks(
  tx: Tx,
  value: ValueId,
  document: Document,
  first: number,
  end: number,
): Program<void> {
  for (let part = first; part < end; part++) tx.put(chunkKey(value, part), chunkOf(document, part))
}

/** What is still on the staging list is in no record. */
export function* discardUnused(tx: Tx, ids: readonly ValueId[]): Program<void> {
  const marks = yield* tx.getMany(ids.map(stagingKey))
  ids.forEach((value, index) => {
    if (marks[index] === undefined) return
    tx.remove(stagingKey(value))
    discardValue(tx, value)
  })
}

function sameDocument(a: Document, b: Document): boolean {
  return a === b || equalBytes(a, b)
}
