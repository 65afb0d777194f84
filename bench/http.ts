// Question: what do the HTTP routes cost, beside a bare Hono that reads the same POST body and
// answers the same bytes? The bars are 0.6x for findOne and 0.4x for insertOne. Needs wrk.

import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { MongoClient } from 'mongodb'
import { compare, type Figure } from './support/figure.js'
import { benchKey, startPeer, startSigil } from './support/processes.js'

const run = promisify(execFile)
const documents = 20_000

const bodies: Readonly<Record<string, string>> = {
  findOne: `string.format('{"filter":{"_id":%d}}', math.random(0, ${documents - 1}))`,
  insertOne: `string.format('{"document":{"n":%d,"name":"name","text":"${'x'.repeat(120)}"}}',
    math.random(0, 1000000000))`,
}

export async function http(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sigil-wrk-'))
  const sigil = await startSigil({ environment: { RATE_LIMITS: 'off' } })
  const peer = await startPeer('bare-hono')
  try {
    await fill(sigil.uri)
    const figures: Figure[] = []
    for (const operation of Object.keys(bodies)) {
      const script = writeScript(folder, operation)
      const ours = () => wrk(sigil.httpPort, operation, script)
      const theirs = () => wrk(peer.port, operation, script)
      figures.push(
        await compare(`HTTP ${operation}, wrk, 64 at a time`, 'requests/s', ours, theirs),
      )
    }
    return figures
  } finally {
    await sigil.stop()
    await peer.stop()
    rmSync(folder, { recursive: true })
  }
}

async function fill(uri: string): Promise<void> {
  const client = await MongoClient.connect(uri)
  const collection = client.db('main').collection<{ _id: number }>('bench')
  for (let start = 0; start < documents; start += 1_000) {
    const text = 'x'.repeat(120)
    const batch = Array.from({ length: 1_000 }, (_, index) => {
      const n = start + index
      return { _id: n, n, name: `name ${n}`, text, tags: ['a', 'b', 'c'] }
    })
    await collection.insertMany(batch)
  }
  await client.close()
}

function writeScript(folder: string, operation: string): string {
  const path = join(folder, `${operation}.lua`)
  const headers = `wrk.headers['content-type'] = 'application/json'
wrk.headers['x-api-key'] = '${benchKey}'`
  const request = `function request() return wrk.format('POST', nil, nil, ${bodies[operation]}) end`
  const done = `function done(summary)
  if summary.errors.status > 0 then io.write('REFUSED ' .. summary.errors.status .. '\\n') end
end`
  writeFileSync(path, `${headers}\n${request}\n${done}\n`)
  return path
}

async function wrk(port: number, operation: string, script: string): Promise<number> {
  const url = `http://127.0.0.1:${port}/api/v1/collections/bench/${operation}`
  const { stdout } = await run('wrk', ['-t1', '-c64', '-d4s', '-s', script, url])
  if (stdout.includes('REFUSED')) throw new Error(stdout)
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1])
}
