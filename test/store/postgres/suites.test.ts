// Suites of commands on PostgreSQL: some at each run, by its seed. SIGIL_STORES=postgres runs any
// file so, with `npm test -- build/test/NAME.test.js`.

import t from 'tap'
import { passInTurn } from '../../support/in-turn-run.js'
import { postgresMissing } from '../../support/postgres-reference.js'
import { isLong, seed } from '../../support/seed.js'
import { postgresServer, serverVariable } from '../../support/shared-stores.js'

/** One of each line at a time. */
const suites = [
  [
    ...['document/writing/insert', 'document/reading/find', 'document/reading/cursor-memory'],
    ...['document/reading/views', 'document/server/namespace-use', 'document/reading/tailable'],
  ],
  [
    ...['sql/define/define', 'sql/declared-tables', 'sql/qualified-names', 'sql/select/select'],
    ...['sql/catalog/select-catalog', 'sql/select/select-groups'],
  ],
  [
    ...['keyvalue/bits/bits', 'keyvalue/strings/plain-strings', 'keyvalue/validators'],
    ...['keyvalue/sorted-sets/blocking-sorted-sets', 'keyvalue/keys/expiry'],
  ],
] as const

/** All in the long counts. */
function chosen(): string[] {
  const names = suites.flatMap((line) => (isLong ? line : [line[seed % line.length] as string]))
  return names.map((name) => `commands/${name}`)
}

t.test('suites of commands hold on PostgreSQL', { skip: postgresMissing }, async (t) => {
  const { folder } = await postgresServer(t)
  const names = chosen()
  t.comment(`SIGIL_SEED=${seed}: ${names.join(' ')}`)
  await passInTurn(t, names, { SIGIL_STORES: 'postgres', [serverVariable]: folder })
})
