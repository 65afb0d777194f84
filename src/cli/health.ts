// `sigil health`: asks the Sigil of these settings whether it is well; the container's health
// check.

import { request } from 'node:http'
import { request as requestTls } from 'node:https'
import type { Settings } from '../base/settings.js'

const timeoutMs = 2_000

/** Exit code 0 where /health answers with status ok, or with its limit of requests. */
export function runHealth(settings: Settings): Promise<number> {
  const isTls = settings.TLS_CERT !== undefined
  const host = settings.HOST === '0.0.0.0' || settings.HOST === '::' ? '127.0.0.1' : settings.HOST
  const options = { host, port: settings.HTTP_PORT, path: '/health', timeout: timeoutMs }
  return new Promise((resolve) => {
    const failed = () => resolve(1)
    // The certificate names the public address, not this one: what counts here is an answer.
    const asked = isTls ? requestTls({ ...options, rejectUnauthorized: false }) : request(options)
    asked.on('response', (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk
      })
      response.on('end', () => {
        process.stdout.write(`${body}\n`)
        // Somebody on this machine asks too often: told so, it is not dead.
        const isLimited = response.statusCode === 429
        const isWell = response.statusCode === 200 && body.includes('"status":"ok"')
        resolve(isLimited || isWell ? 0 : 1)
      })
    })
    asked.on('error', failed).on('timeout', () => asked.destroy())
    asked.end()
  })
}
