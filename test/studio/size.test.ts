// How much of the Studio a browser loads, compressed as it is served: the first view, and all pages
// together. A new part must fit, or be loaded later.

import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import t from 'tap'

const folder = new URL('../../studio/', import.meta.url)
const entryBytesMax = 40_000
const allBytesMax = 260_000

function sizeOf(name: string): number {
  return gzipSync(readFileSync(new URL(name, folder)), { level: 9 }).length
}

const page = readFileSync(new URL('index.html', folder), 'utf8')
/** What the page itself names: its script, what that imports at once, its styles and its icon. */
const named = Array.from(
  page.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g),
  ([, name = '']) => name,
)
const assets = readdirSync(new URL('assets/', folder)).map((name) => `assets/${name}`)

t.test('the first view is at most 40 kB', async (t) => {
  t.ok(named.some((name) => name.endsWith('.js')) && named.some((name) => name.endsWith('.css')))
  const bytes = ['index.html', ...named].reduce((sum, name) => sum + sizeOf(name), 0)
  t.comment(`${bytes} bytes`)
  t.ok(bytes <= entryBytesMax, `${bytes} bytes in ${named.length} files`)
})

t.test('everything is at most 260 kB', async (t) => {
  const bytes = ['index.html', ...assets].reduce((sum, name) => sum + sizeOf(name), 0)
  t.comment(`${bytes} bytes`)
  t.ok(bytes <= allBytesMax, `${bytes} bytes in ${assets.length} files`)
})

t.test('what the script imports at once is named by the page', async (t) => {
  const scripts = named.filter((name) => name.endsWith('.js'))
  for (const name of scripts) {
    const text = readFileSync(new URL(name, folder), 'utf8')
    const imported = Array.from(text.matchAll(/\bfrom\s*"\.\/([^"]+)"/g), ([, one = '']) => one)
    for (const one of imported) t.ok(named.includes(`assets/${one}`), `${one}, of ${name}`)
  }
})
