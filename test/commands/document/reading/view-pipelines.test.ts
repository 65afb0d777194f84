// A view is its pipeline in front of the reader's: on pipelines drawn from a seed, reading the view
// gives what both pipelines give in one command, and a view over a view what all three give.

import t from 'tap'
import { GatewayError } from '../../../../src/base/errors.js'
import { type CommandRoom, eachRoom } from '../../../support/command-room.js'
import { pipelineOf } from '../../../support/mingo/stages.js'
import { Draw, type Plain, typedDocumentOf } from '../../../support/mingo/values.js'
import { runs } from '../../../support/runs.js'
import { seed } from '../../../support/seed.js'

/** The documents in whatever order, or the code of the refusal. */
async function outcomeOf(room: CommandRoom, target: string, pipeline: Plain[]): Promise<string> {
  try {
    const documents = await room.drain({ aggregate: target, pipeline, cursor: {} })
    return JSON.stringify(documents.map((document) => JSON.stringify(document)).sort())
  } catch (error) {
    if (error instanceof GatewayError) return String(error.code)
    throw error
  }
}

/** Whether a view can be made; one of a wrong pipeline cannot. */
async function defines(room: CommandRoom, command: Plain): Promise<boolean> {
  try {
    await room.run(command)
    return true
  } catch (error) {
    if (error instanceof GatewayError) return false
    throw error
  }
}

await eachRoom(
  t,
  'a view over views is all pipelines in one',
  async (t, room) => {
    const draw = new Draw(seed)
    await room.insert('c', ...Array.from({ length: 20 }, (_, i) => typedDocumentOf(draw, i)))
    let read = 0
    for (let run = 0; run < runs(150); run++) {
      const [first, second, third] = [pipelineOf(draw), pipelineOf(draw), pipelineOf(draw)]
      const isDefined =
        (await defines(room, { create: 'v', viewOn: 'c', pipeline: first })) &&
        (await defines(room, { create: 'w', viewOn: 'v', pipeline: second }))
      const expected = await outcomeOf(room, 'c', [...first, ...second, ...third])
      const text = `seed ${seed}: ${JSON.stringify([first, second, third])}`
      if (isDefined) {
        t.equal(await outcomeOf(room, 'v', [...second, ...third]), expected, text)
        t.equal(await outcomeOf(room, 'w', third), expected, text)
        if (expected.startsWith('["{')) read++
      } else t.match(expected, /^\d+$/, `refused alike, ${text}`)
      await room.run({ drop: 'w' })
      await room.run({ drop: 'v' })
    }
    t.ok(read > 10, `${read} read something`)
  },
  { kinds: ['memory'] },
)
