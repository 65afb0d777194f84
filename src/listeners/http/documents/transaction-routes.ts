// Transactions over HTTP: begun here, named by a header in the requests that belong to them, and
// committed or aborted here. (docs/http.md, "Transactions")

import { fail } from '../../../base/errors.js'
import { readTransactionId } from '../../../bus/document/transactions/transaction-id.js'
import { elementsOf, field } from '../../../value/elements.js'
import { documentToJson, valueToJson } from '../../../value/json/json.js'
import { writeDocument } from '../../../value/writer.js'
import { copyFields, type HttpCall, jsonOf } from '../core/call.js'
import type { RawCall, ReplyRoute, Route } from '../core/route.js'

const path = '/api/v1/transactions'
const one = `${path}/:id`

export const transactionRoutes: readonly (Route | ReplyRoute)[] = [
  {
    method: 'POST',
    path,
    access: 'key',
    fields: { isolation: 'string', readOnly: 'bool' },
    reply: async (call) => {
      const begin = writeDocument((writer) => {
        copyFields(writer.int32('beginTransaction', 1), call.fields, ['isolation', 'readOnly'])
      })
      const begun = await call.run(begin)
      return { status: 201, body: documentToJson(begun, call.mode) }
    },
  },
  { method: 'GET', path, access: 'key', run: list },
  { method: 'GET', path: one, access: 'key', names: 'transaction', run: state },
  {
    method: 'POST',
    path: `${one}/commit`,
    access: 'key',
    names: 'transaction',
    reply: (call) => end(call, 'commitTransaction', 'committed'),
  },
  {
    method: 'POST',
    path: `${one}/abort`,
    access: 'key',
    names: 'transaction',
    reply: (call) => end(call, 'abortTransaction', 'aborted'),
  },
]

async function list(call: HttpCall): Promise<string> {
  const reply = await call.run(writeDocument((writer) => writer.int32('listTransactions', 1)))
  return `{"transactions":${jsonOf(call, field(reply, 'transactions'))},"ok":1}`
}

async function state(call: HttpCall): Promise<string> {
  const reply = await call.run(
    writeDocument((writer) => writer.int32('listTransactions', 1).string('id', call.param('id'))),
  )
  const found = field(reply, 'transactions')
  const [shown] = found === undefined ? [] : elementsOf(found)
  if (shown === undefined) throw fail('InternalError', 'a state without a transaction')
  return `${valueToJson(shown, call.mode).slice(0, -1)},"ok":1}`
}

/** The answer to a repeated request is that of the document wire. */
async function end(
  call: RawCall,
  name: 'commitTransaction' | 'abortTransaction',
  reached: string,
): Promise<{ readonly status: number; readonly body: string }> {
  const id = call.param('id')
  const named = readTransactionId(id)
  if (named === undefined) throw fail('NoSuchTransaction', 'no transaction has this id')
  call.session.transaction = named
  await call.runIn(
    'admin',
    writeDocument((writer) => writer.int32(name, 1)),
  )
  return { status: 200, body: JSON.stringify({ id, state: reached, ok: 1 }) }
}
