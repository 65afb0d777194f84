// The MCP server's access to the graph memory: requests of its HTTP API over any transport. Inside
// Sigil they go to the routes without a socket, from `sigil mcp` over the network; the responses
// are the same.

/** A request of a route. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** The route's path template: `/api/memories/:id`. */
  readonly path: string
  /** Values of the parameters in the path. */
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly body?: Readonly<Record<string, unknown>>
}

export type Json = Readonly<Record<string, unknown>>

export interface ApiReply {
  readonly status: number
  /** `{error: {code, message}}` unless the status is a success. */
  readonly body: Json
}

export interface MemoryApi {
  /** Never rejects: an unreachable API is a refusal too. */
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

/** Removes unpaired surrogates, which URLs cannot contain. */
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

/** The given query parameters, as text. */
export function queryEntries({ query = {} }: ApiRequest): [name: string, text: string][] {
  return Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  )
}
