// Running rows outside of programs: a local row runs without a pause, unknown commands have a row
// too, and a refused EXEC ends its transaction.

import type { GatewayError } from '../../base/errors.js'
import { errorLine, refuse } from '../../base/reply-error.js'
import { work } from '../../base/work/work-budget.js'
import { stretchUnits, turnUnits } from '../../base/work/work-figures.js'
import { otherName } from '../metering.js'
import { auditEntry } from '../policy/audit.js'
import type { Command } from './command.js'
import type { Reply } from './reply.js'
import type { KeyValueRow } from './row.js'
import type { RunningCall } from './running-call.js'

/** Runs a local row. It cannot pause, so it is refused above its work bound. */
export function runLocal(row: LocalRow, call: RunningCall): ReturnType<LocalRow['run']> {
  work.begin(turnUnits, stretchUnits)
  try {
    return row.run(call)
  } finally {
    work.end()
  }
}

/** The reply of an audited call, once its entry is written. */
export async function recorded({ name, reply, session, services }: RunningCall): Promise<Reply> {
  await services.audit?.record(auditEntry(`redis:${name}`, session.current, session))
  return reply
}

type LocalRow = Extract<KeyValueRow, { grain: 'local' }>

/** The name under which all protocols count it. */
export function meterName(command: Command, unknown: Command): string {
  return command === unknown ? otherName : `redis:${command.row.name}`
}

/** The error of a refused EXEC, which ends its transaction as in Redis. */
export function discarded(error: GatewayError): GatewayError {
  const reason = errorLine(error).replace(/^ERR /, '')
  return refuse(`EXECABORT Transaction discarded because of: ${reason}`)
}

export const unknownRow: KeyValueRow = {
  name: 'unknown',
  grows: 'nothing',
  arity: -1,
  flags: [],
  categories: [],
  summary: 'Stands for what is in no table.',
  since: '1.0.0',
  group: 'generic',
  complexity: 'O(1)',
  syntax: '',
  grain: 'container',
}
