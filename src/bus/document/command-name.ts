// The name of a command, which is that of the first field of its document. The bus needs it, and
// so does the parsing of arguments, which may not import the table of commands.

import type { Document } from '../../value/value.js'

/** Name of the command in a request, its first field; undefined for an empty document. */
export function commandName(body: Document): string | undefined {
  if (body[4] === undefined || body[4] === 0) return undefined
  const end = body.indexOf(0, 5)
  let name = ''
  for (let at = 5; at < end; at++) name += String.fromCharCode(body[at] ?? 0)
  return name
}
