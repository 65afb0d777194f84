// Serves the Studio: the static files of build/studio, which are few and small, from memory. Names
// of assets contain a hash of their bytes, so browsers keep them for ever; the page itself is asked
// for again each time. (docs/studio.md)

import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { HttpAnswer, RawCall, ReplyRoute } from '../core/route.js'

/** Where `npm run build` writes them. */
const buildFolder = new URL('../../../../studio/', import.meta.url)

/**
 * Nothing inline, nothing of other hosts, no form that posts, no frame around it, and no text that
 * becomes markup. (CSP Level 3, Trusted Types)
 */
export const studioPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const safety = {
  'content-security-policy': studioPolicy,
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  // Some wallets open a window of their own.
  'cross-origin-opener-policy': 'same-origin-allow-popups',
  'cross-origin-resource-policy': 'same-origin',
} as const

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

const page = 'index.html'
const forEver = 'public, max-age=31536000, immutable'
const missing = 'Sigil Studio is not built: run `npm run build`. The API works without it.\n'
const compress = promisify(gzip)

interface StudioFile {
  readonly headers: Readonly<Record<string, string>>
  readonly plain: Buffer
  readonly gzipped: Buffer
}

/** `GET /` and `GET /assets/:name`; `folder` ends with a slash. */
export function studioRoutes(folder: URL = buildFolder): readonly ReplyRoute[] {
  const files = new Map<string, Promise<StudioFile>>()
  const known = () => namesIn(folder)
  const fileOf = (name: string) => {
    const kept = files.get(name) ?? readStudioFile(folder, name)
    files.set(name, kept)
    return kept
  }
  // Cookies are ignored: a link of another site may open the page.
  const row = { method: 'GET', access: 'none', credentials: 'keys' } as const
  return [
    {
      ...row,
      path: '/',
      answers: 'text/html',
      reply: (call) => answerWith(call, known().includes(page) ? fileOf(page) : undefined),
    },
    {
      ...row,
      path: '/assets/:name',
      answers: 'text/javascript',
      reply: (call) => {
        const name = `assets/${call.param('name')}`
        return answerWith(call, known().includes(name) ? fileOf(name) : undefined)
      },
    },
  ]
}

/** Only these can be asked for, so no path leads out of the folder. */
function namesIn(folder: URL): readonly string[] {
  const assets = new URL('assets/', folder)
  if (!existsSync(new URL(page, folder)) || !existsSync(assets)) return []
  return [page, ...readdirSync(assets).map((name) => `assets/${name}`)]
}

async function readStudioFile(folder: URL, name: string): Promise<StudioFile> {
  const plain = readFileSync(new URL(name, folder))
  const isPage = name === page
  const headers = {
    ...safety,
    'content-type': types[extname(name)] ?? 'application/octet-stream',
    'cache-control': isPage ? 'no-cache' : forEver,
    etag: `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`,
    vary: 'Accept-Encoding',
  }
  return { headers, plain, gzipped: await compress(plain, { level: 9 }) }
}

async function answerWith(
  { incoming }: RawCall,
  found: Promise<StudioFile> | undefined,
): Promise<HttpAnswer> {
  if (found === undefined) {
    const headers = { ...safety, 'content-type': 'text/plain; charset=utf-8' }
    return { status: 404, headers, body: missing, isPassing: true }
  }
  const { headers, plain, gzipped } = await found
  const { 'if-none-match': tags, 'accept-encoding': encodings } = incoming.headers
  if (tags?.includes(headers.etag ?? '') === true) return { status: 304, headers, body: null }
  if (!/\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(String(encodings ?? ''))) {
    return { status: 200, headers, body: plain }
  }
  return { status: 200, headers: { ...headers, 'content-encoding': 'gzip' }, body: gzipped }
}
