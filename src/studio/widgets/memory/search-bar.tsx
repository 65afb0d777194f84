// What is asked of a graph: words, an entity with names that the graph knows, and how many edges
// away its context reaches. The address of the page keeps the question.

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useLoad } from '../../lib/load.js'
import { findEntities, type GraphPlace, type Question } from '../../lib/memory/routes.js'
import { DataField } from '../data-field.js'
import { Form } from '../form.js'

const hopsChoices = ['0', '1', '2', '3']
/** After the last key. */
const quietMs = 200

interface SearchBarProps {
  readonly place: GraphPlace
  readonly question: Question
  readonly ask: (question: Question) => void
}

export function SearchBar({ place, question, ask }: SearchBarProps) {
  const words = useSignal(question.words)
  const entity = useSignal(question.entity)
  const submit = (hops: string) => {
    ask({ words: words.value.trim(), entity: entity.value.trim(), hops })
  }
  const isAsked = question.words !== '' || question.entity !== ''
  return (
    <Form class="filter" send={() => submit(question.hops)}>
      <DataField label="Words" typed={words} placeholder="where does ada live" shortcut="/" />
      <label>
        Entity
        <input
          class="data"
          list="entity-names"
          spellcheck={false}
          autocomplete="off"
          value={entity.value}
          onInput={({ currentTarget }) => {
            entity.value = currentTarget.value
          }}
        />
        <EntityNames place={place} typed={entity.value} />
      </label>
      <label>
        Hops
        <select value={question.hops} onChange={({ currentTarget }) => submit(currentTarget.value)}>
          {hopsChoices.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <button type="submit" class="main">
        Search
      </button>
      {isAsked && (
        <button type="button" onClick={() => ask({ words: '', entity: '', hops: question.hops })}>
          Clear
        </button>
      )}
    </Form>
  )
}

function EntityNames({ place, typed }: { place: GraphPlace; typed: string }) {
  const wanted = useSignal('')
  useEffect(() => {
    const timer = setTimeout(() => {
      wanted.value = typed.trim()
    }, quietMs)
    return () => clearTimeout(timer)
  }, [typed])
  const { loaded } = useLoad(
    async (signal) => (wanted.value === '' ? [] : findEntities(place, wanted.value, signal)),
    [wanted.value],
  )
  return (
    <datalist id="entity-names">
      {(loaded.value.value ?? []).map((name) => (
        <option key={name} value={name} />
      ))}
    </datalist>
  )
}
