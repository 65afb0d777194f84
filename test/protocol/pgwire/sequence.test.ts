// The order of messages: the sequences that the protocol's documentation describes, and any sequence
// by chance against a plain model of its rules.

import fc from 'fast-check'
import t from 'tap'
import { pgPreparedMax } from '../../../src/base/limits/sql.js'
import { Prepared } from '../../../src/protocol/pgwire/prepared.js'
import { MessageSequence } from '../../../src/protocol/pgwire/sequence.js'
import { runs } from '../../support/runs.js'
import { refuses } from './refusal.js'

function code(type: string): number {
  return type.charCodeAt(0)
}

/** What comes of messages; those in `failing` (by place) fail. R: ReadyForQuery. */
function play(messages: string, failing: readonly number[] = []): string {
  const sequence = new MessageSequence()
  let shown = ''
  for (const [index, type] of [...messages].entries()) {
    const step = sequence.accept(code(type))
    if (step === 'end') return `${shown}X`
    if (step === 'ignore') shown += '-'
    else {
      const isFailed = failing.includes(index)
      const isDue = isFailed ? sequence.failed() : sequence.succeeded()
      shown += (isFailed ? '!' : type) + (isDue ? 'R' : '')
    }
  }
  return shown
}

t.test('a simple query is a cycle of its own, also where it fails', async (t) => {
  t.equal(play('QQ'), 'QRQR')
  t.equal(play('QQ', [0]), '!RQR')
  t.equal(play('FQ', [0]), '!RQR')
})

t.test('an error of the extended protocol discards everything until Sync', async (t) => {
  t.equal(play('PBDES'), 'PBDESR')
  t.equal(play('PBDESQ', [0]), '!---SRQR')
  t.equal(play('PBQHCSPS', [1]), 'P!---SRPSR')
  t.equal(play('PBX', [0]), '!-X')
  t.equal(play('PS', [1]), 'P!R')
  t.equal(play('PSP', [1]), 'P!RP')
  t.equal(play('dcfQ'), '---QR')
})

t.test('a transaction that failed does nothing but end', async (t) => {
  const sequence = new MessageSequence()
  sequence.accept(code('Q'))
  t.equal(sequence.status, 'I')
  sequence.failed()
  t.equal(sequence.status, 'I')
  t.equal(sequence.begin(), true)
  t.equal(sequence.begin(), false)
  sequence.requireRunnable(false)
  t.equal(sequence.status, 'T')
  sequence.failed()
  t.equal(sequence.status, 'E')
  t.equal(sequence.begin(), false)
  refuses(t, () => sequence.requireRunnable(false), {
    message: 'current transaction is aborted, commands ignored until end of transaction block',
    sqlState: '25P02',
  })
  sequence.requireRunnable(true)
  t.equal(sequence.end(), 'E')
  t.equal(sequence.status, 'I')
  sequence.begin()
  t.equal(sequence.end(), 'T')
  t.equal(sequence.end(), 'I')
})

t.test(
  'every Sync and every simple query that is done is answered by one ReadyForQuery',
  async () => {
    const step = fc.record({ type: fc.constantFrom(...'QPBDECHSdcf'), fails: fc.boolean() })
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const messages = steps.map(({ type }) => type).join('')
        const failing = steps.flatMap(({ fails }, index) => (fails ? [index] : []))
        let isDiscarding = false
        let expected = ''
        for (const { type, fails } of steps) {
          const isCycle = type === 'S' || type === 'Q'
          if (type === 'S') isDiscarding = false
          if (isDiscarding || 'dcf'.includes(type)) expected += '-'
          else {
            expected += (fails ? '!' : type) + (isCycle ? 'R' : '')
            if (fails && !isCycle) isDiscarding = true
          }
        }
        return play(messages, failing) === expected
      }),
      { numRuns: runs(500) },
    )
  },
)

