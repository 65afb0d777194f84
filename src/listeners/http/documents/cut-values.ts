// Documents for a reader who looks at a little of each: in a list with `maxValueBytes` long values
// are cut, and the reply names their fields. A page of a browser then costs little, whatever is
// stored.

import { textOf } from '../../../base/bytes/bytes.js'
import { work } from '../../../base/work/work-budget.js'
import { bytesPerUnit, elementUnits } from '../../../base/work/work-figures.js'
import { WorkTurns } from '../../../base/work/work-turns.js'
import { Elements, idName } from '../../../value/elements.js'
import { bsonType, documentValue, type Value } from '../../../value/value.js'
import { type DocumentWriter, writeDocument } from '../../../value/writer.js'

interface CutDocuments {
  readonly documents: readonly Value[]
  /** Names of the fields that were cut, for each document. */
  readonly cut: readonly (readonly string[])[]
}

/**
 * Cuts what is longer than `bytesMax` in each field: of a text the beginning stays, another value
 * becomes null. `_id` stays whole.
 */
export async function cutDocuments(
  documents: readonly Value[],
  bytesMax: number,
): Promise<CutDocuments> {
  const turns = new WorkTurns()
  const found: Value[] = []
  const cut: string[][] = []
  for (const document of documents) {
    const names: string[] = []
    found.push(cutValues(document, bytesMax, names))
    cut.push(names)
    if (turns.isDue) await turns.pause()
  }
  return { documents: found, cut }
}

/** Adds the names of the fields that it cuts to `names`. */
function cutValues(document: Value, bytesMax: number, names: string[]): Value {
  if (document.end - document.start <= bytesMax) return document
  const shorter = writeDocument((writer) => {
    const { bytes } = document
    const elements = new Elements(bytes, document.start)
    while (elements.next()) {
      const { start, valueStart, valueEnd } = elements
      work.note(elementUnits + Math.min(valueEnd - valueStart, bytesMax) / bytesPerUnit)
      if (valueEnd - valueStart <= bytesMax || elements.nameIs(idName)) {
        writer.element(bytes, start, valueEnd)
      } else {
        const name = elements.name()
        names.push(name)
        writeCut(writer, name, elements.value(), bytesMax)
      }
    }
  })
  return documentValue(shorter)
}

function writeCut(writer: DocumentWriter, name: string, value: Value, bytesMax: number): void {
  const { type, bytes, start } = value
  if (type !== bsonType.string) {
    writer.null(name)
    return
  }
  let end = start + 4 + bytesMax
  // Not inside a character.
  while (end > start + 4 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  writer.string(name, textOf(bytes, start + 4, end))
}
