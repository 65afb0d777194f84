// A request to anchor is kept in the graph until its anchors are made: no restart forgets what was
// answered, and no batch ends a request that came while it was gathered.

import { join } from 'node:path'
import t, { type Test } from 'tap'
import { systemClock, systemRandom } from '../../../../src/base/clock.js'
import { silentLog } from '../../../../src/base/log.js'
import type { OpenChain } from '../../../../src/chain/open.js'
import { graphPath } from '../../../../src/memory/graph/graph-names.js'
import { noteRequest } from '../../../../src/memory/graph/graph-settings.js'
import { anchorGraphsAtOnce } from '../../../../src/memory/proof/anchors/anchor-job.js'
import { makeAnchor } from '../../../../src/memory/proof/anchors/anchor-making.js'
import type { GraphPrograms } from '../../../../src/memory/proof/graph-programs.js'
import { MerkleRoots } from '../../../../src/memory/proof/leaves/merkle-roots.js'
import { openLmdbStore } from '../../../../src/store/lmdb.js'
import { openMemoryStore } from '../../../../src/store/memory.js'
import type { Store } from '../../../../src/store/store.js'
import { AnchorRoom, database, programsIn, rememberIn } from '../../../support/anchor-room.js'
import { temporaryFolder } from '../../../support/stores.js'

const local = await AnchorRoom.open(t)

function openStore(folder: string): Store {
  const path = join(folder, 'store')
  const parts = { clock: systemClock, log: silentLog }
  return openLmdbStore({ path, durability: 'interval', ...parts })
}

async function openRoom(t: Test, chain: OpenChain = local.chain): Promise<AnchorRoom> {
  return AnchorRoom.open(t, { store: openMemoryStore(), chain })
}

function requested(room: AnchorRoom, graph: string): Promise<number | undefined> {
  return room.inGraph(graph, function* (_, { settings }) {
    return settings.requestedSeq
  })
}

t.test('what was asked for is anchored after a restart, soon and in one transaction', async (t) => {
  const folder = await temporaryFolder(t)
  const before = openStore(folder)
  const first = await AnchorRoom.open(t, { store: before, chain: local.chain })
  const [one = ''] = await first.remember('kept', ['one'])
  t.match(await first.ask('kept', [one]), { anchorId: String, count: 1 })
  const ids = await first.remember('kept', ['two', 'three'])
  t.same(await first.ask('kept', ids.slice(0, 1)), { anchorId: null, count: 1 })
  await first.remember('unasked', ['one'])
  await before.close()
  const store = openStore(folder)
  t.teardown(() => store.close())
  const room = await AnchorRoom.open(t, { store, chain: local.chain })
  await room.settle()
  const anchors = await room.anchors('kept')
  t.match(anchors, [
    { seq: 2, count: 2, status: 'confirmed' },
    { seq: 1, count: 1, status: 'confirmed' },
  ])
  t.equal(anchors[0]?.tx, anchors[1]?.tx)
  for (const id of [one, ...ids]) t.match(await room.verify('kept', id), { verified: true })
  t.same(await room.anchors('unasked'), [], 'unrequested memories wait for the schedule')
  t.equal(await requested(room, 'kept'), undefined)
})

t.test('the rest of more than one batch holds is remembered as well', async (t) => {
  const room = await openRoom(t)
  const texts = Array.from({ length: 1_003 }, (_, i) => `memory ${i}`)
  await room.remember('large', texts)
  t.match(await room.ask('large'), { anchorId: String, count: 1_000 })
  const after = await AnchorRoom.open(t, { store: room.store, chain: room.chain })
  await after.settle()
  t.match(await after.anchors('large'), [{ count: 3, status: 'confirmed' }, { count: 1_000 }])
})

t.test('a request ends with its anchors, and what is written later waits', async (t) => {
  const room = await openRoom(t)
  await room.remember('ended', ['one'])
  await room.anchor('ended')
  t.equal(await requested(room, 'ended'), undefined)
  await room.remember('ended', ['two'])
  room.anchoring.job.request(graphPath(database, 'ended'))
  await room.settle()
  t.match(await room.anchors('ended'), [{ count: 1 }])
  t.equal((await room.anchors('ended')).length, 1)
})

t.test('a request whose memories are gone ends too', async (t) => {
  const room = await openRoom(t)
  const [gone = ''] = await room.remember('gone', ['one'])
  await room.request('gone')
  await room.tamper('gone', 'nodes', gone, () => undefined)
  await room.settle()
  t.equal(await requested(room, 'gone'), undefined)
  t.same(await room.anchors('gone'), [])
})

