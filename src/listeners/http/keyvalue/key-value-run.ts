// Runs key-value commands of HTTP requests on the common path. A request has no connection: changes
// to connection state end with the command, and commands that need a connection are refused with a
// hint.

import type { GatewayError } from '../../../base/errors.js'
import { batchCommandsMax } from '../../../base/limits/key-value.js'
import { refuse } from '../../../base/reply-error.js'
import { work } from '../../../base/work/work-budget.js'
import { WorkTurns } from '../../../base/work/work-turns.js'
import type { Arguments } from '../../../bus/keyvalue/arguments.js'
import type { KeyValueBus } from '../../../bus/keyvalue/bus.js'
import { type ClientSocket, KeyValueSession, Multi } from '../../../bus/keyvalue/clients/session.js'
import type { Reply } from '../../../bus/keyvalue/reply.js'
import { RunningCall } from '../../../bus/keyvalue/running-call.js'
import type { Session } from '../../../bus/session.js'
import type { Place } from '../../../engine/keyspace/spaces.js'
import { requestOf } from './key-value-words.js'

/** Cost of looking up a command and making a call, or an error. */
const openedUnits = 30
const refusedUnits = 200

/** No client to push to. */
const noSocket: ClientSocket = { push: () => {}, end: () => {}, destroy: () => {} }

interface SessionParts {
  readonly session: Session
  readonly place: Place
  readonly socket?: ClientSocket
}

/** A client of one request. */
export function openSession(bus: KeyValueBus, parts: SessionParts): KeyValueSession {
  const { session, place, socket = noSocket } = parts
  const made = new KeyValueSession({
    protocol: 'http',
    id: 0,
    remoteAddress: session.remoteAddress,
    local: '',
    socket,
    identity: session.identity,
    place,
    nowMs: bus.services.clock.elapsed(),
  })
  made.transaction = session.transaction
  return made
}

/** Runs commands one after the other; afterwards each call has its reply. Never rejects. */
export async function runCommands(
  bus: KeyValueBus,
  session: KeyValueSession,
  commands: readonly Arguments[],
): Promise<readonly RunningCall[]> {
  const { identity, place } = session
  const turns = new WorkTurns()
  const calls: RunningCall[] = []
  for (const args of commands) {
    const call = open(bus, session, args)
    calls.push(call)
    work.note(call.isRefused ? refusedUnits : openedUnits)
    if (turns.isDue) await turns.pause()
  }
  let batch: RunningCall[] = []
  const flush = async () => {
    const [first] = batch
    if (first !== undefined) await bus.run(batch, first.command.access === 'write')
    batch = []
    if (turns.isDue) await turns.pause()
  }
  for (const call of calls) {
    if (call.isRefused) continue
    const { access } = call.command
    if (batch.length >= batchCommandsMax || batch[0]?.command.access !== access) await flush()
    if (access === undefined) {
      await bus.runAlone(call)
      session.identity = identity
      session.place = place
    } else batch.push(call)
  }
  await flush()
  // Their replies are written next, and then count as unsent.
  for (const call of calls) call.letGo()
  return calls
}

/** Runs commands as one; resolves with the reply of EXEC. */
export async function runTransaction(
  bus: KeyValueBus,
  session: KeyValueSession,
  commands: readonly Arguments[],
): Promise<{ readonly reply: Reply; readonly error: GatewayError | undefined }> {
  const multi = new Multi()
  session.multi = multi
  const turns = new WorkTurns()
  for (const args of commands) {
    const call = open(bus, session, args)
    if (call.error !== undefined) multi.isPoisoned = true
    work.note(call.error === undefined ? openedUnits : refusedUnits)
    if (turns.isDue) await turns.pause()
  }
  const exec = bus.open(bus.table.find('exec'), requestOf([Buffer.from('exec')]), session)
  if (!exec.isRefused) await bus.runAlone(exec)
  exec.letGo()
  return exec
}

function open(bus: KeyValueBus, session: KeyValueSession, args: Arguments): RunningCall {
  const named = bus.table.find(args.text(0))
  const command = named?.resolve(args)
  const refusal =
    command === undefined || !command.takes(args.count)
      ? undefined
      : refusalOf(new RunningCall(command, args, session, bus.services))
  if (refusal === undefined || command === undefined) return bus.open(named, args, session)
  const call = new RunningCall(command, args, session, bus.services)
  call.isRefused = true
  call.fail(refusal)
  command.rejected++
  return call
}

function refusalOf(call: RunningCall): GatewayError | undefined {
  const { row } = call.command
  const { name, overHttp: way } = row
  if (way !== undefined) return refuse(`ERR ${name} is not possible over HTTP: ${way}`)
  if (row.grain !== 'blocking' || call.session.multi !== undefined || !waits(call)) {
    return undefined
  }
  return refuse(
    `ERR ${row.name} does not wait over HTTP: ask with timeout 0, which answers at once, ` +
      'or use the key-value port',
  )
}

/** Whether it would wait; an invalid timeout is left to the command's own error. */
function waits(call: RunningCall): boolean {
  const { row } = call.command
  try {
    return row.grain === 'blocking' && row.timeout(call) > 0
  } catch {
    return false
  }
}
