// Copies of the documents of `values`, for cases that change them: an update leaves another value,
// and without the old one the next cases of the same document would find it small.

import type { StallCase } from './cases.js'

/** To be sent behind the inserts. */
export const keepValues: StallCase = {
  kind: 'document',
  name: 'keep',
  command: { aggregate: 'values', pipeline: copyInto('kept'), cursor: {} },
}

/** Makes the document again that a case changes, which the last word of its name says. */
export function restoreValue({ name }: StallCase): StallCase {
  const pipeline = [{ $match: { _id: name.slice(name.lastIndexOf(' ') + 1) } }]
  return {
    kind: 'document',
    name: 'restore',
    command: { aggregate: 'kept', pipeline: [...pipeline, ...copyInto('values')], cursor: {} },
  }
}

function copyInto(into: string): object[] {
  return [{ $merge: { into, on: '_id', whenMatched: 'replace' } }]
}
