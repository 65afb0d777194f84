// The HTTP client of the command line. It uses a running Sigil like any other client, with the same
// routes and keys.

import { setTimeout } from 'node:timers/promises'
import { fail } from '../base/errors.js'

/** Longest wait of a program that loads a file before it retries after a rate limit. */
const retryAfterSecondsMax = 60

export interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
  /** For a rate limit: seconds until the next request is allowed. */
  readonly retryAfter?: number | undefined
}

interface Stream {
  readonly status: number
  /** The JSON of any response but 200. */
  readonly body: Answer['body']
  /** The bytes of a 200, as they arrive. */
  readonly pieces: AsyncIterable<Uint8Array>
}

export interface Client {
  /** Scheme, host and port of the server. */
  readonly origin: string
  /** Rejects as post does. */
  get(path: string): Promise<Answer>
  /** Sends a JSON body; rejects if Sigil is unreachable or does not answer in JSON. */
  post(path: string, body: string): Promise<Answer>
  /** As post, with any method. */
  ask(method: string, path: string, body?: string): Promise<Answer>
  /** Sends a JSON body and receives bytes; `signal` aborts. */
  stream(path: string, body: string, signal: AbortSignal): Promise<Stream>
}

/** With the key in `SIGIL_API_KEY`; `database` if it is not the server's default. */
export function openClient(base: string, database?: string): Client {
  if (!/^https?:/.test(base) || !URL.canParse(base)) {
    throw fail('BadValue', `SIGIL_URL is no address of HTTP: ${base}`)
  }
  const key = process.env.SIGIL_API_KEY
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (key !== undefined) headers['x-api-key'] = key
  if (database !== undefined) headers['x-sigil-database'] = database
  const answer = async (path: string, request: RequestInit): Promise<Answer> => {
    const response = await reach(new URL(path, base), request)
    const { status, headers: given } = response
    const wait = Number(given.get('retry-after') ?? Number.NaN)
    const body = await bodyOf(response)
    return { status, body, ...(Number.isFinite(wait) ? { retryAfter: wait } : {}) }
  }
  return {
    origin: new URL(base).origin,
    get: (path) => answer(path, { headers }),
    post: (path, body) => answer(path, { method: 'POST', headers, body }),
    ask: (method, path, body) =>
      answer(path, { method, headers, ...(body === undefined ? {} : { body }) }),
    async stream(path, body, signal) {
      const request: RequestInit = { method: 'POST', headers, body, signal }
      const response = await reach(new URL(path, base), request)
      const { status } = response
      if (status === 200) return { status, body: {}, pieces: piecesOf(response) }
      return { status, body: await bodyOf(response), pieces: noPieces() }
    },
  }
}

/** Rejects if the response is not from Sigil. */
async function bodyOf(response: Response): Promise<Answer['body']> {
  try {
    return (await response.json()) as Answer['body']
  } catch {
    const { origin } = new URL(response.url)
    throw fail('HostUnreachable', `no Sigil answers at ${origin}: HTTP ${response.status}`)
  }
}

/**
 * As post, with retries after a rate limit; `signal` ends the wait. For loading files, where no
 * user waits for a single reply.
 */
export async function postInTurn(
  client: Client,
  path: string,
  body: string,
  signal: AbortSignal,
): Promise<Answer> {
  for (;;) {
    const answer = await client.post(path, body)
    if (answer.status !== 429) return answer
    const seconds = Math.min(answer.retryAfter ?? 1, retryAfterSecondsMax)
    await setTimeout(seconds * 1_000, undefined, { signal }).catch(() => {
      throw fail('Interrupted', 'interrupted')
    })
  }
}

async function* piecesOf(response: Response): AsyncGenerator<Uint8Array> {
  if (response.body === null) return
  try {
    for await (const piece of response.body) yield piece as Uint8Array
  } catch (error) {
    throw fail('HostUnreachable', `Sigil closed the connection: ${reasonOf(error)}`)
  }
}

async function* noPieces(): AsyncGenerator<Uint8Array> {}

async function reach(url: URL, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url, request)
  } catch (error) {
    throw fail('HostUnreachable', `no Sigil answers at ${url.origin}: ${reasonOf(error)}`)
  }
}

/** The innermost reason. A name with several addresses fails with one error for each of them. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ')
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (cause instanceof AggregateError) return reasonOf(cause)
  return cause instanceof Error ? cause.message : String(cause)
}
