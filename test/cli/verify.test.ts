// `sigil verify` as users run it: a sweep, single memories, evidence that is checked against a node
// without Sigil, and what the command line remembers of graphs.

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import t from 'tap'
import type { Seen } from '../../src/cli/pins.js'
import type { ExportedEvidence } from '../../src/memory/proof/verdicts/exported.js'
import { ask } from '../support/http-client.js'
import { startGateway } from '../support/live-gateway.js'
import { runSigil } from '../support/sigil-process.js'

t.setTimeout(300_000)
const { url, key } = await startGateway(t, { RATE_LIMITS: 'off' })
const folder = mkdtempSync(join(tmpdir(), 'sigil-verify-'))
t.teardown(() => rmSync(folder, { recursive: true }))
const pins = join(folder, 'config', 'sigil', 'pins.json')
const environment = {
  SIGIL_URL: url,
  SIGIL_API_KEY: key,
  SIGIL_PINS: '',
  XDG_CONFIG_HOME: join(folder, 'config'),
}
const sigil = (...args: readonly string[]) => runSigil(['verify', ...args], environment, '')
const headers = { 'x-api-key': key, 'content-type': 'application/json' }
const send = (method: string, path: string, body?: object) =>
  ask(url, { method, path, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })

const made = await send('POST', '/api/memories', { text: 'Ada moved to Lisbon.', graph: 'g' })
const id = String(made.json.id)
await send('POST', '/api/anchor', { graph: 'g' })
const isAnchored = async () => (await send('GET', `/api/verify?graph=g&id=${id}`)).json.verified
while ((await isAnchored()) !== true) await setTimeout(50)

t.test('many are verified in the order of their ids, as each alone', async (t) => {
  const { json: alone } = await send('GET', `/api/verify?graph=g&id=${id}`)
  const { json } = await send('POST', '/api/verify', { graph: 'g', ids: [id, 'mem_none', id] })
  const [first, second, third] = json.results as Record<string, unknown>[]
  t.same(first, { id, ...alone })
  t.same(third, first)
  t.match(second, { id: 'mem_none', verified: false, problem: 'not found', computedHash: '' })
  for (const ids of [[], Array(301).fill(id), [7], [''], undefined]) {
    const refused = await send('POST', '/api/verify', { graph: 'g', ids })
    t.match(refused, { status: 400, json: { error: { code: 'INVALID_INPUT' } } })
  }
  t.match(await send('GET', '/api/verify/graph?graph=g&cursor=x'), { status: 400 })
})

t.test('a sweep is told, and remembered for its user alone', async (t) => {
  const done = await sigil('--graph', 'g')
  t.match(done, { code: 0, errors: '' })
  t.match(done.output, /^graph g: verified\n {2}1 memories in 1 anchors, 0 not anchored yet\n/)
  t.equal(statSync(pins).mode & 0o777, 0o600)
  const [pin] = Object.values(JSON.parse(readFileSync(pins, 'utf8')) as object)
  t.match(pin, { graphKey: /^0x[0-9a-f]{64}$/, sequence: 1, root: /^0x/ })
  t.match(await sigil(id, '-g', 'g'), { code: 0, output: new RegExp(`^${id}: verified\n`) })
  t.match(await sigil('mem_none', '-g', 'g'), { code: 1, output: /^mem_none: not found\n/ })
})

t.test('a key that changes and a sequence that goes back are warned of', async (t) => {
  const before = readFileSync(pins, 'utf8')
  const changes: readonly [change: object, warning: RegExp][] = [
    [{ sequence: 2 }, /the newest root is number 1, and was 2/],
    [{ graphKey: `0x${'1'.repeat(64)}` }, /the key on the chain is 0x.+, and was 0x1111/],
    [{ root: `0x${'1'.repeat(64)}` }, /root number 1 is 0x.+, and was 0x1111/],
  ]
  for (const [change, warning] of changes) {
    const [[name, pin] = ['', {}]] = Object.entries(JSON.parse(before) as Record<string, object>)
    writeFileSync(pins, JSON.stringify({ [name]: { ...pin, ...change } }))
    const pinned = readFileSync(pins, 'utf8')
    t.match(await sigil('-g', 'g'), { code: 1, errors: warning })
    t.equal(readFileSync(pins, 'utf8'), pinned, 'what was seen before stays')
  }
  t.match(await sigil('-g', 'g', '--repin'), { code: 0 })
  t.match(await sigil('-g', 'g'), { code: 0, errors: '' })
  writeFileSync(pins, '[]')
  t.match(await sigil('-g', 'g'), { code: 1, errors: /is no file of pins/ })
  writeFileSync(pins, before)
})

