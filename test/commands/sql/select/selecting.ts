// What the tests of SELECT share: the rows of a statement through all batches of its cursor, and
// the SQLSTATE that one is refused with.

import type { CommandRoom, Reply } from '../../../support/command-room.js'

export async function rowsOf(
  room: CommandRoom,
  text: string,
  params: readonly unknown[] = [],
): Promise<Reply[]> {
  return room.drain({ sqlSelect: text, params })
}

export async function stateOfStatement(
  room: CommandRoom,
  text: string,
  params: readonly unknown[] = [],
): Promise<unknown> {
  return (await room.refusal({ sqlSelect: text, params })).extra.sqlState
}
