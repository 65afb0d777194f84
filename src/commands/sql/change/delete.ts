// DELETE: deletes all its rows or none; RETURNING returns them. TRUNCATE has a file of its own,
// because it reads no rows. (docs/sql.md, "Changes are all or nothing")

import type { DeleteStatement } from '../../../protocol/sql/ast.js'
import type { Sweep } from '../../../store/sweep.js'
import { type Document, numberValue } from '../../../value/value.js'
import { collectionOf, type SqlCall } from './change-call.js'
import { changeReply } from './change-reply.js'
import { changeRows } from './change-rows.js'

export function* runDelete(call: SqlCall, statement: DeleteStatement): Sweep<Document> {
  const { matched, returned } = yield* changeRows(call, {
    statement,
    afterIn: () => () => undefined,
  })
  return yield* changeReply(
    call,
    collectionOf(statement.table),
    (writer) => writer.value('deletedCount', numberValue(matched)),
    returned,
  )
}
