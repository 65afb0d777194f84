// `sigil remember` and `sigil mcp` as users run them: processes beside a running Sigil.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
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
  t.match(done, { code: 1, output: '1 memory kept in default, 2 refused\n' })
  t.match(done.errors, /^line 2: INVALID_INPUT: .+\nline 3: INVALID_INPUT: .+\n$/)
  t.match(await recall('q=good'), { memories: [{ text: 'Good.' }] })
})

t.test('what cannot be done is told in one line', async (t) => {
  const { run, file } = await open(t)
  t.match(await run(['remember']), { code: 2, errors: /Usage:/ })
  t.match(await run(['remember', file]), { code: 1, errors: /no such file/ })
  t.match(await run(['remember', '-', '-g', 'no graph'], line({ text: 'x' })), {
    ...{ code: 1, errors: /HTTP 400: INVALID_INPUT: a graph's name is 1 to 64/ },
  })
  const environment = { SIGIL_URL: 'http://127.0.0.1:1', SIGIL_API_KEY: 'x' }
  const away = await runSigil(['remember', '-'], environment, line({ text: 'x' }))
  t.match(away, { code: 1, output: /^$/, errors: /^sigil: no Sigil answers at .+\n$/ })
  const imported = await runSigil(['import', '-', '-c', 'c'], environment, line({ text: 'x' }))
  t.match(imported, { code: 1, output: /^$/, errors: /^sigil: no Sigil answers at .+\n$/ })
})

t.test('a bad line ends the reading: what was kept before it is told', async (t) => {
  const { file, run, recall } = await open(t)
  const good = [line({ text: 'One.' }), line({ text: 'One.' }), line({ text: '' })].join('')
  writeFileSync(
    file,
    `\ufeff${good.replaceAll('\n', '\r\n')}{"text": "Two}\n${line({ text: 'Three.' })}`,
  )
  const kept = '1 memory kept in default, 1 was there already, 1 refused\n'
  t.match(await run(['remember', file]), {
    ...{ code: 1, output: kept },
    errors: /^line 3: INVALID_INPUT: .+\nsigil: line 4: a string has no end; .+ not sent\n$/,
  })
  t.match(await recall('q=three'), { memories: [] })
  writeFileSync(file, `${good}${line({ text: 'Two.' })}${line({ text: 'Three.' })}`)
  const again = '2 memories kept in default, 2 were there already, 1 refused\n'
  t.match(await run(['remember', file]), { code: 1, output: again })
})

/** A server that answers batches as `answers` say, the last of them again; `asked` is told. */
async function openBatches(t: Test, answers: readonly number[], asked: () => void) {
  let requests = 0
  const server = createServer((incoming, outgoing) => {
    incoming.resume().once('end', () => {
      asked()
      const status = answers[requests++] ?? 200
      outgoing.writeHead(status, status === 429 ? { 'retry-after': '0' } : {})
      outgoing.end(JSON.stringify({ inserted: 500, duplicates: 0, results: [] }))
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, requests: () => requests }
}

t.test('a limit of requests is waited for', async (t) => {
  const { url, requests } = await openBatches(t, [429, 429], () => undefined)
  const done = await runSigil(['remember', '-'], { SIGIL_URL: url }, line({ text: 'x' }))
  t.match(done, { code: 0, output: '500 memories kept in default\n', errors: '' })
  t.equal(requests(), 3)
})

t.test('Ctrl-C lets what is under way finish, and tells what was kept', async (t) => {
  const environment = { PATH: process.env.PATH ?? '' }
  const { url, requests } = await openBatches(t, [], () => child.kill('SIGINT'))
  const child = spawn(process.execPath, ['build/src/main.js', 'remember', '-'], {
    env: { ...environment, SIGIL_URL: url },
  })
  child.stdin.write(line({ text: 'x' }).repeat(500))
  const ended = once(child, 'close')
  const [output, errors] = await Promise.all([textOf(child.stdout), textOf(child.stderr)])
  t.same([output, (await ended)[0]], ['500 memories kept in default\n', 1])
  t.match(errors, /^sigil: interrupted; /)
  t.equal(requests(), 1)
})

t.test('sigil mcp writes nothing but the protocol, and ends with its input', async (t) => {
  const { run } = await open(t)
  t.match(await run(['mcp', 'x']), { code: 2, output: '', errors: /Usage:/ })
  const silent = await run(['mcp'])
  t.match(silent, { code: 0, output: '', errors: '' })
})
