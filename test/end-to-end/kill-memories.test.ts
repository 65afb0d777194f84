// kill -9 while memories are written, superseded, forgotten and merged, with DURABILITY=commit: what
// was acknowledged is there, whole, and every part of the graph says the same.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { testKey } from '../support/gateway.js'
import { runs } from '../support/runs.js'
import { endSigil, runSigil, settingsFor, startSigil } from '../support/sigil-process.js'

interface Told {
  /** Texts of memories by their ids. */
  readonly written: Map<string, string>
  readonly forgotten: Set<string>
  /** Asked for, and perhaps done. */
  readonly doomed: Set<string>
}

t.test('no acknowledged memory is lost or torn by kill -9', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sigil-kill-memories-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const settings = { ...settingsFor(folder), DURABILITY: 'commit' }
  const rounds = runs(2)
  const told: Told = { written: new Map(), forgotten: new Set(), doomed: new Set() }
  for (let round = 0; round < rounds; round++) {
    await work(settings, told, round)
    const check = await runSigil(['check'], settings)
    t.equal(check.code, 0, `round ${round}: ${check.errors}`)
    await verify(t, settings, told)
  }
  t.ok(told.written.size > 100 && told.forgotten.size > 0, `${told.written.size} were acknowledged`)
})

async function work(settings: Record<string, string>, told: Told, round: number): Promise<void> {
  const sigil = await startSigil(settings)
  const api = apiOf(sigil.httpPort)
  const before = told.written.size
  const busy = [0, 1, 2].map((worker) => write(api, told, `${round}x${worker}`))
  busy.push(forget(api, told))
  // Killed by progress, not by time.
  const enough = 120 + 37 * round
  while (told.written.size - before < enough) {
    await new Promise((resolve) => setImmediate(resolve))
  }
  await endSigil(sigil, 'SIGKILL')
  await Promise.all(busy)
}

type Api = (method: string, path: string, body?: unknown) => Promise<Record<string, unknown>>

function apiOf(port: number): Api {
  return async (method, path, body) => {
    const reply = await fetch(`http://127.0.0.1:${port}/api/${path}`, {
      method,
      headers: { 'x-api-key': testKey, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (reply.status >= 500) throw new Error(`${path}: ${reply.status}`)
    return (await reply.json()) as Record<string, unknown>
  }
}

/** Batches whose memories share names, a source, and now and then the place of an older one. */
async function write(api: Api, told: Told, prefix: string): Promise<void> {
  let last: string | undefined
  for (let n = 0; ; n++) {
    const texts = Array.from({ length: 7 }, (_, i) => `note ${prefix}n${n}i${i} for Ada of Paris`)
    const memories = texts.map((text, i) => ({
      ...{ text, entities: [`Person ${i}`, 'Ada'], source: { ref: prefix } },
      ...(i === 0 && last !== undefined ? { supersedes: last } : {}),
    }))
    try {
      const { results } = await api('POST', 'memories/batch', { memories })
      const ids = (results as { readonly id?: string }[]).map(({ id }) => id)
      ids.forEach((id, i) => {
        if (id !== undefined) told.written.set(id, texts[i] ?? '')
      })
      last = ids[1]
      if (n % 5 === 4) {
        await api('POST', 'entities/merge', { from: `Person ${n % 7}`, into: 'Ada' })
      }
    } catch {
      return
    }
  }
}

async function forget(api: Api, told: Told): Promise<void> {
  for (let turn = 0; ; turn++) {
    const ids = [...told.written.keys()]
    const id = ids[(turn * 7919) % Math.max(ids.length, 1)]
    if (id === undefined) {
      await new Promise((resolve) => setImmediate(resolve))
      continue
    }
    told.doomed.add(id)
    try {
      await api('DELETE', `memories/${id}`)
    } catch {
      return
    }
    told.forgotten.add(id)
  }
}

async function verify(t: Test, settings: Record<string, string>, told: Told): Promise<void> {
  const sigil = await startSigil(settings)
  const api = apiOf(sigil.httpPort)
  let lost = 0
  let returned = 0
  for (const [id, text] of told.written) {
    const { memory } = (await api('GET', `memories/${id}`)) as { memory?: { text: string } }
    if (told.forgotten.has(id)) returned += memory === undefined ? 0 : 1
    else if (memory?.text !== text && !told.doomed.has(id)) lost++
  }
  t.equal(lost, 0, 'what was acknowledged is there')
  t.equal(returned, 0, 'what was forgotten does not come back')
  await endSigil(sigil, 'SIGTERM')
}
