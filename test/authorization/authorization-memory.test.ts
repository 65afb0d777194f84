// The authorization matrix of the graph memory over HTTP: every route against everybody, for a
// graph of each mode. The decisions are written here; a route without one fails.

import t, { type Test } from 'tap'
import { memoryReadRoutes } from '../../src/listeners/http/memory/memory-read-routes.js'
import { memoryWriteRoutes } from '../../src/listeners/http/memory/memory-write-routes.js'
import { type Crowd, openCrowd, type Send, wallets } from '../support/http-identities.js'
import { hasRights, type Mode, modes, type Who } from '../support/identities.js'
import { startGateway } from '../support/live-gateway.js'
import { WalletClient } from '../support/wallet-client.js'

interface Decision {
  /** As support/identities.ts has them; none: everybody who is known. */
  readonly privileges?: string
  readonly query?: string
  readonly body?: unknown
}

const g = 'graph=g'
const memory = { graph: 'g', text: 'Another memory.' }
const edge = { from: 'mem_x', to: 'mem_y', type: 'relates' }

/** By method and path; what they name need not be there. */
const decisions: Readonly<Record<string, Decision>> = {
  'GET /api/graph': { privileges: 'r', query: g },
  'POST /api/graph/nodes': { privileges: 'r', body: { graph: 'g', ids: ['mem_x'] } },
  'GET /api/entities': { privileges: 'r', query: `${g}&name=a` },
  'POST /api/preview': { privileges: 'r', body: { graph: 'g', memory: { text: 'x' } } },
  'GET /api/recall': { privileges: 'r', query: `${g}&q=memory` },
  'GET /api/verify': { privileges: 'r', query: `${g}&id=mem_x` },
  'POST /api/verify': { privileges: 'r', body: { graph: 'g', ids: ['mem_x'] } },
  'GET /api/verify/graph': { privileges: 'r', query: g },
  'GET /api/evidence': { privileges: 'r', query: `${g}&id=mem_x` },
  'GET /api/memories/:id': { privileges: 'r', query: g },
  'GET /api/graphs': {},
  'GET /api/graphs/:name': {},
  'POST /api/memories': { privileges: 'rw', body: memory },
  'POST /api/memories/batch': { privileges: 'rw', body: { graph: 'g', memories: [{ text: 'x' }] } },
  'PATCH /api/memories/:id': { privileges: 'rw', query: g, body: { status: 'active' } },
  'DELETE /api/memories/:id': { privileges: 'rw', query: g },
  'POST /api/edges': { privileges: 'rw', body: { graph: 'g', ...edge } },
  'DELETE /api/edges': { privileges: 'rw', query: `${g}&id=edg_x` },
  'POST /api/entities/merge': { privileges: 'rw', body: { graph: 'g', from: 'a', into: 'b' } },
  'POST /api/anchor': { privileges: 'w', body: { graph: 'g' } },
  'PUT /api/graphs/:name': { privileges: 'c', body: { mode: 'public' } },
  'PUT /api/graphs/:name, ranking': { privileges: 'a', body: { k1: 1 } },
  'DELETE /api/graphs/:name': { privileges: 'a' },
}

async function openGraph(t: Test, settings: Readonly<Record<string, string>> = {}) {
  const crowd = await openCrowd(t, settings)
  return { ...crowd, reset: (mode: Mode) => reset(crowd.as, mode) }
}

/** The graph as the matrix wants it, by its owner's own calls. */
async function reset(as: Crowd['as'], mode: Mode): Promise<void> {
  await as.operator?.('DELETE', '/api/graphs/g?release=true')
  const maker = mode === 'unowned' ? as.operator : as.owner
  await must(maker, 'POST', '/api/memories', { graph: 'g', text: 'A memory.' })
  if (mode === 'unowned') return
  const roles = { [wallets['role 1'].address]: 1, [wallets['role 2'].address]: 2 }
  await must(maker, 'PUT', '/api/graphs/g', { mode, roles })
}

async function must(send: Send | undefined, method: string, path: string, body: unknown) {
  const answer = await send?.(method, path, body)
  if (answer === undefined || answer.status > 201) throw new Error(`${path}: ${answer?.text}`)
}

t.test('every route of the memory has a decision', async (t) => {
  const decided = new Set(Object.keys(decisions).map((key) => key.split(',')[0]))
  for (const { method, path } of [...memoryReadRoutes, ...memoryWriteRoutes]) {
    t.ok(decided.has(`${method} ${path}`), `${method} ${path}`)
  }
})

t.test('each route is open to whom the decision says, and no more', async (t) => {
  const { as, reset } = await openGraph(t)
  for (const mode of modes) {
    await reset(mode)
    for (const [name, { privileges = '', query = '', body }] of Object.entries(decisions)) {
      const [method = '', path = ''] = (name.split(',')[0] ?? '').split(' ')
      const target = `${path.replace(':id', 'mem_x').replace(':name', 'g')}?${query}`
      for (const [who, send] of Object.entries(as) as [Who, Send][]) {
        const { status, json, text } = await send(method, target, body)
        const what = `${name} by ${who}, ${mode}: ${status} ${text.slice(0, 200)}`
        const { error } = json as { error?: { code?: string } }
        if (who === 'anonymous') t.same([status, error?.code], [401, 'UNAUTHENTICATED'], what)
        else if (hasRights(who, mode, privileges)) t.notOk([401, 403, 500].includes(status), what)
        else t.same([status, error?.code], [403, 'FORBIDDEN'], what)
        if (status < 300 && /[ac]/.test(privileges)) await reset(mode)
      }
    }
  }
})

t.test('the list shows the graphs that the caller may read', async (t) => {
  const { as, reset } = await openGraph(t)
  for (const mode of modes) {
    await reset(mode)
    for (const [who, send] of Object.entries(as) as [Who, Send][]) {
      if (who === 'anonymous') continue
      const { json } = await send('GET', '/api/graphs')
      const names = (json.graphs as { name?: string }[]).map(({ name }) => name)
      t.equal(names.includes('g'), hasRights(who, mode, 'r'), `${who}, ${mode}`)
      const one = await send('GET', '/api/graphs/g')
      t.equal(one.status, hasRights(who, mode, 'r') ? 200 : 404, `${who}, ${mode}`)
    }
  }
})

t.test('the graph default is there, and its first mode is that of shared spaces', async (t) => {
  for (const mode of ['shared', 'private'] as const) {
    const { url } = await startGateway(t, { SHARED_SPACES: mode })
    const otherWallet = await WalletClient.signIn(url, wallets.otherWallet)
    const kept = await otherWallet.send('POST', '/api/memories', { text: 'Of another wallet.' })
    t.equal(kept.status, mode === 'shared' ? 201 : 403, mode)
  }
})