t.test('a request does not end with a gathering that has not seen it', async (t) => {
  const room = await openRoom(t)
  const { store } = room
  const [gone = ''] = await room.remember('raced', ['one'])
  await room.request('raced')
  await room.tamper('raced', 'nodes', gone, () => undefined)
  const programs = programsIn(store, 'raced')
  const late: GraphPrograms = {
    read: programs.read,
    write: async (program) => {
      await room.remember('raced', ['two'])
      await room.inGraph('raced', (tx, { anchors }) => noteRequest(tx, anchors))
      return programs.write(program)
    },
  }
  const parts = { clock: systemClock, random: systemRandom, roots: new MerkleRoots() }
  t.equal(await makeAnchor(late, parts), undefined)
  t.type(await requested(room, 'raced'), 'number')
  await room.settle()
  t.match(await room.anchors('raced'), [{ count: 1, status: 'confirmed' }])
  t.equal(await requested(room, 'raced'), undefined)
})

t.test('nor with the last batch of an older one', async (t) => {
  const room = await openRoom(t)
  await room.remember('newer', ['one'])
  await room.request('newer')
  const programs = programsIn(room.store, 'newer')
  let isFirst = true
  const late: GraphPrograms = {
    read: programs.read,
    write: async (program) => {
      if (isFirst) {
        isFirst = false
        await room.remember('newer', ['two'])
        await room.request('newer')
      }
      return programs.write(program)
    },
  }
  const parts = { clock: systemClock, random: systemRandom, roots: new MerkleRoots() }
  t.match(await makeAnchor(late, parts), { anchor: { count: 1 }, isLast: true })
  t.type(await requested(room, 'newer'), 'number')
  await room.settle()
  t.match(await room.anchors('newer'), [{ count: 1 }, { count: 1 }])
  t.equal(await requested(room, 'newer'), undefined)
})

t.test('a request ends in a graph that is written to all the time', async (t) => {
  const store = openMemoryStore()
  const remember = (text: string) => rememberIn(store, 'busy', [text], systemClock.now())
  await remember('one')
  let later = 0
  const write: Store['write'] = async (program) => {
    const result = await store.write(program)
    await remember(`later ${later++}`)
    return result
  }
  const busy = new Proxy(store, {
    get: (target, name) => {
      if (name === 'write') return write
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  const room = await AnchorRoom.open(t, { store: busy, chain: local.chain })
  await room.request('busy')
  await room.anchoring.job.round()
  t.equal((await room.anchors('busy')).length, 1, 'and does not fill a transaction')
  t.equal(await requested(room, 'busy'), undefined)
})

t.test('a request is no change of the graph: what was read of it still holds', async (t) => {
  const room = await openRoom(t)
  await room.remember('calm', ['one'])
  const seq = () =>
    room.inGraph('calm', function* (_, { settings }) {
      return settings.seq
    })
  const before = await seq()
  await room.inGraph('calm', (tx, { anchors }) => noteRequest(tx, anchors))
  t.equal(await seq(), before)
})

t.test('a server without the lease leaves what it was asked for to the one with it', async (t) => {
  const room = await openRoom(t)
  await room.remember('before', ['one'])
  await room.anchor('before')
  const other = room.proofs()
  const [one = '', two = ''] = await room.remember('shared', ['one', 'two'])
  const programs = programsIn(room.store, 'shared')
  t.match(await other.anchor('shared', programs, new Set([one])), { anchorId: String })
  t.match(await other.anchor('shared', programs, new Set([two])), { anchorId: null, count: 1 })
  await other.job.round()
  await room.settle()
  t.match(await room.anchors('shared'), [{ status: 'confirmed' }, { status: 'confirmed' }])
  await other.job.close()
})

t.test(
  'of more graphs than a round looks at, the one that was asked for is among them',
  async (t) => {
    const room = await openRoom(t)
    for (let i = 0; i < anchorGraphsAtOnce; i++) await room.remember(`graph-${i}`, ['waits'])
    const { job } = room.anchoring
    const [one = ''] = await room.remember('last', ['one'])
    await room.ask('last', [one])
    await job.round()
    t.match(await room.anchors('last'), [{ status: 'confirmed' }])
    const [two = ''] = await room.remember('last', ['two'])
    await room.request('last')
    await job.close()
    const after = await AnchorRoom.open(t, { store: room.store, chain: room.chain })
    for (let pages = 0; pages < 2; pages++) await after.anchoring.job.round()
    t.match(await after.verify('last', two), { verified: true }, 'found once all were looked at')
  },
)
