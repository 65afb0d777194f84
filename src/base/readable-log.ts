// Log lines for a terminal. Loaded only there: elsewhere it would slow the start and hold memory
// for nothing.

import { prettyFactory } from 'pino-pretty'

/** A function that turns a line of JSON into a readable line. */
export function readableLines(colors: boolean): (line: string) => string {
  return prettyFactory({ colorize: colors, translateTime: 'SYS:HH:MM:ss.l' })
}
