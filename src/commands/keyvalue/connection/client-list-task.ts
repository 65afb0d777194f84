// CLIENT LIST. There may be thousands of clients, and as many client numbers in the command. Both
// are processed in turns.

import { refuse, syntaxError } from '../../../base/reply-error.js'
import { work } from '../../../base/work/work-budget.js'
import { clientLineUnits, wordUnits } from '../../../base/work/work-figures.js'
import { WorkTurns } from '../../../base/work/work-turns.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import type { KeyValueSession } from '../../../bus/keyvalue/clients/session.js'
import { type Reply, verbatim } from '../../../bus/keyvalue/reply.js'
import { parseInt64 } from '../../../engine/keyspace/strings/numbers.js'
import { clientTypeOf, hasType, lineOf, visibleClients } from './client-list.js'

type IsListed = (session: KeyValueSession) => boolean

export async function listClients(call: KeyValueCall): Promise<Reply> {
  const turns = new WorkTurns()
  const isListed = await listed(call, turns)
  let text = ''
  for (const session of visibleClients(call)) {
    work.note(wordUnits)
    if (isListed(session)) {
      text += `${lineOf(session, call)}\n`
      work.note(clientLineUnits)
    }
    if (turns.isDue) await turns.pause()
  }
  return verbatim(text)
}

async function listed(call: KeyValueCall, turns: WorkTurns): Promise<IsListed> {
  if (call.count === 2) return () => true
  if (call.count === 4 && call.is(2, 'type')) {
    const type = clientTypeOf(call, 3)
    return (session) => hasType(session, type)
  }
  if (call.count < 4 || !call.is(2, 'id')) throw syntaxError()
  const ids = new Set<number>()
  for (let i = 3; i < call.count; i++) {
    const number = call.args.read(i, parseInt64)
    if (number === undefined) throw refuse('ERR Invalid client ID')
    ids.add(Number(number))
    work.note(wordUnits)
    if (turns.isDue) await turns.pause()
  }
  return (session) => ids.has(session.id)
}
