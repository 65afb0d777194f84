// The routes by which a wallet's session manages its API keys, and the public view of the registry.
// Each runs one command of Sigil. (docs/keys.md, "Routes")

import { documentToJson } from '../../../value/json/json.js'
import { writeDocument } from '../../../value/writer.js'
import { copyFields, type HttpCall } from '../core/call.js'
import type { Route } from '../core/route.js'

const keys = '/api/v1/keys'

export const keyRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: `${keys}/generate`,
    access: 'session',
    fields: { label: 'string!', permissions: 'array!', rateLimit: 'whole', onChain: 'object' },
    run: (call) => run(call, 'generateKey', 1, ['label', 'permissions', 'rateLimit', 'onChain']),
  },
  { method: 'GET', path: keys, access: 'session', run: (call) => run(call, 'listKeys', 1) },
  {
    method: 'DELETE',
    path: `${keys}/:hash`,
    access: 'session',
    fields: { onChain: 'object' },
    run: (call) => run(call, 'revokeKey', call.param('hash'), ['onChain']),
  },
  {
    method: 'POST',
    path: `${keys}/:hash/rotate`,
    access: 'session',
    fields: { onChain: 'object' },
    run: (call) => run(call, 'rotateKey', call.param('hash'), ['onChain']),
  },
  {
    method: 'PUT',
    path: `${keys}/:hash/permissions`,
    access: 'session',
    fields: { permissions: 'array!', label: 'string', rateLimit: 'whole' },
    run: (call) =>
      run(call, 'setKeyPermissions', call.param('hash'), ['permissions', 'label', 'rateLimit']),
  },
  {
    method: 'GET',
    path: '/api/v1/registry',
    access: 'none',
    query: { address: 'string!' },
    run: (call) => run(call, 'keyRegistry', call.query('address') ?? ''),
  },
]

/** The whole reply of the command as JSON: the command was made for this route. */
async function run(
  call: HttpCall,
  name: string,
  target: string | number,
  fields: readonly string[] = [],
): Promise<string> {
  const reply = await call.run(
    writeDocument((writer) => {
      if (typeof target === 'string') writer.string(name, target)
      else writer.int32(name, target)
      copyFields(writer, call.fields, fields)
    }),
  )
  return documentToJson(reply, call.mode)
}
