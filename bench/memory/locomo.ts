// Reads conversations in the form of LoCoMo-10: sessions of turns, and questions with the turns
// that answer them. The data is not ours to keep (CC BY-NC 4.0): its path is an argument.

import { readFileSync } from 'node:fs'

export interface Turn {
  /** As evidence names it. */
  readonly id: string
  readonly session: string
  /** Who speaks, when, and what. */
  readonly text: string
}

export interface Question {
  readonly text: string
  /** Ids of turns. */
  readonly evidence: readonly string[]
}

export interface Conversation {
  readonly turns: readonly Turn[]
  readonly questions: readonly Question[]
}

interface RawTurn {
  readonly speaker: string
  readonly dia_id: string
  readonly text: string
  /** What a picture shows that was sent along. */
  readonly blip_caption?: string
}

interface RawConversation {
  readonly conversation: Readonly<Record<string, string | readonly RawTurn[]>>
  readonly qa: readonly { readonly question: string; readonly evidence?: readonly string[] }[]
}

export function readConversations(path: string): Conversation[] {
  return (JSON.parse(readFileSync(path, 'utf8')) as RawConversation[]).map(conversationOf)
}

function conversationOf({ conversation, qa }: RawConversation): Conversation {
  const turns: Turn[] = []
  for (const [session, said] of Object.entries(conversation)) {
    if (typeof said === 'string' || !/^session_\d+$/.test(session)) continue
    const date = conversation[`${session}_date_time`]
    for (const { speaker, dia_id: id, text, blip_caption: caption } of said) {
      const shown = caption === undefined ? '' : ` [${caption}]`
      turns.push({ id, session, text: `${speaker}, ${String(date)}: ${text}${shown}` })
    }
  }
  const known = new Set(turns.map(({ id }) => id))
  const questions = qa.map(({ question, evidence = [] }) => {
    // Some name several turns in one text.
    const ids = evidence.flatMap((text) => text.split(/[;,\s]+/)).filter((id) => known.has(id))
    return { text: question, evidence: [...new Set(ids)] }
  })
  return { turns, questions: questions.filter(({ evidence }) => evidence.length > 0) }
}
