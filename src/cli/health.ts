// `sigil health`: requests /health of the Sigil with these settings; used as the container's health
// check.

import { type ClientRequest, request } from 'node:http'
import { request as requestTls } from 'node:https'
import { fail } from '../base/errors.js'
import type { Settings } from '../base/settings.js'
import { reasonOf } from './client.js'

const timeoutMs = 2_000

/**
 * Requests /health at an address, or by these settings. Exit code 0 if the status is ok, or if a
 * rate limit answers. Rejects if no whole answer arrives.
 */
export function runHealth(where: Settings | string): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = typeof where === 'string' ? askAddress(where) : askHere(where)
    const failed = (error: Error) => {
      const address = `${asked.protocol}//${String(asked.getHeader('host'))}`
      reject(fail('HostUnreachable', `no Sigil answers at ${address}: ${reasonOf(error)}`))
    }
    asked.on('response', (response) => {
      let body = ''
      response.on('error', failed)
      response.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk
      })
      response.on('end', () => {
        process.stdout.write(`${body}\n`)
        // Another program on this machine sends too many requests. A server that answers so is
        // alive.
        const isLimited = response.statusCode === 429
        const isWell = response.statusCode === 200 && body.includes('"status":"ok"')
        resolve(isLimited || isWell ? 0 : 1)
      })
    })
    asked.on('error', failed)
    asked.on('timeout', () => asked.destroy(new Error(`no answer within ${timeoutMs} ms`)))
    asked.end()
  })
}

function askAddress(address: string): ClientRequest {
  if (!/^https?:/.test(address) || !URL.canParse(address)) {
    throw fail('BadValue', `SIGIL_URL is no address of HTTP: ${address}`)
  }
  const url = new URL('/health', address)
  const options = { timeout: timeoutMs }
  return url.protocol === 'https:' ? requestTls(url, options) : request(url, options)
}

function askHere({ HOST, HTTP_PORT: port, TLS_CERT }: Settings): ClientRequest {
  const host = HOST === '0.0.0.0' || HOST === '::' ? '127.0.0.1' : HOST
  const options = { host, port, path: '/health', timeout: timeoutMs }
  // The certificate names the public address, not this one; here any answer counts.
  return TLS_CERT === undefined
    ? request(options)
    : requestTls({ ...options, rejectUnauthorized: false })
}
