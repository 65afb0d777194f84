// What a reply reports of a write concern that asks for more servers than there are. The write has
// taken effect.

import { codes } from '../../base/errors.js'
import type { Document } from '../../value/value.js'
import { writeDocument } from '../../value/writer.js'
import type { UnmetConcern } from './generic.js'

export function concernError(kind: UnmetConcern): Document {
  const isMode = kind === 'UnknownReplWriteConcern'
  const text = isMode ? 'No write concern mode of that name' : 'Not enough data-bearing nodes'
  return writeDocument((writer) => {
    writer.openDocument('writeConcernError').int32('code', codes[kind].code)
    writer.string('codeName', kind).string('errmsg', text).close()
  })
}
