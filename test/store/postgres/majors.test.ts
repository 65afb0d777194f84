// The store on each major version of PostgreSQL that npm has: the contract of stores, gateways beside
// each other, lost connections, and a suite of each protocol. One version at each run, by its seed,
// up to three in the long suite of CI, all by hand.

import t from 'tap'
import { passInTurn } from '../../support/in-turn-run.js'
import { majors, programsOf } from '../../support/postgres-majors.js'
import { openPostgres, programsVariable } from '../../support/postgres-reference.js'
import { runs } from '../../support/runs.js'
import { seed } from '../../support/seed.js'
import { toolMissing } from '../../support/tools.js'

/** They open tables of their own accord. */
const stores = [
  'store/contract',
  ...[
    'between',
    'gateways',
    'lost-connections',
    'reads/older-writes',
    'reads/starting-place',
    'start',
    'tables-backup',
  ].map((name) => `store/postgres/${name}`),
]
/** They run on the store of SIGIL_STORES. */
const commands = ['document/writing/insert', 'sql/select/select', 'keyvalue/bits/bits'].map(
  (name) => `commands/${name}`,
)

const chosen = majors.filter((_, at) => (at + seed) % majors.length < runs(1))

t.test('every major version serves', { skip: await toolMissing('postgres') }, async (t) => {
  for (const major of chosen) {
    await t.test(`PostgreSQL ${major}`, async (t) => {
      process.env[programsVariable] = await programsOf(t, major)
      t.teardown(() => delete process.env[programsVariable])
      const { query } = await openPostgres(t)
      t.match((await query('SHOW server_version')).rows[0]?.[0], new RegExp(`^${major}\\.`))
      await passInTurn(t, stores, { SIGIL_LONG: '' })
      await passInTurn(t, commands, { SIGIL_LONG: '', SIGIL_STORES: 'postgres' })
    })
  }
})
