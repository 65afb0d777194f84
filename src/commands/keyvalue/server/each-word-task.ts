// Processes the words of a command that needs no store. A client may send 200,000 words, so many of
// them are processed in turns, which keeps other clients from waiting.

import { work } from '../../../base/work/work-budget.js'
import { WorkTurns } from '../../../base/work/work-turns.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import type { Reply } from '../../../bus/keyvalue/reply.js'
import type { Awaitable } from '../../../store/store.js'

/** Work units to look up and describe one word: 3 µs. */
const seenUnits = 30
const wordsAtOnce = 1_000

/** Calls `see` with the index of each word from `from` on, then returns the reply. */
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
