// Completion of key-value commands, with what each does: from the server's own table, by COMMAND
// DOCS, so that the page knows the commands of this server and no others.

import type { Completion, CompletionSource } from '@codemirror/autocomplete'
import { runCommand } from '../lib/keyspace.js'

let known: Promise<readonly Completion[]> | undefined

export const commandCompletion: CompletionSource = async (context) => {
  const word = context.matchBefore(/^\s*[\w-]*$/)
  if (word === null || (word.from === word.to && !context.explicit)) return null
  known ??= askCommands().catch(() => {
    known = undefined
    return []
  })
  const from = word.from + (/^\s*/.exec(word.text)?.[0].length ?? 0)
  return { from, options: await known, validFor: /^[\w-]*$/ }
}

async function askCommands(): Promise<readonly Completion[]> {
  const reply = await runCommand(0, ['COMMAND', 'DOCS'])
  return pairs(reply).map(([name, docs]) => {
    const facts = new Map(pairs(docs))
    return {
      label: String(name).toUpperCase(),
      type: 'keyword',
      detail: String(facts.get('group') ?? ''),
      info: String(facts.get('summary') ?? ''),
    }
  })
}

/** Maps come flat: a name, then its value. */
function pairs(reply: unknown): readonly (readonly [unknown, unknown])[] {
  const list: readonly unknown[] = Array.isArray(reply) ? reply : []
  return list.flatMap((one, index) => (index % 2 === 0 ? [[one, list[index + 1]] as const] : []))
}
