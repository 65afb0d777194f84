// `sigil remember` and `sigil mcp` as users run them: processes beside a running Sigil.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { ask } from '../support/http-client.js'
import { startGateway } from '../support/live-gateway.js'
import { runSigil } from '../support/sigil-process.js'

async function open(t: Test) {
  const { url, key } = await startGateway(t, { RATE_LIMITS: 'off' })
  const folder = mkdtempSync(join(tmpdir(), 'sigil-remember-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'memories.ndjson')
  const environment = { SIGIL_URL: url, SIGIL_API_KEY: key }
  const run = (args: readonly string[], input = '') => runSigil(args, environment, input)
  const recall = async (query: string) => {
    const headers = { 'x-api-key': key }
    return (await ask(url, { path: `/api/recall?${query}`, headers })).json
  }
  return { url, file, run, recall }
}

function line(memory: object): string {
  return `${JSON.stringify(memory)}\n`
}

t.test('memories of a file are kept in order, and told of when they were there', async (t) => {
  const { file, run, recall } = await open(t)
  const source = { ref: 'talk-1' }
  const memories = Array.from({ length: 1_201 }, (_, i) =>
    line({ text: `Sentence number ${i} of the talk.`, source }),
  )
  writeFileSync(file, memories.join(''))
  const done = await run(['remember', file, '--graph', 'talks'])
  t.match(done, { code: 0, output: '1201 memories kept in talks\n', errors: '' })
  const again = await run(['remember', file, '-g', 'talks'])
  t.match(again, { code: 0, output: '0 memories kept in talks, 1201 were there already\n' })
  // Consecutive memories of one source are linked, also where a batch ends.
  const { memories: found } = await recall('graph=talks&q=500&hops=1')
  t.match(found, [{ text: 'Sentence number 500 of the talk.' }])
  const { nodeIds } = await recall('graph=talks&q=500&hops=1&limit=1')
  t.equal((nodeIds as unknown[]).length, 3, 'the one before and the one after')
})

t.test('standard input is read, and refused memories are told with their place', async (t) => {
  const { run, recall } = await open(t)
  const input = [line({ text: 'Good.' }), line({ text: '' }), line({ txt: 'x' })].join('')
  const done = await run(['remember', '-'], input)
  t.match(done, { code: 1, output: '1 memories kept in default, 2 refused\n' })
  t.match(done.errors, /^memory 2: INVALID_INPUT: .+\nmemory 3: INVALID_INPUT: .+\n$/)
  t.match(await recall('q=good'), { memories: [{ text: 'Good.' }] })
})

t.test('what cannot be done is told in one line', async (t) => {
  const { run, file } = await open(t)
  t.match(await run(['remember']), { code: 2, errors: /^Usage:/ })
  t.match(await run(['remember', file]), { code: 1, errors: /no such file/ })
  t.match(await run(['remember', '-', '-g', 'no graph'], line({ text: 'x' })), {
    ...{ code: 1, errors: /HTTP 400: INVALID_INPUT/ },
  })
  const environment = { SIGIL_URL: 'http://127.0.0.1:1', SIGIL_API_KEY: 'x' }
  const away = await runSigil(['remember', '-'], environment, line({ text: 'x' }))
  t.match(away, { code: 1, errors: /no Sigil answers at/ })
})

t.test('sigil mcp writes nothing but the protocol, and ends with its input', async (t) => {
  const { run } = await open(t)
  t.match(await run(['mcp', 'x']), { code: 2, output: '', errors: /^Usage:/ })
  const silent = await run(['mcp'])
  t.match(silent, { code: 0, output: '', errors: '' })
})
