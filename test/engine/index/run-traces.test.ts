// Uses of indexes count once, and one cursor stays, however often a read runs.

import t from 'tap'
import { IndexUse } from '../../../src/engine/index/index-use.js'
import { RunTraces } from '../../../src/engine/index/run-traces.js'
import type { Access, Plan } from '../../../src/engine/plan/plan.js'
import type { Namespace } from '../../../src/engine/types.js'

const ns = { id: 7 } as Namespace
const scan = { accesses: [{ kind: 'records' } as Access] } as unknown as Plan

t.test('only the uses of the last run count', async (t) => {
  const uses = new IndexUse(0)
  const use = new RunTraces(uses)
  for (let run = 0; run < 3; run++) {
    use.begin()
    use.noteId(ns)
    use.note(ns, scan)
    use.noteTail(ns)
    t.equal(uses.operations(ns), 0)
    t.same(uses.collectionScans(ns), { total: 0, tailable: 0 })
  }
  use.settle()
  use.settle()
  t.equal(uses.operations(ns), 1)
  t.same(uses.collectionScans(ns), { total: 2, tailable: 1 })
})

t.test('a run that uses nothing counts nothing of the run before', async (t) => {
  const uses = new IndexUse(0)
  const use = new RunTraces(uses)
  use.begin()
  use.noteId(ns)
  use.begin()
  use.settle()
  t.equal(uses.operations(ns), 0)
})

t.test('outside of a run, as for a cursor, a use counts at once', async (t) => {
  const uses = new IndexUse(0)
  const use = new RunTraces(uses)
  use.noteId(ns)
  use.begin()
  use.settle()
  use.noteId(ns)
  t.equal(uses.operations(ns), 2)
  t.equal(use.choices, uses.choices)
})

t.test(
  'the cursor of a run that is dropped is closed, and that of the last one stays',
  async (t) => {
    const traces = new RunTraces(new IndexUse(0))
    const closed: number[] = []
    for (const run of [1, 2, 3]) {
      traces.begin()
      traces.opened(() => closed.push(run))
    }
    traces.settle()
    traces.begin()
    t.same(closed, [1, 2])
  },
)
