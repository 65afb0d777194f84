// The ends of a transaction of the document wire. Statements reach their transaction by the fields
// that every command accepts.

import { anyValue, ignored } from '../../../bus/document/params.js'
import { documentRow } from '../../../bus/document/row.js'
import { plain } from '../../../bus/policy/facts.js'

const commitTransaction = documentRow({
  name: 'commitTransaction',
  ...plain,
  ends: 'transaction',
  grows: 'documents',
  grain: 'task',
  access: 'identity',
  adminOnly: true,
  stable: true,
  target: anyValue,
  params: { recoveryToken: ignored },
  help: 'Refused: it must be run within a transaction.',
  run: (call) => call.bus.transactions.commit(call),
})

const abortTransaction = documentRow({
  name: 'abortTransaction',
  ...plain,
  ends: 'transaction',
  grain: 'task',
  access: 'identity',
  adminOnly: true,
  stable: true,
  target: anyValue,
  params: { recoveryToken: ignored },
  help: 'Refused: it must be run within a transaction.',
  run: (call) => call.bus.transactions.abort(call),
})

export const transactionRows = [commitTransaction, abortTransaction]