t.test("two spaces' graphs of one name have a pin each", async (t) => {
  await send('POST', '/api/memories?database=other', { text: 'Another of it.', graph: 'g' })
  await send('POST', '/api/anchor?database=other', { graph: 'g' })
  const path = '/api/verify/graph?database=other&graph=g'
  while ((await send('GET', path)).json.verified !== true) await setTimeout(50)
  const before = readFileSync(pins, 'utf8')
  t.match(await sigil('-g', 'g', '--database', 'other'), { code: 0, errors: '' }, 'a first look')
  t.match(await sigil('-g', 'g', '-d', 'other'), { code: 0, errors: '' }, 'and another')
  t.match(await sigil('-g', 'g'), { code: 0, errors: '' }, 'the other space')
  const keys = Object.values(JSON.parse(readFileSync(pins, 'utf8')) as Record<string, Seen>)
  t.equal(new Set(keys.map(({ graphKey }) => graphKey)).size, 2, 'of two keys')
  writeFileSync(pins, before)
  const input = '{"text":"Loaded into a space."}\n'
  const loaded = await runSigil(['remember', '-', '-d', 'other', '-g', 'h'], environment, input)
  t.match(loaded, { code: 0, output: /^1 memory kept in h/ })
  const found = await send('GET', '/api/recall?database=other&graph=h&q=loaded')
  t.match(found.text, 'Loaded into a space', 'in the space that is named')
})

t.test('evidence is checked against a node, and without the server that it is from', async (t) => {
  const exported = await sigil('--export', id, '-g', 'g')
  t.equal(exported.code, 0)
  const evidence = JSON.parse(exported.output) as ExportedEvidence
  t.match(evidence, { memory: { id, text: 'Ada moved to Lisbon.' }, anchor: { sequence: 1 } })
  const file = join(folder, 'evidence.json')
  const check = (given: string, ...args: readonly string[]) => {
    writeFileSync(file, given)
    const none = { ...environment, SIGIL_URL: 'http://127.0.0.1:9', SIGIL_API_KEY: '' }
    return runSigil(['verify', '--rpc', `${url}/chain`, file, ...args], none, '')
  }
  const { anchoredBy, contract } = evidence.anchor
  const good = await check(exported.output, '--account', anchoredBy, '--contract', contract)
  t.match(good, { code: 0, output: new RegExp(`^${id}: verified\n`), errors: '' })
  const { memory, anchor } = evidence
  const forged: readonly [change: object, text: RegExp][] = [
    [{ memory: { ...memory, text: 'forged' } }, /content hash mismatch/],
    [{ leafHash: evidence.hash }, /leaf does not match/],
    [{ proof: [`0x${'1'.repeat(64)}`] }, /merkle proof invalid/],
    [{ anchor: { ...anchor, sequence: 2 } }, /as the file tells it/],
    [{ anchor: { ...anchor, chainId: 1 } }, /the node is of chain 31337, not 1/],
    [{ anchor: { ...anchor, anchoredBy: contract } }, /root not found on chain/],
  ]
  for (const [change, text] of forged) {
    t.match(await check(JSON.stringify({ ...evidence, ...change })), { code: 1, output: text })
  }
  const other = await check(exported.output, '--account', contract)
  t.match(other, { code: 1, output: /anchored by/ })
  t.match(await check('{}'), { code: 1, errors: /no sigil-evidence/ })
})

t.test('what is asked for wrongly is told', async (t) => {
  t.match(await sigil('--help'), { code: 0, output: /^Usage:/ })
  t.match(await sigil('--rpc', url), { code: 2, errors: /Usage:/ })
  t.match(await sigil('--export', 'mem_none'), { code: 1, errors: /NODE_NOT_FOUND/ })
  t.match(await sigil('--graph', 'unknown'), { code: 1, errors: /GRAPH_NOT_FOUND/ })
})
