// The graph memory from outside, as the manual shows it: a Sigil of the command line, memories from a
// file and by hand, a proof on its chain, a client of MCP beside it, and all of it after a restart.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { testKey } from '../support/gateway.js'
import { ask, type HttpAnswer } from '../support/http-client.js'
import { openMcp } from '../support/mcp-clients.js'
import {
  endSigil,
  runSigil,
  type SigilProcess,
  settingsFor,
  startSigil,
} from '../support/sigil-process.js'

const folder = mkdtempSync(join(tmpdir(), 'sigil-memory-'))
t.teardown(() => rmSync(folder, { recursive: true }))

const urlOf = ({ httpPort }: SigilProcess) => `http://127.0.0.1:${httpPort}`

function send(sigil: SigilProcess, path: string, body?: unknown): Promise<HttpAnswer> {
  const headers = { 'x-api-key': testKey, 'content-type': 'application/json' }
  return ask(urlOf(sigil), { path, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
}

/** Asks until the chain has confirmed it; the test's own time limit ends what never comes. */
async function proven(sigil: SigilProcess, id: string): Promise<HttpAnswer> {
  for (;;) {
    const verdict = await send(sigil, `/api/verify?id=${id}`)
    if (verdict.json.verified === true || verdict.status !== 200) return verdict
  }
}

t.test('remembered, recalled, proven, and there after a restart', async (t) => {
  const first = await startSigil(settingsFor(join(folder, 'data')))
  const made = await send(first, '/api/memories', {
    ...{ text: 'Ada moved to Lisbon in May.', entities: ['Ada'] },
  })
  t.equal(made.status, 201, made.text)
  const id = String(made.json.id)
  const environment = { SIGIL_URL: urlOf(first), SIGIL_API_KEY: testKey }
  const lines = '{"text":"Ada keeps bees."}\n{"text":"Bees need water."}\n'
  t.match(await runSigil(['remember', '-'], environment, lines), {
    ...{ code: 0, output: '2 memories kept in default\n' },
  })
  t.match(await send(first, '/api/anchor', {}), { status: 202, json: { count: 3 } })
  const verdict = await proven(first, id)
  t.match(verdict.json, {
    ...{ verified: true, hashValid: true, anchored: true, proofValid: true, onChain: true },
    ...{ root: /^0x[0-9a-f]{64}$/, txHash: /^0x[0-9a-f]{64}$/, anchoredAt: Number },
    ...{ anchoredBy: /^0x/, explorerUrl: null, problem: null },
  })
  await endSigil(first, 'SIGTERM')

  const second = await startSigil(settingsFor(join(folder, 'data')))
  const found = await send(second, '/api/recall?q=where+did+ada+move')
  t.match(found.json.memories, [{ id, text: 'Ada moved to Lisbon in May.' }])
  t.match((await proven(second, id)).json, { verified: true, root: verdict.json.root })
  t.match((await send(second, '/api/verify/graph')).json, { verified: true, anchors: 1 })
  const client = await openMcp('1.x', 'stdio', { url: urlOf(second), key: testKey })
  const recalled = await client.call('recall', { q: 'bees' })
  t.match(recalled.data, { memories: [{ text: /bees/i }, { text: /bees/i }] })
  await client.close()
  await endSigil(second, 'SIGTERM')
  const checked = await runSigil(['check'], settingsFor(join(folder, 'data')))
  t.match(checked, { code: 0 }, checked.errors)
})
