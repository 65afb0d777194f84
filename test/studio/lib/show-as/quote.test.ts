// Each quoting function, against the real program of its language: what it reads is what was quoted.

import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import {
  exactJson,
  nameSql,
  quoteGo,
  quoteJs,
  quotePython,
  quoteSh,
  quoteSql,
} from '../../../../src/studio/lib/show-as/quote.js'
import { startGateway } from '../../../support/live-gateway.js'
import { mongoshScript, toolMissing } from '../../../support/tools.js'

t.setTimeout(120_000)

const texts = [
  '',
  "it's",
  `"double" 'single' \`back\``,
  '$HOME $(id) `id` $x !! \\',
  'a\\nb\\\\',
  'line\nline\r\n\ttab',
  "'; DROP TABLE x; --",
  'ünïcödé 東京 😀',
  '\u2028\u2029\u202e\u200b\ufeff\u0085',
  '-n --eval @file %s #{x}',
  '\u0001\u001b[31m\u007f',
]

t.test('sh', async (t) => {
  const script = `printf '%s\\001\\001' ${texts.map(quoteSh).join(' ')}`
  const output = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' })
  t.same(output.split('\u0001\u0001').slice(0, -1), texts)
  t.throws(() => quoteSh('a\0'), /NUL/)
})

t.test('node', async (t) => {
  const script = `console.log(JSON.stringify([${texts.map(quoteJs).join(', ')}]))`
  t.same(JSON.parse(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' })), texts)
})

t.test('mongosh', { skip: await toolMissing('mongosh') }, async (t) => {
  const script = `print(EJSON.stringify([${texts.map(quoteJs).join(', ')}]))`
  const args = [await mongoshScript(), '--nodb', '--quiet', '--norc', '--eval', script]
  t.same(JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })), texts)
})

t.test('python', async (t) => {
  const script = `import json\nprint(json.dumps([${texts.map(quotePython).join(', ')}]))`
  t.same(JSON.parse(execFileSync('python3', ['-c', script], { encoding: 'utf8' })), texts)
})

const hasGo = spawnSync('go', ['version']).status === 0

t.test('go', { skip: hasGo ? false : 'no go' }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sigil-quote-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const list = texts.map(quoteGo).join(', ')
  const source = `package main

import (
	"encoding/json"
	"os"
)

func main() {
	json.NewEncoder(os.Stdout).Encode([]string{${list}})
}
`
  const file = join(folder, 'main.go')
  writeFileSync(file, source)
  t.same(JSON.parse(execFileSync('go', ['run', file], { encoding: 'utf8' })), texts)
})

t.test('SQL, by the gateway', async (t) => {
  const { url, key } = await startGateway(t, { RATE_LIMITS: 'off' })
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const names = texts.filter((one) => one !== '' && !/[.$]/.test(one) && !/[[\]]/.test(one))
  const query = `SELECT ${texts.map((one, at) => `${quoteSql(one)} AS c${at}`).join(', ')}`
  const reply = await fetch(`${url}/api/v1/sql`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ query }),
  })
  const { result } = (await reply.json()) as { result: { cursor: { firstBatch: [object] } } }
  t.same(Object.values(result.cursor.firstBatch[0]), texts)
  const document = Object.fromEntries(names.map((name, at) => [name, at]))
  const body = JSON.stringify({ document })
  await fetch(`${url}/api/v1/collections/names/insertOne`, { method: 'POST', headers, body })
  for (const [at, name] of names.entries()) {
    const query = `SELECT ${nameSql(name)} FROM names`
    const answer = await fetch(`${url}/api/v1/sql`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query }),
    })
    const { result } = (await answer.json()) as { result: { cursor: { firstBatch: unknown } } }
    t.same(result.cursor.firstBatch, [{ [name]: at }], `name ${at}`)
  }
  t.throws(() => nameSql('a.b'), /something else/)
  t.throws(() => quoteSql('\0'), /NUL/)
})

t.test('what JavaScript would change is no exact JSON', async (t) => {
  for (const text of ['{"a":1,"a":2}', '{"b":1,"1":2}', '1.0', '9007199254740993', '{"a":']) {
    t.throws(() => exactJson(text, 'filter'), /The filter/, text)
  }
  t.same(exactJson('{ "a\\u0062": [1, 2.5, "x y"],\n "c": null }', 'filter'), {
    ab: [1, 2.5, 'x y'],
    c: null,
  })
  t.throws(() => quoteJs('\ud800'), /surrogate/)
})
