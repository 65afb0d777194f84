// 10,000 random streams of key-value requests on every change, 100,000 in the long suite, each cut
// at random and compared with the model. SIGIL_SEED brings a failure back.

import t from 'tap'
import type { GatewayError } from '../../src/base/errors.js'
import { RequestParser } from '../../src/protocol/resp/request-parser.js'
import { drain, type Heard } from '../protocol/resp/requests.js'
import { failOnListenerLeaks } from '../support/no-warnings.js'
import { runs } from '../support/runs.js'
import { seed } from '../support/seed.js'
import { seededRandom } from '../support/seeded-random.js'
import { RandomRequests } from './random-requests.js'
import { modelOf } from './resp-model.js'

failOnListenerLeaks(t)

t.test(`random streams, cut at random, are heard as the model does (seed ${seed})`, async (t) => {
  const requests = new RandomRequests(seededRandom(seed))
  const cases = runs(10_000)
  const errors = new Map<string, number>()
  let commands = 0
  for (let index = 0; index < cases; index++) {
    const stream = requests.stream()
    const authenticated = requests.below(4) > 0
    const expected = modelOf(stream.toString('latin1'), authenticated)
    const heard = hearLazily(requests, stream, authenticated)
    if (JSON.stringify(heard) !== JSON.stringify(expected)) {
      t.same(
        heard,
        expected,
        `case ${index}, authenticated ${authenticated}: ${stream.toString('latin1')}`,
      )
      return
    }
    commands += heard.commands.length
    if (heard.error !== undefined) errors.set(heard.error, (errors.get(heard.error) ?? 0) + 1)
  }
  // A fuzzer that reaches nothing finds nothing.
  t.ok(commands > cases, `${commands} commands`)
  t.ok(errors.size > 6, `${errors.size} different errors`)
  t.comment(`${cases} streams, ${commands} commands, errors ${JSON.stringify([...errors])}`)
})

/** Commands are taken one at a time or all at once, and sometimes only after further chunks. */
function hearLazily(requests: RandomRequests, stream: Buffer, authenticated: boolean): Heard {
  const parser = new RequestParser()
  parser.authenticated = authenticated
  const commands: string[][] = []
  let pushed = 0
  try {
    for (const chunk of requests.cut(stream)) {
      parser.push(Uint8Array.from(chunk))
      pushed += chunk.length
      const patience = requests.below(3)
      if (patience === 1) {
        const one = parser.next()
        if (one !== undefined) {
          const texts = Array.from({ length: one.count }, (_, index) => one.view(index))
          commands.push(texts.map((bytes) => Buffer.from(bytes).toString('latin1')))
        }
      } else if (patience === 2) drain(parser, commands)
      if (parser.heldBytes > 4 * pushed + 2_000) {
        throw new Error(`${parser.heldBytes} bytes held of ${pushed}`)
      }
    }
    drain(parser, commands)
  } catch (error) {
    return { commands, error: (error as GatewayError).message }
  }
  return { commands }
}
