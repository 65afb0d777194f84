// The Studio's files over HTTP: their headers, their names, their size, and what is answered without
// a build or with STUDIO=off.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { studioPolicy, studioRoutes } from '../../../../src/listeners/http/studio/studio-files.js'
import { startGateway } from '../../../support/live-gateway.js'
import { temporaryFolder } from '../../../support/stores.js'

const built = 'build/studio'
const kB = 1_000

function sizeOf(name: string): number {
  return gzipSync(readFileSync(join(built, name)), { level: 9 }).length
}

t.test('the page and its assets', async (t) => {
  const { url } = await startGateway(t)
  const page = await fetch(url)
  const html = await page.text()
  t.equal(page.status, 200)
  t.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
  t.equal(page.headers.get('content-security-policy'), studioPolicy)
  t.equal(page.headers.get('x-content-type-options'), 'nosniff')
  t.equal(page.headers.get('cache-control'), 'no-cache')
  t.equal(page.headers.get('content-encoding'), 'gzip')
  t.notMatch(html, /<style|style="|<script(?![^>]* src=)|\son\w+=/, 'nothing stands inline')

  const etag = page.headers.get('etag') ?? ''
  const again = await fetch(url, { headers: { 'if-none-match': etag } })
  t.equal(again.status, 304)

  const assets = [...html.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(
    ([, name = '']) => name,
  )
  t.ok(assets.length >= 2, 'a script and a style')
  for (const name of assets) {
    const asset = await fetch(`${url}/${name}`)
    t.equal(asset.status, 200, name)
    t.match(asset.headers.get('cache-control'), 'immutable', name)
    const plain = await fetch(`${url}/${name}`, { headers: { 'accept-encoding': 'identity' } })
    t.equal(plain.headers.get('content-encoding'), null)
    t.equal(await plain.text(), readFileSync(join(built, name), 'utf8'), name)
  }
  const head = await fetch(url, { method: 'HEAD' })
  t.equal(head.status, 200)
  t.equal(await head.text(), '')
  for (const name of ['nosuch.js', '..%2findex.html', '..%2f..%2fsrc%2fmain.js']) {
    t.equal((await fetch(`${url}/assets/${name}`)).status, 404, name)
  }
  t.equal((await fetch(url, { method: 'POST' })).status, 405)
})

t.test('a link of another site opens the page, also for who is signed in', async (t) => {
  const { url } = await startGateway(t)
  const headers = { 'sec-fetch-site': 'cross-site', cookie: 'svc_session=x' }
  t.equal((await fetch(url, { headers })).status, 200)
})

t.test('STUDIO=off', async (t) => {
  const { url } = await startGateway(t, { STUDIO: 'off' })
  const page = await fetch(url)
  t.equal(page.status, 404)
  t.match(await page.json(), { ok: 0, codeName: 'CommandNotFound' })
})

t.test('without a build, and with one that comes later', async (t) => {
  const folder = await temporaryFolder(t)
  const [route] = studioRoutes(pathToFileURL(`${folder}/`))
  const call = { incoming: { headers: {} } } as never
  const missing = await route?.reply(call)
  t.match(missing, { status: 404, body: /^Sigil Studio is not built: .*npm run build.*\n$/ })
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), 'a page')
  t.match(await route?.reply(call), { status: 200, body: Buffer.from('a page') })
})

t.test('its size', async (t) => {
  const html = readFileSync(join(built, 'index.html'), 'utf8')
  const names = readdirSync(join(built, 'assets')).map((name) => `assets/${name}`)
  const entry = names.filter((name) => html.includes(name))
  const sum = (all: readonly string[]) => all.reduce((bytes, name) => bytes + sizeOf(name), 0)
  t.ok(sum(entry) <= 40 * kB, `what the first view loads has ${sum(entry)} bytes, gzipped`)
  t.ok(sum(names) <= 260 * kB, `all of it has ${sum(names)} bytes, gzipped`)
})
