// The authorization matrix of graph memory: each of its commands against every identity and every
// mode of a graph, over a decision that is written here. A command without a decision fails.

import t from 'tap'
import { systemClock } from '../../src/base/clock.js'
import { GatewayError } from '../../src/base/errors.js'
import { memoryRows } from '../../src/commands/memory/rows.js'
import { strictRules } from '../../src/identity/rights/allow.js'
import { graphParts } from '../../src/memory/graph/graph.js'
import { openMemoryStore } from '../../src/store/memory.js'
import { CommandRoom } from '../support/command-room.js'
import {
  accesses,
  admit,
  everybody,
  hasRights,
  identities,
  type Mode,
  mayEnter,
  modes,
  type Opens,
  revocation,
  setAccess,
  type Who,
} from '../support/identities.js'

type Plain = Readonly<Record<string, unknown>>

interface Decision {
  readonly opens: Opens
  /** Letters of what it needs of the graph. */
  readonly privileges: string
  readonly command: Plain
  /** Admitted by the row, and refused by its handler by a rule of its own. */
  readonly except?: readonly Who[]
}

const id = `mem_${'0'.repeat(26)}`
const memories = [{ text: 'more' }]
const reading = { opens: 'reader', privileges: 'r' } as const
const changing = { opens: 'identity', privileges: 'rw' } as const

/** What a command is refused for besides is of no matter here: nodes that are not there. */
const decisions: Readonly<Record<string, Decision>> = {
  graphSnapshot: { ...reading, command: { graphSnapshot: 'g' } },
  graphNodes: { ...reading, command: { graphNodes: 'g', ids: [id] } },
  findEntities: { ...reading, command: { findEntities: 'g', name: 'a' } },
  previewMemory: {
    ...{ opens: 'identity', privileges: 'r' },
    command: { previewMemory: 'g', memory: { text: 'more' } },
  },
  recallMemories: { ...reading, command: { recallMemories: 'g', q: 'text' } },
  getMemory: { ...reading, command: { getMemory: 'g', id } },
  rememberMemories: { ...changing, command: { rememberMemories: 'g', memories } },
  updateMemory: { ...changing, command: { updateMemory: 'g', id, validTo: 5 } },
  forgetMemory: { ...changing, command: { forgetMemory: 'g', id } },
  relateNodes: { ...changing, command: { relateNodes: 'g', from: id, to: 'x' } },
  unrelateNodes: { ...changing, command: { unrelateNodes: 'g', id: 'edg_0' } },
  mergeEntities: { ...changing, command: { mergeEntities: 'g', from: 'x', into: 'y' } },
  setGraph: { opens: 'identity', privileges: 'c', command: { setGraph: 'g', mode: 'public' } },
  'setGraph, settings': { opens: 'identity', privileges: 'a', command: { setGraph: 'g', k1: 1 } },
  'setGraph, owner': {
    ...{
      opens: 'identity',
      privileges: 'c',
      except: everybody.filter((who) => who !== 'operator'),
    },
    command: { setGraph: 'g', ownerAddress: '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc' },
  },
  dropGraph: { opens: 'identity', privileges: 'a', command: { dropGraph: 'g' } },
}

/**
 * The first looks at each graph for itself. The others need a chain, which the room has not:
 * authorization-memory.test.ts tries them over HTTP.
 */
const apart: ReadonlySet<string> = new Set([
  ...['listGraphs', 'anchorGraph', 'verifyMemory', 'verifyMemories'],
  ...['verifyGraph', 'exportEvidence'],
])

t.test('every command of graph memory has a decision', async (t) => {
  const decided = new Set(Object.keys(decisions).map((key) => key.split(',')[0]))
  for (const { name } of memoryRows) t.ok(decided.has(name) || apart.has(name), name)
})

async function openGraph(anonymousReads = false) {
  const store = openMemoryStore(systemClock)
  await admit(store, systemClock.now())
  const rules = { ...strictRules, anonymousReads }
  const room = new CommandRoom(store, systemClock, { services: { revocation, rules } })
  const reset = async (mode: Mode): Promise<void> => {
    const { graphs } = await room.run({ listGraphs: 1 })
    if (graphs.length > 0) await room.run({ dropGraph: 'g', release: true })
    await room.run({ rememberMemories: 'g', memories: [{ text: 'text' }] })
    for (const part of graphParts)
      await setAccess(store, 'test', `memory.g.${part}`, accesses[mode])
  }
  return { room, reset }
}

async function isRefused(room: CommandRoom, command: Plain, who: Who): Promise<boolean> {
  try {
    await room.run(command, 'test', room.sessionOf(identities[who]))
    return false
  } catch (error) {
    return error instanceof GatewayError && error.code === 13
  }
}

for (const mode of modes) {
  t.test(`a graph that is ${mode}: each does what it may, and no more`, async (t) => {
    const { room, reset } = await openGraph()
    await reset(mode)
    for (const [name, { opens, privileges, command, except = [] }] of Object.entries(decisions)) {
      for (const who of everybody) {
        const may =
          mayEnter(who, opens) && hasRights(who, mode, privileges) && !except.includes(who)
        t.equal(await isRefused(room, command, who), !may, `${name} by ${who}`)
        if (may) await reset(mode)
      }
    }
    for (const who of everybody.filter((who) => who !== 'anonymous')) {
      const { graphs } = await room.run({ listGraphs: 1 }, 'test', room.sessionOf(identities[who]))
      t.equal(graphs.length, hasRights(who, mode, 'r') ? 1 : 0, `listGraphs by ${who}`)
    }
    await room.engine.close()
  })
}

t.test(
  'under ANONYMOUS=read an anonymous client reads what is public, and only reads',
  async (t) => {
    const { room, reset } = await openGraph(true)
    for (const mode of modes) {
      await reset(mode)
      for (const [name, { opens, command }] of Object.entries(decisions)) {
        const may = opens === 'reader' && mode === 'public'
        t.equal(await isRefused(room, command, 'anonymous'), !may, `${name}, ${mode}`)
      }
      const { graphs } = await room.run({ listGraphs: 1 }, 'test', room.anonymous())
      t.equal(graphs.length, mode === 'public' ? 1 : 0)
    }
    await room.engine.close()
  },
)
