// `sigil verify`: sweeps a graph of a running Sigil, verifies single memories, exports evidence,
// and checks exported evidence against a node of the chain without Sigil. It stores pins of graph
// keys and sequences, so that it detects if either goes back.

import { readFileSync } from 'node:fs'
import { fail } from '../base/errors.js'
import { verifyIdsMax } from '../base/limits/memory.js'
import { type Answer, type Client, openClient } from './client.js'
import { checkEvidence } from './evidence.js'
import { Pins, pinsPath, type Seen } from './pins.js'
import { openProgress } from './progress.js'

/** Options of `sigil verify`. */
export interface VerifyOptions {
  readonly url: string
  readonly graph: string
  readonly database?: string
  readonly export?: string
  readonly rpc?: string
  readonly account?: string
  readonly contract?: string
  readonly repin: boolean
}

/** Returns the exit code: 0 if everything is verified and no pin went back. */
export async function runVerify(ids: readonly string[], given: VerifyOptions): Promise<number> {
  const { rpc, account, contract, graph } = given
  if (rpc !== undefined) {
    const evidence = readFileSync(ids[0] ?? '', 'utf8')
    return checkEvidence(evidence, { rpc, account, contract }, say)
  }
  const client = openClient(given.url, given.database)
  if (given.export !== undefined) return exportEvidence(client, graph, given.export)
  const pins = new Pins(pinsPath(process.env))
  const seen = ids.length === 0 ? await sweep(client, graph) : await verify(client, graph, ids)
  const at = { origin: client.origin, space: await spaceOf(client, given), graph }
  const warnings = seen.graphKey === null ? [] : pins.compare(at, seen)
  for (const warning of warnings) process.stderr.write(`sigil: ${warning}\n`)
  if (warnings.length === 0 || given.repin) pins.keep(at, seen)
  return seen.isVerified && (warnings.length === 0 || given.repin) ? 0 : 1
}

/** The home of the key's wallet by default; empty for the server's own database. */
async function spaceOf(client: Client, { database }: VerifyOptions): Promise<string> {
  if (database !== undefined) return database
  const { status, body } = await client.get('/api/v1/auth/me')
  return status === 200 && typeof body.home === 'string' ? body.home : ''
}

interface Outcome extends Seen {
  readonly isVerified: boolean
}

async function exportEvidence(client: Client, graph: string, id: string): Promise<number> {
  const query = new URLSearchParams({ id, graph })
  const { evidence } = requireOk(await client.get(`/api/evidence?${query}`))
  process.stdout.write(`${String(evidence)}\n`)
  return 0
}

/** In groups of the most ids of a request. */
async function verify(client: Client, graph: string, ids: readonly string[]): Promise<Outcome> {
  let graphKey: string | null = null
  let isVerified = true
  for (let from = 0; from < ids.length; from += verifyIdsMax) {
    const some = ids.slice(from, from + verifyIdsMax)
    const answer = await client.post('/api/verify', JSON.stringify({ graph, ids: some }))
    for (const result of listIn(requireOk(answer), 'results')) {
      const { id, verified, problem, warnings, graphKey: key } = result
      if (typeof key === 'string') graphKey = key
      if (verified !== true) isVerified = false
      const notes =
        Array.isArray(warnings) && warnings.length > 0 ? ` (${warnings.join(', ')})` : ''
      say(`${String(id)}: ${verified === true ? 'verified' : String(problem)}${notes}`)
    }
  }
  say('Only a sweep (sigil verify without ids) shows that nothing is missing.')
  return { graphKey, sequence: null, root: null, isVerified }
}

async function sweep(client: Client, graph: string): Promise<Outcome> {
  let bar: ReturnType<typeof openProgress> | undefined
  for (let cursor = ''; ; ) {
    const query = new URLSearchParams(cursor === '' ? { graph } : { graph, cursor })
    const body = requireOk(await client.get(`/api/verify/graph?${query}`))
    const { done = 0, of = 0 } = (body.progress ?? {}) as { done?: number; of?: number }
    bar ??= openProgress(of, '{documents} documents', { documents: 0 })
    bar.update(done, { documents: done })
    for (const { id, problem } of listIn(body, 'problems')) say(`${String(id)}: ${String(problem)}`)
    for (const id of Array.isArray(body.lateIds) ? body.lateIds : []) {
      say(`${String(id)}: anchored late (a warning)`)
    }
    if (typeof body.cursor === 'string') {
      cursor = body.cursor
      continue
    }
    bar.stop()
    return tell(graph, body)
  }
}

function tell(graph: string, body: Answer['body']): Outcome {
  const { verified, problem, anchors, memories, unanchored, graphKey, chainSequence, root } = body
  const outcome = verified === true ? 'verified' : `NOT verified: ${String(problem)}`
  const waiting = `${String(unanchored)} not anchored yet`
  say(`graph ${graph}: ${outcome}`)
  say(`  ${String(memories)} memories in ${String(anchors)} anchors, ${waiting}`)
  say(`  key ${String(graphKey)}, sequence ${String(chainSequence)}`)
  return {
    graphKey: typeof graphKey === 'string' ? graphKey : null,
    sequence: typeof chainSequence === 'number' ? chainSequence : null,
    root: typeof root === 'string' ? root : null,
    isVerified: verified === true,
  }
}

function requireOk({ status, body }: Answer): Answer['body'] {
  if (status === 200) return body
  const { code, message } = (body.error ?? {}) as Readonly<Record<string, unknown>>
  throw fail('OperationFailed', `HTTP ${status}: ${String(code)}: ${String(message)}`)
}

function listIn(body: Answer['body'], name: string): readonly Answer['body'][] {
  const list = body[name]
  return Array.isArray(list) ? (list as Answer['body'][]) : []
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
