// The one way by which the Studio asks the server: it adds the CSRF token of a wallet's session, or
// the operator's token, and turns every refusal into an ApiError. Nothing else calls fetch.

import { signal } from '@preact/signals'
import { isReadOnly, mayChange } from './frame/read-only.js'

/** What was known of the caller no longer holds: the page shows the sign-in, and returns. */
export const sessionEnded = signal(false)

/** The operator's session of this tab; a wallet's is in a cookie. */
export const operatorToken = {
  name: 'sigil-studio-token',
  get: (): string | null => sessionStorage.getItem(operatorToken.name),
  set: (token: string): void => sessionStorage.setItem(operatorToken.name, token),
  clear: (): void => sessionStorage.removeItem(operatorToken.name),
}

interface AskOptions {
  /** Text as it is sent. */
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  /** A refusal with 401 is an answer, not the end of the session. */
  readonly isSigningIn?: boolean
}

/** A refusal of the server, with the texts that a user can look up. */
export class ApiError extends Error {
  constructor(
    message: string,
    readonly status: number,
    readonly code: number,
    readonly requestId: string,
  ) {
    super(message)
  }
}

export async function ask(
  method: string,
  path: string,
  options: AskOptions = {},
): Promise<Response> {
  const { body, signal, isSigningIn = false } = options
  if (isReadOnly.value && mayChange(method, path, body)) {
    throw new ApiError('This page is read-only. Allow changes first.', 0, 0, '')
  }
  const headers = { ...identityHeaders(method), ...options.headers }
  const init: RequestInit = { method, headers, credentials: 'same-origin', cache: 'no-store' }
  if (body !== undefined) init.body = body
  if (signal !== undefined) init.signal = signal
  let response: Response
  try {
    response = await fetch(path, init)
  } catch (error) {
    if (signal?.aborted === true) throw error
    throw new ApiError('Sigil does not answer: is it running?', 0, 0, '')
  }
  if (response.ok) return response
  if (response.status === 401 && !isSigningIn) sessionEnded.value = true
  throw await refusalOf(response)
}

/** The JSON of an answer. */
export async function askJson<T>(
  method: string,
  path: string,
  body?: unknown,
  options: AskOptions = {},
): Promise<T> {
  const sent =
    body === undefined
      ? options
      : {
          ...options,
          body: JSON.stringify(body),
          headers: { 'content-type': 'application/json', ...options.headers },
        }
  const response = await ask(method, path, sent)
  return (await response.json()) as T
}

function identityHeaders(method: string): Record<string, string> {
  const token = operatorToken.get()
  if (token !== null) return { authorization: `Bearer ${token}` }
  const csrf = method === 'GET' ? undefined : csrfToken()
  return csrf === undefined ? {} : { 'x-csrf-token': csrf }
}

function csrfToken(): string | undefined {
  const pair = document.cookie.split('; ').find((one) => one.startsWith('svc_csrf='))
  return pair?.slice('svc_csrf='.length)
}

async function refusalOf(response: Response): Promise<ApiError> {
  const { status, headers } = response
  const body: unknown = await response.json().catch(() => undefined)
  const { errmsg, code, error, reason } = (body ?? {}) as Record<string, unknown>
  const wait = headers.get('retry-after')
  // The routes of graph memory have errors of another form.
  const told = messageOf(error)
  if (reason === 'LOCKED' || told === 'not allowed: LOCKED') {
    const locked = 'This session only reads. Unlock changes first.'
    return new ApiError(locked, status, Number(code), headers.get('x-request-id') ?? '')
  }
  const given = typeof errmsg === 'string' ? errmsg : told
  const text = given ?? `The server answered with status ${status}.`
  const again = `. Try again in ${wait} s.`
  const message = wait === null ? text : text.replace(/\.$/, '') + again
  return new ApiError(message, status, Number(code ?? 0), headers.get('x-request-id') ?? '')
}

function messageOf(error: unknown): string | undefined {
  if (typeof error === 'string') return error
  if (typeof error !== 'object' || error === null || !('message' in error)) return undefined
  return typeof error.message === 'string' ? error.message : undefined
}
