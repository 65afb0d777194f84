// Log lines for people at a terminal. It is loaded only there: elsewhere a start would take longer
// and keep more memory for nothing.

import { prettyFactory } from 'pino-pretty'

/** A function that makes a line to read of a line of JSON. */
export function readableLines(colors: boolean): (line: string) => string {
  return prettyFactory({ colorize: colors, translateTime: 'SYS:HH:MM:ss.l' })
}
