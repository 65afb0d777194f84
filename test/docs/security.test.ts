// The threat model names a test for each attack: the file is there, and a test begins with those words.

import { existsSync, readFileSync } from 'node:fs'
import t from 'tap'

const page = readFileSync('docs/design/threat-model.md', 'utf8')
const links = [...page.matchAll(/\[([^\]]+)\]\(\.\.\/\.\.\/(test\/[^)]+)\)((?:,? "[^"]*")*)/g)]

t.test('every test that the threat model names is there', async (t) => {
  t.ok(links.length > 40)
  for (const [, shown, path = '', names = ''] of links) {
    t.equal(shown, path)
    t.ok(existsSync(path), path)
    const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
    for (const [, name = ''] of names.matchAll(/"([^"]*)"/g)) {
      t.ok(name !== '' && text.includes(name), `${path}: ${name}`)
    }
  }
})

t.test('every attack has a test', async (t) => {
  const rows = page.split('\n').filter((line) => /^\| [a-zA-Z]/.test(line))
  t.ok(rows.length > 30)
  for (const row of rows.slice(1)) t.match(row, /\]\(\.\.\/\.\.\/test\//, row)
})
