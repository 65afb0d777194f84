// What was run in the console and what was saved: a click puts a statement into the editor, and
// nothing runs before the user says so.

import { useSignal } from '@preact/signals'
import type { Statement } from '../../lib/console/keepable.js'
import {
  clearHistory,
  kept,
  removeSaved,
  saveStatement,
} from '../../lib/console/kept-statements.js'
import { visible } from '../../lib/format.js'
import { Form, Problem } from '../form.js'
import './kept-statements.css'

/** Characters of a statement in a list. */
const shownChars = 120

interface KeptStatementsProps {
  readonly current: Statement
  readonly use: (statement: Statement) => void
}

export function KeptStatements({ current, use }: KeptStatementsProps) {
  const { history, saved } = kept.value
  return (
    <div class="kept">
      <details>
        <summary>History ({history.length})</summary>
        {history.length === 0 ? (
          <p class="faint">What you run is listed here.</p>
        ) : (
          <>
            <ul aria-label="History">
              {history.map((one) => (
                <li key={`${one.language} ${one.text}`}>
                  <UseButton statement={one} use={use} />
                </li>
              ))}
            </ul>
            <button type="button" onClick={clearHistory}>
              Clear the history
            </button>
          </>
        )}
      </details>
      <details>
        <summary>Saved ({saved.length})</summary>
        <SaveForm current={current} />
        {saved.length > 0 && (
          <ul aria-label="Saved">
            {saved.map(({ name, ...statement }) => (
              <li key={name}>
                <strong>{visible(name)}</strong>
                <UseButton statement={statement} use={use} />
                <button
                  type="button"
                  aria-label={`Remove ${visible(name)}`}
                  onClick={() => removeSaved(name)}
                >
                  Remove
                </button>
              </li>
            ))}
          </ul>
        )}
      </details>
    </div>
  )
}

function UseButton({
  statement,
  use,
}: { statement: Statement } & Pick<KeptStatementsProps, 'use'>) {
  const text = visible(statement.text.replace(/\s+/g, ' '))
  return (
    <button type="button" class="quiet data" onClick={() => use(statement)}>
      {text.length > shownChars ? `${text.slice(0, shownChars)}…` : text}
    </button>
  )
}

function SaveForm({ current }: { current: Statement }) {
  const name = useSignal('')
  const problem = useSignal('')
  const isReady = name.value.trim() !== '' && current.text.trim() !== ''
  return (
    <Form
      send={() => {
        const isSaved = saveStatement({ ...current, name: name.value.trim() })
        problem.value = isSaved ? '' : 'A long statement, or one with a password, is not saved.'
        if (isSaved) name.value = ''
      }}
    >
      <label>
        Name
        <input
          maxLength={64}
          autocomplete="off"
          value={name.value}
          onInput={({ currentTarget }) => {
            name.value = currentTarget.value
          }}
        />
      </label>
      <button type="submit" disabled={!isReady}>
        Save the statement
      </button>
      {problem.value !== '' && <Problem text={problem.value} />}
    </Form>
  )
}
