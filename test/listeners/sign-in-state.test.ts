// Who has signed in on a socket is counted once, and no longer than the socket lives: a login may
// end behind it.

import { Socket } from 'node:net'
import t from 'tap'
import { SignInState } from '../../src/listeners/sign-in-state.js'

function stateOf(...steps: readonly ('in' | 'out' | 'closed')[]): number {
  let signedIn = 0
  const state = new SignInState(new Socket(), (isIn) => {
    signedIn += isIn ? 1 : -1
  })
  for (const step of steps) {
    if (step === 'closed') state.closed()
    else state.note(step === 'out')
  }
  return signedIn
}

t.test('a socket counts from its login to its end', async (t) => {
  t.equal(stateOf('in'), 1)
  t.equal(stateOf('in', 'in'), 1)
  t.equal(stateOf('in', 'out'), 0)
  t.equal(stateOf('in', 'closed'), 0)
  t.equal(stateOf('in', 'out', 'closed'), 0)
})

t.test('a login that ends behind its socket counts for nothing', async (t) => {
  t.equal(stateOf('closed', 'in'), 0)
  t.equal(stateOf('in', 'closed', 'out'), 0)
})
