// Privacy and roles of a collection: its ownership, visible to all clients, and the owner's
// changes. (docs/rights.md, "Collections")

import { field } from '../../../value/elements.js'
import type { DocumentWriter } from '../../../value/writer.js'
import { command, copyFields, type HttpCall, jsonOf } from '../core/call.js'
import type { Route } from '../core/route.js'

const collection = '/api/v1/collections/:name'

export const privacyRoutes: readonly Route[] = [
  { method: 'GET', path: `${collection}/privacy`, access: 'none', run: getPrivacy },
  {
    method: 'POST',
    mutates: true,
    path: `${collection}/privacy`,
    access: 'key',
    fields: { mode: 'string', ownerAddress: 'string', release: 'bool' },
    run: setPrivacy,
  },
  { method: 'GET', path: `${collection}/roles`, access: 'key', run: getRoles },
  {
    method: 'POST',
    mutates: true,
    path: `${collection}/roles`,
    access: 'key',
    fields: { address: 'string!', action: 'string!', role: 'whole' },
    run: setRole,
  },
]

async function getPrivacy(call: HttpCall): Promise<string> {
  const reply = await call.run(command(call, 'getPrivacy', () => undefined))
  return `{"privacy":${jsonOf(call, field(reply, 'privacy'))},"ok":1}`
}

async function setPrivacy(call: HttpCall): Promise<string> {
  const fill = (writer: DocumentWriter) =>
    copyFields(writer, call.fields, ['mode', 'ownerAddress', 'release'])
  const reply = await call.run(command(call, 'setPrivacy', fill))
  const names = ['collection', 'mode', 'ownerAddress', 'released']
  const shown = names.flatMap((name) => {
    const value = field(reply, name)
    return value === undefined ? [] : [`"${name}":${jsonOf(call, value)}`]
  })
  return `{${shown.join(',')},"ok":1}`
}

async function getRoles(call: HttpCall): Promise<string> {
  const reply = await call.run(command(call, 'getRoles', () => undefined))
  return `{"accessRoles":${jsonOf(call, field(reply, 'accessRoles'))},"ok":1}`
}

async function setRole(call: HttpCall): Promise<string> {
  const fill = (writer: DocumentWriter) =>
    copyFields(writer, call.fields, ['address', 'action', 'role'])
  const reply = await call.run(command(call, 'setRole', fill))
  return `{"accessRoles":${jsonOf(call, field(reply, 'accessRoles'))},"ok":1}`
}
