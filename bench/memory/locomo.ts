// Reads conversations in the form of LoCoMo: sessions of turns, and questions with the turns that
// answer them: a file with a list of conversations, one with a single conversation, or a folder of
// such files. The data is not ours to keep (CC BY-NC 4.0): its path is an argument.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

interface Turn {
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
  /** Those that some turn answers. */
  readonly questions: readonly Question[]
}

interface RawTurn {
  readonly speaker: string
  readonly dia_id: string
  readonly text: string
  /** What a picture shows that was sent along. */
  readonly blip_caption?: string
}

/** `session_N`: turns; `session_N_date_time`: when; and more that is not read. */
type RawSessions = Readonly<Record<string, unknown>>

interface RawQuestions {
  readonly qa: readonly { readonly question: string; readonly evidence?: readonly string[] }[]
}

/** Sessions stand in a part of their own, or beside the questions. */
type RawConversation = RawQuestions & ({ readonly conversation: RawSessions } | RawSessions)

const sessionName = /^session_(\d+)$/

/** Throws for a path without conversations. */
export function readConversations(path: string): Conversation[] {
  const conversations = filesAt(path)
    .flatMap((file) => JSON.parse(readFileSync(file, 'utf8')) as RawConversation[])
    .map(conversationOf)
  if (conversations.every(({ questions }) => questions.length === 0)) {
    throw new Error(`there are no conversations with questions in ${path}`)
  }
  return conversations
}

function filesAt(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path]
  const names = readdirSync(path).filter((name) => name.endsWith('.json'))
  return names.sort().map((name) => join(path, name))
}

function conversationOf(raw: RawConversation): Conversation {
  const turns = turnsOf('conversation' in raw ? (raw.conversation as RawSessions) : raw)
  const known = new Set(turns.map(({ id }) => id))
  const questions = raw.qa.map(({ question, evidence = [] }) => {
    // Some name several turns in one text.
    const ids = evidence.flatMap((text) => text.split(/[;,\s]+/)).filter((id) => known.has(id))
    return { text: question, evidence: [...new Set(ids)] }
  })
  return { turns, questions: questions.filter(({ evidence }) => evidence.length > 0) }
}

/** In the order in which they were said. */
function turnsOf(sessions: RawSessions): Turn[] {
  const numberOf = (name: string): number => Number(sessionName.exec(name)?.[1])
  const names = Object.keys(sessions).filter((name) => sessionName.test(name))
  const turns: Turn[] = []
  for (const session of names.sort((a, b) => numberOf(a) - numberOf(b))) {
    const date = String(sessions[`${session}_date_time`])
    for (const { speaker, dia_id: id, text, blip_caption: caption } of said(sessions[session])) {
      const shown = caption === undefined ? '' : ` [${caption}]`
      turns.push({ id, session, text: `${speaker}, ${date}: ${text}${shown}` })
    }
  }
  return turns
}

/** A session that did not take place may stand there as an empty text. */
function said(session: unknown): readonly RawTurn[] {
  return Array.isArray(session) ? session : []
}
