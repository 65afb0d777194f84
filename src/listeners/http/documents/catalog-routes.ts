// Creates, changes and renames collections, by the commands of the document protocol.
// (docs/http.md, "Creating and changing a collection")

import { fail } from '../../../base/errors.js'
import { namespaceBytesMax } from '../../../base/limits/documents.js'
import { stringOf, stringValue, type Value } from '../../../value/value.js'
import { writeDocument } from '../../../value/writer.js'
import { command, copyFields, type HttpCall } from '../core/call.js'
import type { HttpAnswer, RawCall, ReplyRoute, Route } from '../core/route.js'

const collection = '/api/v1/collections/:name'

const validation = {
  validator: 'object',
  validationLevel: 'string',
  validationAction: 'string',
} as const

export const catalogRoutes: readonly (Route | ReplyRoute)[] = [
  {
    method: 'POST',
    path: `${collection}/create`,
    mutates: true,
    access: 'key',
    fields: { capped: 'bool', size: 'whole', max: 'whole', ...validation },
    run: create,
  },
  {
    method: 'POST',
    path: `${collection}/validator`,
    mutates: true,
    access: 'key',
    fields: validation,
    run: setValidator,
  },
  {
    method: 'POST',
    path: `${collection}/rename`,
    mutates: true,
    access: 'key',
    fields: { to: 'string!' },
    reply: rename,
  },
]

const acknowledged = '{"acknowledged":true,"ok":1}'
const validationNames = Object.keys(validation)

async function create(call: HttpCall): Promise<string> {
  const names = ['capped', 'size', 'max', ...validationNames]
  await call.run(command(call, 'create', (writer) => copyFields(writer, call.fields, names)))
  return acknowledged
}

async function setValidator(call: HttpCall): Promise<string> {
  await call.run(
    command(call, 'collMod', (writer) => copyFields(writer, call.fields, validationNames)),
  )
  return acknowledged
}

/** A name that can only be too long is refused before it is copied from command to command. */
function requireShort(name: Value): Value {
  if (name.end - name.start <= namespaceBytesMax * 2) return name
  throw fail('InvalidNamespace', `Fully qualified namespace is too long. Max: ${namespaceBytesMax}`)
}

/** Within its database. */
async function rename(call: RawCall): Promise<HttpAnswer> {
  const { collection: from, database, fields } = call
  const to = stringOf(requireShort(fields.get('to') ?? stringValue('')))
  await call.runIn(
    'admin',
    writeDocument((writer) => {
      writer.string('renameCollection', `${database}.${from}`).string('to', `${database}.${to}`)
    }),
  )
  return { status: 200, body: acknowledged }
}
