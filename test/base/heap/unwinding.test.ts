// An error that ends a program for a while, or that waits in a pipeline, keeps nothing of what was
// read.

import t from 'tap'
import { NoReplyRoom } from '../../../src/base/heap/reply-room.js'
import { Unwinding } from '../../../src/base/heap/unwinding.js'
import { tooMuchMemory, wrongType } from '../../../src/base/reply-error.js'
import { NoRoomYet } from '../../../src/bus/keyvalue/running-call.js'
import { StagingNeeded } from '../../../src/engine/collection/staging.js'
import { Postponed } from '../../../src/store/steps.js'

t.test('a refusal has no stack', async (t) => {
  for (const error of [wrongType(), tooMuchMemory()]) {
    t.notMatch(error.stack, /\n +at /, error.message)
  }
})

t.test('it has no stack, and other errors keep theirs', async (t) => {
  const done = Promise.resolve()
  const errors = [
    new NoReplyRoom(1),
    new NoRoomYet(done),
    new Postponed(done),
    new StagingNeeded('a value is large', function* () {}),
  ]
  for (const error of errors) {
    t.ok(error instanceof Unwinding, error.message)
    t.notMatch(error.stack, /\n +at /, error.message)
  }
  t.match(new Error('usual').stack, /\n +at /)
})
