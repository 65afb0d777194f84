// Suites of commands on PostgreSQL: some at each run, by its seed. SIGIL_STORES=postgres runs any
// file so, with `npm test -- build/test/NAME.test.js`.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import t from 'tap'
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
  return names.map((name) => `build/test/commands/${name}.test.js`)
}

t.test('suites of commands hold on PostgreSQL', { skip: postgresMissing }, async (t) => {
  const { folder } = await postgresServer(t)
  const files = chosen()
  t.comment(`SIGIL_SEED=${seed}: ${files.join(' ')}`)
  const child = spawn(process.execPath, ['build/test/in-turn.js', ...files], {
    env: {
      ...process.env,
      SIGIL_STORES: 'postgres',
      SIGIL_SEED: String(seed),
      [serverVariable]: folder,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => child.kill())
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const [code] = await once(child, 'close')
  const failed = output.split('\n').filter((line) => /^\s*not ok/.test(line))
  t.same(failed, [])
  t.equal(code, 0)
  t.match(output, /^ok .*/m)
})
