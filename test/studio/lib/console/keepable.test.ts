// What the console keeps of what was run: no key, no signature, no password, and nothing that a
// hand has written into the browser's storage is believed.

import t from 'tap'
import { keepable, readKept } from '../../../../src/studio/lib/console/keepable.js'

t.test('keys and signatures are cut out', async (t) => {
  const key = `svc_live_${'a1'.repeat(16)}`
  const signature = `0x${'ab'.repeat(65)}`
  const text = `SELECT '${key}', '${signature}', '0xab'`
  t.equal(keepable({ language: 'sql', text }), "SELECT '[redacted]', '[redacted]', '0xab'")
})

t.test('statements that may contain a password are not kept, nor long ones', async (t) => {
  const secret = [
    ['redis', 'AUTH me secret'],
    ['redis', '  auth secret'],
    ['redis', '"AUTH" secret'],
    ['redis', 'HELLO 3 AUTH me secret'],
    ['redis', 'ACL SETUSER a >secret'],
    ['redis', 'CONFIG SET requirepass secret'],
    ['redis', 'MIGRATE h 1 k 0 1 AUTH secret'],
    ['sql', "CREATE USER a PASSWORD 'secret'"],
    ['sql', "alter role a with password 'secret'"],
    ['sql', ' '],
    ['sql', `SELECT '${'x'.repeat(10_000)}'`],
  ] as const
  for (const [language, text] of secret) t.equal(keepable({ language, text }), undefined, text)
  t.equal(keepable({ language: 'redis', text: ' GET author ' }), 'GET author')
  t.equal(keepable({ language: 'sql', text: 'SELECT * FROM passwords' }), 'SELECT * FROM passwords')
})

t.test('what is stored is read with care', async (t) => {
  const one = { language: 'sql', text: 'SELECT 1' }
  const named = { ...one, name: 'one' }
  const stored = {
    history: [one, { language: 'x', text: '' }, null, 7],
    saved: [named, one, { ...named, name: 7 }],
  }
  t.same(readKept(JSON.stringify(stored)), { history: [one], saved: [named] })
  for (const text of [null, '', '[]', '{"history":7}', 'null', '{']) {
    t.same(readKept(text), { history: [], saved: [] }, String(text))
  }
})
