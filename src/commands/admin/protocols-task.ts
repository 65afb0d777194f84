// The switches of the protocols. Every client may read them, administrators change them, and
// changes are audited. (docs/sql.md, "Switching it off")

import { fail } from '../../base/errors.js'
import { strictBool, string } from '../../bus/document/params.js'
import { reply } from '../../bus/document/reply.js'
import { documentRow } from '../../bus/document/row.js'
import { plain } from '../../bus/policy/facts.js'
import { isSwitched } from '../../bus/protocols.js'
import { bareRow } from '../document/arguments.js'

const listProtocols = bareRow({
  name: 'listProtocols',
  access: 'anonymous',
  help: 'Lists the protocols that have a port, and whether they are open.',
  run: ({ services }) =>
    reply((writer) => {
      writer.openArray('protocols')
      for (const { name, enabled, port } of services.protocols?.list() ?? []) {
        writer.pushOpenDocument().string('name', name).bool('enabled', enabled)
        if (port !== undefined) writer.int32('port', port)
        writer.close()
      }
      writer.close()
    }),
})

const setProtocol = documentRow({
  name: 'setProtocol',
  ...plain,
  grain: 'task',
  access: 'admin',
  target: string,
  params: { enabled: strictBool },
  audit: ({ target, args: { enabled } }) => ({ protocol: target, enabled }),
  help:
    'Opens or closes a protocol. Its connections get an error and are closed. Kept over ' +
    'restarts.',
  run: async ({ services: { protocols }, target, args: { enabled } }) => {
    if (protocols === undefined || !isSwitched(target)) {
      throw fail('NoSuchProtocol', `no such protocol: '${target}'`)
    }
    await protocols.set(target, enabled)
    return reply((writer) => writer.string('protocol', target).bool('enabled', enabled))
  },
})

export const protocolRows = [listProtocols, setProtocol]
