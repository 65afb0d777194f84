// The whitelist over HTTP: all clients may see it, administrators change it.
// (docs/rights.md, "The whitelist")

import { field } from '../../../value/elements.js'
import { writeDocument } from '../../../value/writer.js'
import { copyFields, type HttpCall, jsonOf } from '../core/call.js'
import type { Route } from '../core/route.js'

const path = '/api/v1/whitelist'

export const whitelistRoutes: readonly Route[] = [
  { method: 'GET', path, access: 'none', run: list },
  {
    method: 'POST',
    mutates: true,
    path,
    access: 'admin',
    fields: { address: 'string!', action: 'string!' },
    run: change,
  },
]

async function list(call: HttpCall): Promise<string> {
  const reply = await call.run(writeDocument((writer) => writer.int32('getWhitelist', 1)))
  return `{"addresses":${jsonOf(call, field(reply, 'addresses'))},"ok":1}`
}

async function change(call: HttpCall): Promise<string> {
  await call.run(
    writeDocument((writer) => {
      copyFields(writer.int32('setWhitelist', 1), call.fields, ['address', 'action'])
    }),
  )
  return list(call)
}
