// Running rows outside of programs: a local row runs without a pause, an unknown command has a row
// too, and a refused EXEC ends its transaction.

import type { GatewayError } from '../../base/errors.js'
import { errorLine, refuse } from '../../base/reply-error.js'
import { work } from '../../base/work/work-budget.js'
import { stretchUnits, turnUnits } from '../../base/work/work-figures.js'
import { otherName } from '../metering.js'
import type { Command } from './command.js'
import type { KeyValueRow } from './row.js'
import type { RunningCall } from './running-call.js'

/** It cannot pause: what goes too far is refused. */
export function runLocal(row: LocalRow, call: RunningCall): ReturnType<LocalRow['run']> {
  work.begin(turnUnits, stretchUnits)
  try {
    return row.run(call)
  } finally {
    work.end()
  }
}

type LocalRow = Extract<KeyValueRow, { grain: 'local' }>

/** As all protocols together count it. */
export function meterName(command: Command, unknown: Command): string {
  return command === unknown ? otherName : `redis:${command.row.name}`
}

/** An EXEC that is refused ends its transaction, as on the reference server. */
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
