// How the MCP server reaches the graph memory: by requests of its HTTP API, over any transport.
// In Sigil's own process they go to the routes without a socket, from `sigil mcp` over the network,
// and the answers are the same.

/** A request of a route. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** The route's own, with its names: `/api/memories/:id`. */
  readonly path: string
  /** What the names in the path stand for. */
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly body?: Readonly<Record<string, unknown>>
}

export type Json = Readonly<Record<string, unknown>>

export interface ApiReply {
  readonly status: number
  /** `{error: {code, message}}` where the status is no success. */
  readonly body: Json
}

export interface MemoryApi {
  /** Never rejects: an API that cannot be reached is a refusal too. */
  ask(request: ApiRequest): Promise<ApiReply>
}

export function isSuccess({ status }: ApiReply): boolean {
  return status >= 200 && status < 300
}

/** `NODE_NOT_FOUND: no such node`. */
export function refusalText({ status, body }: ApiReply): string {
  const { error } = body
  if (typeof error !== 'object' || error === null) return `HTTP ${status}`
  const { code, message } = error as Json
  return `${String(code)}: ${String(message)}`
}

/** With texts of whole characters alone: addresses have no half of a surrogate pair. */
export function wellFormed(api: MemoryApi): MemoryApi {
  return {
    ask: async (request) => {
      const { params = {} } = request
      const texts = [...Object.values(params), ...queryEntries(request).map(([, text]) => text)]
      return texts.some((text) => loneSurrogate.test(text)) ? halved : api.ask(request)
    },
  }
}

const loneSurrogate = /\p{Surrogate}/u
const halved: ApiReply = {
  status: 400,
  body: { error: { code: 'INVALID_INPUT', message: 'a text has half of a surrogate pair' } },
}

/** The parts of a request's query that are given, as text. */
export function queryEntries({ query = {} }: ApiRequest): [name: string, text: string][] {
  return Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  )
}
