// The protocol switches over HTTP: visible to all clients, changed by administrators.
// (docs/sql.md, "Switching it off")

import { field } from '../../../value/elements.js'
import { writeDocument } from '../../../value/writer.js'
import { type HttpCall, jsonOf } from '../core/call.js'
import type { Route } from '../core/route.js'

const path = '/api/v1/protocols'

export const protocolRoutes: readonly Route[] = [
  { method: 'GET', path, access: 'none', run: list },
  {
    method: 'POST',
    path: `${path}/:name/enable`,
    access: 'admin',
    run: (call) => turn(call, true),
  },
  {
    method: 'POST',
    path: `${path}/:name/disable`,
    access: 'admin',
    run: (call) => turn(call, false),
  },
]

async function list(call: HttpCall): Promise<string> {
  const reply = await call.run(writeDocument((writer) => writer.int32('listProtocols', 1)))
  return `{"protocols":${jsonOf(call, field(reply, 'protocols'))},"ok":1}`
}

async function turn(call: HttpCall, enabled: boolean): Promise<string> {
  const name = call.param('name')
  await call.run(
    writeDocument((writer) => writer.string('setProtocol', name).bool('enabled', enabled)),
  )
  return JSON.stringify({ ok: 1, protocol: name, enabled })
}
