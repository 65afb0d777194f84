// A browser's part in the HTTP tests: it keeps cookies, and sends back the CSRF token as pages do.

import type { Wallet } from 'ethers'
import { ask, type HttpAnswer } from './http-client.js'

export class Browser {
  readonly cookies = new Map<string, string>()

  constructor(
    readonly url: string,
    /** Sent with every request. */
    private readonly headers: Readonly<Record<string, string>> = {},
  ) {}

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<HttpAnswer> {
    return this.send('GET', path, headers)
  }

  /** With the CSRF token where there is one; `headers` win. */
  post(
    path: string,
    body: unknown = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<HttpAnswer> {
    const token = this.cookies.get('svc_csrf')
    const csrf = token === undefined ? {} : { 'x-csrf-token': token }
    const all = { 'content-type': 'application/json', ...csrf, ...headers }
    return this.send('POST', path, all, JSON.stringify(body))
  }

  /** The lines of the last answer that set cookies are in its headers. */
  async send(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: string,
  ): Promise<HttpAnswer> {
    const pairs = [...this.cookies].map(([name, value]) => `${name}=${value}`)
    const cookie = pairs.length === 0 ? {} : { cookie: pairs.join('; ') }
    const sent = { ...cookie, ...this.headers, ...headers }
    const given = body === undefined ? {} : { body }
    const answer = await ask(this.url, { method, path, headers: sent, ...given })
    for (const line of linesOf(answer)) this.take(line)
    return answer
  }

  /** Asks for a message, signs it, and sends it; answers what verify answers. */
  async signIn(wallet: Wallet): Promise<HttpAnswer> {
    const { message } = (await this.post('/api/v1/auth/nonce', { address: wallet.address })).json
    const signature = await wallet.signMessage(String(message))
    return this.post('/api/v1/auth/verify', { message, signature })
  }

  private take(line: string): void {
    const [pair = '', ...attributes] = line.split('; ')
    const [name = '', value = ''] = pair.split('=', 2)
    if (attributes.includes('Max-Age=0')) this.cookies.delete(name)
    else this.cookies.set(name, value)
  }
}

/** `Set-Cookie` lines of an answer. */
export function linesOf({ headers }: HttpAnswer): readonly string[] {
  const lines = headers['set-cookie']
  return Array.isArray(lines) ? lines : []
}
