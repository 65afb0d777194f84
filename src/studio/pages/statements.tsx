// The console: one SQL statement or one key-value command at a time, run when the user says so.
// What was typed stays until the tab is closed, in memory alone; what was run is listed.

import { type Signal, signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ask, askJson } from '../lib/api.js'
import type { Language } from '../lib/console/keepable.js'
import { openKept, rememberRun } from '../lib/console/kept-statements.js'
import { cellText, type Ejson, type EjsonObject } from '../lib/ejson.js'
import { counted, visible } from '../lib/format.js'
import { me } from '../lib/session.js'
import { commandWords } from '../lib/words.js'
import { CodeField } from '../widgets/code-field.js'
import { KeptStatements } from '../widgets/console/kept-statements.js'
import { ShowAs, type TitledQuery } from '../widgets/show-as.js'
import { Failure } from '../widgets/states.js'

const languages = [
  { name: 'sql', title: 'SQL', example: 'SELECT * FROM books ORDER BY year DESC LIMIT 10' },
  { name: 'redis', title: 'Redis', example: 'HGETALL demo:shop' },
] as const

/** Rows with their columns, or anything else as text. */
type Result =
  | { readonly columns: readonly string[]; readonly rows: readonly EjsonObject[] }
  | { readonly text: string }

const language = signal<Language>('sql')
const texts: Readonly<Record<Language, Signal<string>>> = { sql: signal(''), redis: signal('') }

export function ConsolePage() {
  const address = me.value?.address ?? null
  useEffect(() => openKept(address), [address])
  const text = texts[language.value]
  const result = useSignal<Result | undefined>(undefined)
  const problem = useSignal<Error | undefined>(undefined)
  const isBusy = useSignal(false)
  const run = () => {
    if (isBusy.value || text.value.trim() === '') return
    problem.value = undefined
    result.value = undefined
    isBusy.value = true
    rememberRun({ language: language.value, text: text.value })
    const running = language.value === 'sql' ? runSql(text.value) : runCommand(text.value)
    running
      .then(
        (value) => {
          result.value = value
        },
        (error: Error) => {
          problem.value = error
        },
      )
      .finally(() => {
        isBusy.value = false
      })
  }
  const choose = (name: Language) => {
    language.value = name
    result.value = undefined
    problem.value = undefined
  }
  return (
    <>
      <div class="head">
        <h1>Console</h1>
        <LanguageChoice choose={choose} />
      </div>
      <Statement text={text} run={run} />
      <div class="actions">
        <button type="button" class="main" disabled={isBusy.value} onClick={run}>
          Run
        </button>
        <p class="faint">Ctrl+Enter runs it. A SELECT without LIMIT ends after 100 rows.</p>
      </div>
      <KeptStatements
        current={{ language: language.value, text: text.value }}
        use={(statement) => {
          choose(statement.language)
          texts[statement.language].value = statement.text
        }}
      />
      <ShowAs queries={statementsIn(language.value, text.value)} />
      {problem.value !== undefined && <Failure error={problem.value} />}
      {result.value !== undefined && <ResultView result={result.value} />}
    </>
  )
}

/** None while the text is empty or a quote is open. */
function statementsIn(name: Language, text: string): readonly TitledQuery[] {
  if (text.trim() === '') return []
  if (name === 'sql') return [{ title: 'Statement', query: { kind: 'sql', text: text.trim() } }]
  try {
    return [{ title: 'Command', query: { kind: 'command', words: commandWords(text) } }]
  } catch {
    return []
  }
}

function LanguageChoice({ choose }: { choose: (name: Language) => void }) {
  return (
    <fieldset class="choice">
      <legend>Language</legend>
      {languages.map(({ name, title }) => (
        <label key={name}>
          <input
            type="radio"
            name="language"
            checked={language.value === name}
            onChange={() => choose(name)}
          />
          {title}
        </label>
      ))}
    </fieldset>
  )
}

function Statement({ text, run }: { text: Signal<string>; run: () => void }) {
  const { name, example } = languages.find((one) => one.name === language.value) ?? languages[0]
  return (
    <div class="statement">
      <CodeField
        key={name}
        kind={name}
        label="Statement"
        text={text}
        placeholder={example}
        hasShortcut
        run={run}
      />
    </div>
  )
}

interface SqlReply {
  readonly result: EjsonObject & {
    readonly columns?: readonly { readonly name: string }[]
    readonly cursor: { readonly firstBatch: readonly EjsonObject[] }
  }
}

async function runSql(query: string): Promise<Result> {
  const headers = { 'content-type': 'application/json', accept: 'application/ejson' }
  const answer = await ask('POST', '/api/v1/sql', { body: JSON.stringify({ query }), headers })
  const { result } = (await answer.json()) as SqlReply
  const { columns, cursor, ...counts } = result
  if (columns === undefined) return { text: JSON.stringify(counts, null, 2) }
  return { columns: columns.map(({ name }) => name), rows: cursor.firstBatch }
}

async function runCommand(line: string): Promise<Result> {
  const command = commandWords(line)
  const { result } = await askJson<{ result: Ejson }>('POST', '/api/v1/redis', { command })
  return { text: JSON.stringify(result, null, 2) }
}

function ResultView({ result }: { result: Result }) {
  if ('text' in result) {
    return (
      <section aria-label="Result">
        <pre>{visible(result.text).replaceAll('\\u{a}', '\n')}</pre>
      </section>
    )
  }
  const { columns, rows } = result
  return (
    <section aria-label="Result">
      <p class="faint" role="status">
        {counted(rows.length, 'row')}
      </p>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              {columns.map((name) => (
                <th key={name} scope="col">
                  {visible(name)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row}>
                {columns.map((name) => (
                  <td key={name}>{visible(cellText(row[name], 200))}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}
