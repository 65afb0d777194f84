// The settings in force over HTTP: their sources, the secrets that stay hidden, and who may ask.

import t from 'tap'
import { readSettings, settingRows, shownSettings } from '../../../../src/base/settings.js'
import { ask } from '../../../support/http-client.js'
import { startGateway } from '../../../support/live-gateway.js'

const path = '/api/v1/settings'

t.test('the operator sees each setting with its source, and no secret', async (t) => {
  const secret = 'a-token-of-this-test'
  const gateway = await startGateway(t, { SLOW_COMMAND_MS: '250', METRICS_TOKEN: secret })
  const { status, json, text } = await ask(gateway.url, {
    path,
    headers: { 'x-api-key': gateway.key },
  })
  t.equal(status, 200)
  t.notMatch(text, secret)
  t.notMatch(text, gateway.key)
  const rows = new Map((json.settings as { name: string }[]).map((row) => [row.name, row]))
  t.same([...rows.keys()], Object.keys(settingRows), 'all of them')
  t.match(rows.get('SLOW_COMMAND_MS'), { value: '250', source: 'environment', isSecret: false })
  t.match(rows.get('METRICS_TOKEN'), { value: '(set)', source: 'environment', isSecret: true })
  t.match(rows.get('DURABILITY'), { source: /default|environment/, doc: /power cut/ })
})

t.test('a setting of sigil.json says so, unless the environment has it too', async (t) => {
  const settings = readSettings({ DATABASE: 'a' }, { DATABASE: 'b', LOG_LEVEL: 'warn' })
  const rows = new Map(shownSettings(settings).map((row) => [row.name, row]))
  t.match(rows.get('DATABASE'), { value: 'a', source: 'environment' })
  t.match(rows.get('LOG_LEVEL'), { value: 'warn', source: 'sigil.json' })
  t.match(rows.get('HOST'), { value: '127.0.0.1', source: 'default' })
})

t.test('others are refused', async (t) => {
  const { url } = await startGateway(t)
  t.equal((await ask(url, { path })).status, 401)
})
