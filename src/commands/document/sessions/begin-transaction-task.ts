// Transactions that begin without a first statement, for clients of HTTP. Each has a session of its
// own, by whose name all protocols can use it. (docs/http.md, "Transactions")

import { fail } from '../../../base/errors.js'
import { transactionMsMax } from '../../../base/limits/store.js'
import {
  anyValue,
  bool,
  oneOf,
  optional,
  string,
  withDefault,
} from '../../../bus/document/params.js'
import { reply } from '../../../bus/document/reply.js'
import { documentRow } from '../../../bus/document/row.js'
import type { TransactionState } from '../../../bus/document/transactions/session-transactions.js'
import {
  readTransactionId,
  transactionId,
} from '../../../bus/document/transactions/transaction-id.js'
import { plain } from '../../../bus/policy/facts.js'
import { numberedUuid } from '../../../store/gateway-number.js'
import { binaryValue, int64Value } from '../../../value/value.js'
import type { DocumentWriter } from '../../../value/writer.js'

const uuidSubtype = 4

const beginTransaction = documentRow({
  name: 'beginTransaction',
  ...plain,
  grain: 'task',
  access: 'identity',
  target: anyValue,
  params: {
    isolation: withDefault(oneOf(['snapshot', 'serializable']), 'snapshot'),
    readOnly: withDefault(bool, false),
  },
  help: 'Begins a transaction in a session of its own; replies with its id, lsid and txnNumber.',
  run: async (call) => {
    const { isolation, readOnly: isReadOnly } = call.args
    const { gateways } = call.engine.store
    const uuid = call.uuid()
    const sessionId = gateways === undefined ? uuid : numberedUuid(uuid, gateways.number)
    const wishes = { isolation, isReadOnly }
    const begun = await call.bus.transactions.start(call, sessionId, wishes)
    return reply((writer) => writeState(writer, begun))
  },
})

const listTransactions = documentRow({
  name: 'listTransactions',
  ...plain,
  grain: 'task',
  access: 'identity',
  target: anyValue,
  params: { id: optional(string) },
  help: "Lists the caller's open transactions, or the state of the one with this id.",
  run: async (call) => {
    const { owner, args } = call
    const states =
      args.id === undefined
        ? call.bus.transactions.list(owner)
        : [await call.bus.transactions.state(call, { owner, ...nameIn(args.id) })]
    return reply((writer) => {
      writer.openArray('transactions')
      for (const state of states) writeState(writer.pushOpenDocument(), state).close()
      writer.close()
    })
  },
})

/** Throws NoSuchTransaction for a text that is no id. */
function nameIn(id: string): { readonly lsid: string; readonly number: number } {
  const named = readTransactionId(id)
  if (named === undefined) throw fail('NoSuchTransaction', 'no transaction has this id')
  return { lsid: Buffer.from(named.sessionId).toString('hex'), number: named.number }
}

function writeState(writer: DocumentWriter, found: TransactionState): DocumentWriter {
  const { lsid, number, state, open } = found
  const sessionId = Buffer.from(lsid, 'hex')
  writer.string('id', transactionId({ sessionId, number }))
  writer.openDocument('lsid').value('id', binaryValue(uuidSubtype, sessionId)).close()
  writer.value('txnNumber', int64Value(BigInt(number))).string('state', state)
  if (open === undefined) return writer
  writer.string('isolation', open.isolation).bool('readOnly', open.isReadOnly)
  writer.date('begunAt', open.begunAt).date('expiresAt', open.begunAt + transactionMsMax)
  return writer.value('bytes', int64Value(BigInt(open.bytes)))
}

export const beginTransactionRows = [beginTransaction, listTransactions]
