// The sample data that the Studio loads is a part of what `sigil demo` loads, to the letter: so
// either can come first.

import t from 'tap'
import { authors, books } from '../../../../src/cli/demo-data.js'
import { sampleCollections } from '../../../../src/studio/lib/start/sample-data.js'

t.test('each document is one of the demo', async (t) => {
  const { demo_authors, demo_books } = sampleCollections
  t.ok(demo_authors.length > 0 && demo_books.length > 0)
  t.same(demo_books, books.slice(0, demo_books.length))
  t.same(demo_authors, authors.slice(0, demo_authors.length))
  for (const { author } of demo_books) {
    t.ok(
      demo_authors.some(({ _id }) => _id === author),
      author,
    )
  }
})
