// "Show as": the query of the page in another language, to copy. Where a language cannot say the
// same, the panel says why.

import { signal, useSignal } from '@preact/signals'
import { visible, visibleLines } from '../lib/format.js'
import type { Query } from '../lib/show-as/query.js'
import { type Language, languages, showAs } from '../lib/show-as/show.js'
import { CopyButton } from './copy-button.js'
import './show-as.css'

const language = signal<Language>('mongosh')

export interface TitledQuery {
  readonly title: string
  readonly query: Query
}

/** `queries` has at least one. */
export function ShowAs({ queries }: { queries: readonly TitledQuery[] }) {
  const title = useSignal('')
  const chosen = queries.find((one) => one.title === title.value) ?? queries[0]
  if (chosen === undefined) return null
  const shown = showAs(language.value, chosen.query, { url: location.origin })
  return (
    <details class="show-as">
      <summary>Show as</summary>
      <div class="head">
        <select
          aria-label="Language"
          value={language.value}
          onChange={({ currentTarget }) => {
            const name = languages.find((one) => one === currentTarget.value)
            if (name !== undefined) language.value = name
          }}
        >
          {languages.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        {queries.length > 1 && (
          <select
            aria-label="What is shown"
            value={chosen.title}
            onChange={({ currentTarget }) => {
              title.value = currentTarget.value
            }}
          >
            {queries.map((one) => (
              <option key={one.title}>{one.title}</option>
            ))}
          </select>
        )}
        {'text' in shown && <CopyButton name="the query" text={shown.text} />}
      </div>
      {'reason' in shown ? (
        <p class="state">{visible(shown.reason)}</p>
      ) : (
        <>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: for the keyboard, as it scrolls. */}
          <section tabIndex={0} aria-label={`The query in ${language.value}`}>
            <pre>{visibleLines(shown.text)}</pre>
          </section>
          {shown.note !== undefined && <p class="faint">{shown.note}</p>}
        </>
      )}
    </details>
  )
}
