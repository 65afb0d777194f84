// curl's part in the HTTP tests: raw requests, every header in the test's hand.

import { request } from 'node:http'

export interface HttpAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  readonly json: Record<string, unknown>
}

interface HttpRequest {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

/** Sends one request on a connection of its own. */
export function ask(base: string, asked: HttpRequest): Promise<HttpAnswer> {
  const { method = asked.body === undefined ? 'GET' : 'POST', path, headers = {}, body } = asked
  const { hostname, port } = new URL(base)
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          json: text.startsWith('{') && !text.includes('}\n{') ? JSON.parse(text) : {},
        })
      })
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

export interface Api {
  /** POST of a document route: `post('cities/find', {filter: {}})`. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<HttpAnswer>
  get(path: string, headers?: Record<string, string>): Promise<HttpAnswer>
}

/** The collection routes with the key. */
export function openApi(base: string, key: string): Api {
  const collections = (path: string) => `/api/v1/collections${path === '' ? '' : `/${path}`}`
  return {
    post: (path, body, headers = {}) =>
      ask(base, {
        path: collections(path),
        headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    get: (path, headers = {}) =>
      ask(base, { path: collections(path), headers: { 'x-api-key': key, ...headers } }),
  }
}
