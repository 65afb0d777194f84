// The generated pages of docs/ are what their tables say today.

import { readFileSync } from 'node:fs'
import t from 'tap'
import { referencePages } from './reference.js'

for (const [name, content] of referencePages()) {
  t.test(`docs/${name} is up to date`, async (t) => {
    t.equal(readFileSync(`docs/${name}`, 'utf8'), content, 'run `npm run docs`')
  })
}
