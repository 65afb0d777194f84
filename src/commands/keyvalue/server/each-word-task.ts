// Goes through the words of a command that needs no store: a few at once, very many in turns, since
// a client may send 200,000 of them and others wait meanwhile.

import { work } from '../../../base/work/work-budget.js'
import { WorkTurns } from '../../../base/work/work-turns.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import type { Reply } from '../../../bus/keyvalue/reply.js'
import type { Awaitable } from '../../../store/store.js'

/** A word that is looked up, and described: 3 µs. */
const seenUnits = 30
const wordsAtOnce = 1_000

/** Calls `see` with the place of each word from `from` on; then the reply is made. */
export function eachWord(
  call: KeyValueCall,
  from: number,
  see: (index: number) => void,
  reply: () => Reply,
): Awaitable<Reply> {
  if (call.count - from > wordsAtOnce) return inTurns(call.count, from, see).then(reply)
  for (let i = from; i < call.count; i++) see(i)
  return reply()
}

async function inTurns(count: number, from: number, see: (index: number) => void): Promise<void> {
  const turns = new WorkTurns()
  for (let i = from; i < count; i++) {
    see(i)
    work.note(seenUnits)
    if (turns.isDue) await turns.pause()
  }
}
