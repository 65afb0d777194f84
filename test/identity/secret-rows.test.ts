// What no backup contains: rows of different kinds have different keys.

import t from 'tap'
import { secretRows } from '../../src/identity/secret-rows.js'

t.test('no kind of secret rows has the keys of another', async (t) => {
  const prefixes = secretRows.map((bytes) => Buffer.from(bytes).toString('hex'))
  for (const [at, prefix] of prefixes.entries()) {
    const others = prefixes.filter((other, i) => i !== at && other.startsWith(prefix))
    t.same(others, [], prefix)
  }
})
