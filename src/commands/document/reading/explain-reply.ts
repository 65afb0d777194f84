// The end of every explain reply: the explained command and the server. explain and aggregate with
// `explain: true` share it.

import { hostname } from 'node:os'
import { referenceVersion } from '../../../base/product.js'
import { reply } from '../../../bus/document/reply.js'
import { Elements } from '../../../value/elements.js'
import type { Document } from '../../../value/value.js'

/** Fields of a command that do not affect its plan. */
const unsaid: ReadonlySet<string> = new Set(['$db', 'lsid', '$clusterTime', '$readPreference'])

/** `{…explained, command, serverInfo, ok: 1}`. */
export function explainReply(explained: Document, command: Document, db: string): Document {
  return reply((writer) => {
    const fields = new Elements(explained)
    while (fields.next()) writer.element(explained, fields.start, fields.valueEnd)
    writer.openDocument('command')
    const elements = new Elements(command)
    while (elements.next()) {
      if (unsaid.has(elements.name())) continue
      writer.element(command, elements.start, elements.valueEnd)
    }
    writer.string('$db', db).close()
    writer.openDocument('serverInfo').string('host', hostname()).int32('port', 0)
    writer.string('version', referenceVersion).string('gitVersion', 'unknown').close()
  })
}