t.test('unnamed statements and portals are replaced, named ones are closed first', async (t) => {
  const closed: string[] = []
  const prepared = new Prepared<string, string>((portal) => closed.push(portal))
  prepared.addStatement('', 'a')
  prepared.addStatement('', 'b')
  t.equal(prepared.statement(''), 'b')
  prepared.addStatement('s', 'c')
  refuses(t, () => prepared.addStatement('s', 'd'), { sqlState: '42P05' })
  prepared.close('statement', 's')
  prepared.close('statement', 's')
  refuses(t, () => prepared.statement('s'), {
    message: 'prepared statement "s" does not exist',
    sqlState: '26000',
  })
  prepared.addPortal('', 'p1')
  prepared.addPortal('', 'p2')
  prepared.addPortal('n', 'p3')
  refuses(t, () => prepared.addPortal('n', 'p4'), { sqlState: '42P03' })
  t.same(closed, ['p1'])
  t.equal(prepared.portal('n'), 'p3')
  prepared.closeUnnamed()
  t.same(closed, ['p1', 'p2'])
  refuses(t, () => prepared.statement(''), { sqlState: '26000' })
  refuses(t, () => prepared.portal(''), { sqlState: '34000' })
  prepared.closePortals()
  prepared.close('portal', 'n')
  t.same(closed, ['p1', 'p2', 'p3'])
})

t.test('there are so many of them and no more', async (t) => {
  const prepared = new Prepared<number, number>(() => {})
  for (let i = 0; i < pgPreparedMax; i++) {
    prepared.addStatement(`s${i}`, i)
    prepared.addPortal(`p${i}`, i)
  }
  refuses(t, () => prepared.addStatement('more', 0), { sqlState: '53400' })
  refuses(t, () => prepared.addPortal('more', 0), { sqlState: '53400' })
  prepared.addStatement('', 0)
  prepared.addPortal('', 0)
})

t.test('what is kept is taken from the room of all, and given back with what goes', async (t) => {
  let held = 0
  const room = {
    take: (bytes: number) => {
      if (held + bytes > 1_000) return false
      held += bytes
      return true
    },
    release: (bytes: number) => {
      held -= bytes
    },
  }
  const closed: string[] = []
  const prepared = new Prepared<string, string>((portal) => closed.push(portal), room)
  prepared.addStatement('s', 'a', 300)
  prepared.addStatement('', 'b', 200)
  prepared.addStatement('', 'c', 100)
  t.equal(held, 400, 'the unnamed one was replaced')
  prepared.growStatement('s', 50)
  prepared.addPortal('p', 'x', 100)
  prepared.holdRows('p', 400)
  t.equal(held, 950)
  prepared.holdRows('p', 100)
  t.equal(held, 650)
  prepared.holdRows('nosuch', 100)
  refuses(t, () => prepared.addStatement('large', 'd', 351), { sqlState: '53200' })
  refuses(t, () => prepared.growStatement('s', 351), { sqlState: '53200' })
  t.equal(held, 650, 'what is refused takes nothing')
  refuses(t, () => prepared.holdRows('p', 452), { sqlState: '53200' })
  t.same(closed, ['x'], 'the portal is closed')
  t.equal(held, 450)
  refuses(t, () => prepared.portal('p'), { sqlState: '34000' })
  prepared.addPortal('', 'y', 10)
  prepared.holdRows('', 20)
  prepared.closePortals()
  t.equal(held, 450)
  prepared.closeStatements()
  t.equal(held, 100, 'the unnamed one stays')
  prepared.closeUnnamed()
  t.equal(held, 0)
})

t.test('whatever is kept and closed in whatever order, the room is told of all of it', async () => {
  const step = fc.record({
    act: fc.constantFrom('parse', 'grow', 'bind', 'hold', 'close', 'sync', 'deallocate', 'query'),
    name: fc.constantFrom('', 'a', 'b'),
    bytes: fc.nat(400),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      let held = 0
      const take = (bytes: number): boolean => {
        if (held + bytes <= 1_000) held += bytes
        else return false
        return true
      }
      const release = (bytes: number): void => {
        held -= bytes
      }
      const prepared = new Prepared<number, number>(() => {}, { take, release })
      for (const { act, name, bytes } of steps) {
        try {
          if (act === 'parse') prepared.addStatement(name, 1, bytes)
          else if (act === 'grow') prepared.growStatement(name, bytes)
          else if (act === 'bind') prepared.addPortal(name, 1, bytes)
          else if (act === 'hold') prepared.holdRows(name, bytes)
          else if (act === 'close') prepared.close(bytes % 2 === 0 ? 'portal' : 'statement', name)
          else if (act === 'sync') prepared.closePortals()
          else if (act === 'deallocate') prepared.closeStatements()
          else prepared.closeUnnamed()
        } catch {
          // Names that are taken, and what there is no room for.
        }
        if (held < 0 || held > 1_000) return false
      }
      prepared.closePortals()
      prepared.closeStatements()
      prepared.closeUnnamed()
      return held === 0
    }),
    { numRuns: runs(2_000) },
  )
})
