// Turns outside of programs go by the work budget.

import t from 'tap'
import { work } from '../../../src/base/work/work-budget.js'
import { turnUnits } from '../../../src/base/work/work-figures.js'
import { WorkTurns } from '../../../src/base/work/work-turns.js'

t.test('a turn is due when its units are spent, and a pause begins another', async (t) => {
  const turns = new WorkTurns()
  work.note(turnUnits - 1)
  t.notOk(turns.isDue)
  work.note(1)
  t.ok(turns.isDue)
  let others = 0
  setImmediate(() => others++)
  await turns.pause()
  t.equal(others, 1, 'others have worked')
  t.notOk(turns.isDue)
})
