// The memory API without a socket: a request runs the same route as over HTTP, with the same field
// checks, as the caller of the enclosing request.

import { fail, toGatewayError } from '../../../base/errors.js'
import { jsonToDocument } from '../../../value/json/json.js'
import {
  type ApiReply,
  type ApiRequest,
  type Json,
  type MemoryApi,
  queryEntries,
} from '../../mcp/memory-api.js'
import { BodyCheck, type BodyFields } from '../core/call.js'
import type { RawCall } from '../core/route.js'
import { memoryRefusal } from './memory-errors.js'
import { memoryReadRoutes } from './memory-read-routes.js'
import type { MemoryRoute } from './memory-route.js'
import { memoryWriteRoutes } from './memory-write-routes.js'

interface Entry extends MemoryRoute {
  readonly check: BodyCheck
}

const entries: ReadonlyMap<string, Entry> = new Map(
  [...memoryReadRoutes, ...memoryWriteRoutes].map((route) => [
    `${route.method} ${route.path}`,
    { ...route, check: new BodyCheck(route.fields ?? {}) },
  ]),
)

export class InProcessMemory implements MemoryApi {
  constructor(private readonly call: Pick<RawCall, 'runIn' | 'space'>) {}

  async ask(request: ApiRequest): Promise<ApiReply> {
    const { method, path, params = {}, body = {} } = request
    try {
      const route = entries.get(`${method} ${path}`)
      if (route === undefined) throw fail('CommandNotFound', 'no such route')
      const { status, body: text } = await route.answer({
        param: (name) => params[name] ?? '',
        isKnown: undefined,
        query: new Map(queryEntries(request)),
        fields: fieldsOf(route, body),
        run: (command) => this.call.runIn(this.call.space, command),
      })
      return { status, body: JSON.parse((text ?? '{}').toString()) as Json }
    } catch (thrown) {
      const refused = memoryRefusal(toGatewayError(thrown))
      return { status: refused.status, body: JSON.parse(refused.body) as Json }
    }
  }
}

function fieldsOf({ check }: Entry, body: Json): BodyFields {
  return check.fields(jsonToDocument(JSON.stringify(body)))
}
