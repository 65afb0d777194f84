// The settings table: where a value comes from, and what a wrong one is answered with.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import {
  defaultPort,
  printSettings,
  readSettings,
  readSettingsFile,
  settingRows,
  settingsAsJson,
} from '../../src/base/settings.js'

t.test(
  'the environment is looked at before the file, and the file before the default',
  async (t) => {
    const settings = readSettings({ HTTP_PORT: '1' }, { HTTP_PORT: '2', WIRE_PORT: '3' })
    t.equal(settings.HTTP_PORT, 1)
    t.equal(settings.WIRE_PORT, 3)
    t.equal(settings.DATABASE, 'main')
    t.same([...settings.explicit], ['HTTP_PORT', 'WIRE_PORT'])
    t.equal(defaultPort('HTTP_PORT'), 8080)
  },
)

t.test('a wrong value names its setting, but never the value of a secret', async (t) => {
  const wrong: readonly [string, string][] = [
    ['HTTP_PORT', '65536'],
    ['HTTP_PORT', 'x'],
    ['DURABILITY', 'always'],
    ['MEMORY_BUDGET', '1'],
    ['ALLOW_INSECURE', 'yes'],
  ]
  for (const [name, value] of wrong) {
    t.throws(() => readSettings({ [name]: value }), { message: `setting ${name}=${value}` }, name)
  }
  t.throws(() => readSettings({ API_KEY_FILE: '/nowhere/key' }), { message: /API_KEY_FILE/ })
})

t.test('a secret may stand in a file', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sigil-settings-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'key'), 'svc_op_1\n')
  const settings = readSettings({ API_KEY_FILE: join(folder, 'key') })
  t.equal(settings.API_KEY, 'svc_op_1')
  t.notMatch(printSettings(settings), /svc_op_1/)
  t.match(printSettings(settings), /`API_KEY` \| `\(set\)`/)
})

t.test('sigil.json holds one object of known names', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sigil-settings-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'sigil.json')
  t.same(readSettingsFile(path), {}, 'no file is no settings')
  writeFileSync(path, '{"HTTP_PORT": 9, "ALLOW_INSECURE": true}')
  const settings = readSettings({}, readSettingsFile(path))
  t.equal(settings.HTTP_PORT, 9)
  t.equal(settings.ALLOW_INSECURE, true)
  writeFileSync(path, '{"HTTP_PROT": 9}')
  t.throws(() => readSettings({}, readSettingsFile(path)), { message: /HTTP_PROT/ })
  for (const broken of ['{', '[]', 'null']) {
    writeFileSync(path, broken)
    t.throws(() => readSettingsFile(path), { message: /sigil\.json/ })
  }
})

t.test('sizes and lists are read with their units', async (t) => {
  const settings = readSettings({ MEMORY_BUDGET: '2 GB', ALLOWED_HOSTS: 'a:1, b:2,' })
  t.equal(settings.MEMORY_BUDGET, 2e9)
  t.equal(settings.WALLET_STORAGE, 2 ** 30, '1 GiB unless told')
  t.equal(readSettings({ WALLET_STORAGE: '3 KiB' }).WALLET_STORAGE, 3_072)
  t.same(settings.ALLOWED_HOSTS, ['a:1', 'b:2'])
  t.same(readSettings({ HTTP_PORT: '' }).HTTP_PORT, 8080, 'empty is unset')
})

t.test('every row documents itself', async (t) => {
  const printed = printSettings()
  for (const [name, row] of Object.entries(settingRows)) {
    t.match(printed, `\`${name}\``)
    t.ok(row.doc.endsWith('.'), `${name}: ${row.doc}`)
  }
})

t.test('a password in an address is never shown', async (t) => {
  const addresses = [
    ['postgres://u:hidden@h/d', 'postgres://u:***@h/d'],
    ['postgres://u:hi:hidden@dd:en@h/d', 'postgres://u:***@h/d'],
    ['postgres://u@h/d?password=hidden&schema=s', 'postgres://u@h/d?password=***&schema=s'],
    ['postgres://u@h/d', 'postgres://u@h/d'],
    ['lmdb:./data', 'lmdb:./data'],
  ]
  for (const [STORE, shown] of addresses) {
    const settings = readSettings({ STORE })
    t.equal(settings.STORE, STORE)
    t.match(printSettings(settings), `| \`STORE\` | \`${shown}\` |`)
    t.notMatch(printSettings(settings) + settingsAsJson(settings), /hidden/)
  }
})
