// What the caller itself may do with a collection, in the replies for HTTP, so that a page offers
// only what will not be refused. (docs/http.md, "Looking at a collection")

import type { Call } from '../../../bus/document/call.js'
import type { Namespace } from '../../../engine/types.js'
import { stringValue } from '../../../value/value.js'
import type { DocumentWriter } from '../../../value/writer.js'

const told = ['read', 'write', 'own', 'admin'] as const

export function writeOwnRights(
  writer: DocumentWriter,
  ns: Namespace,
  call: Pick<Call<unknown, unknown>, 'mayAt'>,
): void {
  writer.openArray('may')
  for (const privilege of told) if (call.mayAt(privilege, ns)) writer.push(stringValue(privilege))
  writer.close()
}
