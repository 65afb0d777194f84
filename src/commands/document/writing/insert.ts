// insert: documents are written in groups of one program each. A group is atomic, the command is
// not, as in MongoDB: documents before a refused one stay. (docs/design/transactions.md, rule 2)

import { insertedAtOnceMax, programBytesMax } from '../../../base/limits/engine.js'
import { inlineValueBytesMax } from '../../../base/limits/store.js'
import {
  bool,
  collection,
  documents,
  strictBool,
  withDefault,
} from '../../../bus/document/params.js'
import { reply } from '../../../bus/document/reply.js'
import { documentRow } from '../../../bus/document/row.js'
import { plain } from '../../../bus/policy/facts.js'
import { withId } from '../../../engine/collection/collections.js'
import { seriesOfBuckets } from '../../../engine/collection/kinds/series-buckets.js'
import { type Document, timestampValue, type Value } from '../../../value/value.js'
import { bypassEmptyTsReplacement, requireBatch, writtenResource } from '../arguments.js'
import { insertBuckets } from './insert-buckets.js'
import { insertGroup, type Numbered } from './insert-group.js'
import { failuresValue, requireOwn, type WriteFailure, writeFailures } from './write-errors.js'

export const insertRow = documentRow({
  name: 'insert',
  ...plain,
  inTransactions: true,
  retryable: true,
  grows: 'documents',
  fails: 'inPart',
  metered: 'insert',
  quotesOwn: true,
  roles: ['writes'],
  grain: 'sweep',
  access: 'identity',
  stable: true,
  target: collection,
  params: {
    documents,
    ordered: withDefault(strictBool, true),
    bypassDocumentValidation: withDefault(bool, false),
    bypassEmptyTsReplacement,
  },
  resources: ({ db, target, args }) =>
    writtenResource({ db, target: seriesOfBuckets(target) ?? target, args }),
  help: 'Adds documents, and creates the collection if it is missing.',
  *run(call) {
    const { documents: given, ordered } = call.args
    requireBatch(given.length)
    const series = seriesOfBuckets(call.target)
    if (series !== undefined) return yield* insertBuckets(call, series)
    const failures: WriteFailure[] = []
    const serverTime = call.args.bypassEmptyTsReplacement ? undefined : serverTimes(call.now)
    let inserted = 0
    let next = 0
    while (next < given.length && !(ordered && failures.length > 0)) {
      const group: Numbered[] = []
      const refused: WriteFailure[] = []
      const makeId = (index: number) => () => call.objectId(index)
      for (let bytes = 0; next < given.length && canTake(group, bytes, given[next]); next++) {
        const index = next
        try {
          const document = withId(given[index] as Document, makeId(index), serverTime)
          group.push({ index, document })
          bytes += document.length
        } catch (thrown) {
          refused.push({ index, error: requireOwn(thrown) })
          if (ordered) break
        }
      }
      const outcome = yield* insertGroup(call, group, ordered)
      inserted += outcome.inserted
      failures.push(...outcome.failures)
      if (!ordered || outcome.failures.length === 0) failures.push(...refused)
    }
    failures.sort((a, b) => a.index - b.index)
    const writeErrors = yield* failuresValue(failures)
    return reply((writer) => {
      writer.int32('n', inserted)
      writeFailures(writer, writeErrors)
    })
  },
})

/** Whether a further document fits the group; a staged one needs its own program. */
function canTake(group: readonly Numbered[], bytes: number, next: Document | undefined): boolean {
  const [first] = group
  if (first === undefined) return true
  if (next === undefined || group.length >= insertedAtOnceMax) return false
  if (next.length > inlineValueBytesMax || first.document.length > inlineValueBytesMax) return false
  return bytes + next.length <= programBytesMax / 2
}

/** Values for Timestamp(0, 0) at the top level: the call's time, with a counter. */
function serverTimes(now: number): () => Value {
  let increment = 0
  return () => timestampValue(Math.floor(now / 1000), ++increment)
}
