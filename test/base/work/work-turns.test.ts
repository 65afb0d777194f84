// A turn of work outside a program ends by its units, or sooner by the clock.

import t from 'tap'
import { tickMsMax } from '../../../src/base/limits/engine.js'
import { work } from '../../../src/base/work/work-budget.js'
import { clockUnits, turnUnits } from '../../../src/base/work/work-figures.js'
import { WorkTurns } from '../../../src/base/work/work-turns.js'

t.test('a turn is due after its units, whatever the clock says', async (t) => {
  const turns = new WorkTurns({ elapsed: () => 0 })
  work.note(turnUnits - 1)
  t.notOk(turns.isDue)
  work.note(1)
  t.ok(turns.isDue)
  await turns.pause()
  t.notOk(turns.isDue, 'the next turn has units of its own')
})

t.test('a turn that takes longer than its time is due with fewer units', async (t) => {
  let ms = 100
  const turns = new WorkTurns({ elapsed: () => ms })
  work.note(clockUnits)
  t.notOk(turns.isDue, 'its time is not used up')
  ms += tickMsMax
  t.notOk(turns.isDue, 'the clock is read once in so many units')
  work.note(clockUnits)
  t.ok(turns.isDue)
  await turns.pause()
  work.note(clockUnits)
  t.notOk(turns.isDue, 'the next turn has time of its own')
})
