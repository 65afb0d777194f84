// A find of one document by a filter, for a listener that has the compiled filter and takes the
// document as it is. The same row runs, but neither command nor reply is encoded.

import { noGeneric } from '../../../bus/document/generic.js'
import type { Prepared, Request } from '../../../bus/document/request.js'
import type { Document } from '../../../value/value.js'
import { writeDocument } from '../../../value/writer.js'
import { emptyDocument } from '../arguments.js'
import { type FindArgs, findParams, findRow } from './find.js'

const absent = Object.fromEntries(
  Object.entries(findParams).map(([name, field]) => [name, field.absent]),
)

const one = { ...absent, filter: emptyDocument, limit: 1, singleBatch: true } as FindArgs

const noSequences: Request['sequences'] = new Map()

export class FindOneRequest implements Request {
  readonly sequences = noSequences
  readonly takesDocument = true
  readonly prepared: Prepared
  private command: Document | undefined

  constructor(
    readonly db: string,
    private readonly collection: string,
    private readonly filter: Document,
  ) {
    const parsed = { args: { ...one, filter }, target: collection, generic: noGeneric }
    this.prepared = { row: findRow, parsed }
  }

  /** The equivalent command, for logs and currentOp. */
  get body(): Document {
    this.command ??= writeDocument((writer) => {
      writer.string('find', this.collection).document('filter', this.filter)
      writer.int32('limit', 1).bool('singleBatch', true)
    })
    return this.command
  }
}
