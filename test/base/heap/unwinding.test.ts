// An error that ends a program for a while keeps nothing of it.

import t from 'tap'
import { NoReplyRoom } from '../../../src/base/heap/reply-room.js'
import { Unwinding } from '../../../src/base/heap/unwinding.js'
import { NoRoomYet } from '../../../src/bus/keyvalue/running-call.js'
import { StagingNeeded } from '../../../src/engine/collection/staging.js'
import { Postponed } from '../../../src/store/steps.js'

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
