// docs/guides/troubleshooting.md is searched by the text of an error: the server must still say each of
// its texts, or a reader finds nothing.

import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'

/** All sources, with texts that are broken over lines put together again. */
const said = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(`src/${name}`, 'utf8').replaceAll(/['"`] \+\n\s*['"`]/g, ''))
  .join('\n')

const page = readFileSync('docs/guides/troubleshooting.md', 'utf8')
const headings = [...page.matchAll(/^### (.*)$/gm)].map(([, heading = '']) => heading)

t.test('the server says each text', async (t) => {
  t.ok(headings.length > 25)
  for (const heading of headings) {
    const text = /^`(.*)`$/.exec(heading)?.[1]
    if (text === undefined) {
      t.fail(`${heading}: a heading is the text of an error`)
      continue
    }
    const trimmed = text.replaceAll(/^…|…$/g, '')
    const parts = trimmed.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    t.match(said, new RegExp(parts.join('.{0,60}?')), text)
  }
})
