// Adds several memories, a line each. They go in parts, each part by itself; lines that the server
// refuses are listed and hinder no other.

import { useSignal } from '@preact/signals'
import { counted, figure, visible } from '../../lib/format.js'
import { type BatchForm, batchOf, partsOf, type Refused } from '../../lib/memory/batch.js'
import { type GraphPlace, rememberAll } from '../../lib/memory/routes.js'
import { Actions, Dialog, useAction } from '../dialog.js'
import { Form } from '../form.js'

const forms: readonly { readonly name: BatchForm; readonly title: string }[] = [
  { name: 'lines', title: 'A text a line' },
  { name: 'ndjson', title: 'A JSON object a line' },
]

const refusedShown = 50

interface Told {
  readonly done: number
  readonly of: number
  readonly added: number
  readonly known: number
  readonly refused: readonly Refused[]
}

interface AddSeveralProps {
  readonly place: GraphPlace
  /** Called when the dialog closes after something was written. */
  readonly done: () => void
  readonly close: () => void
}

export function AddSeveral({ place, done, close }: AddSeveralProps) {
  const text = useSignal('')
  const form = useSignal<BatchForm>('lines')
  const told = useSignal<Told | undefined>(undefined)
  const { problem, isBusy, start } = useAction(
    () => sendAll(place, batchOf(text.value, form.value), (next) => (told.value = next)),
    () => {
      text.value = ''
    },
  )
  const leave = () => (told.value === undefined ? close() : done())
  const { memories, refused } = batchOf(text.value, form.value)
  return (
    <Dialog title="Add several memories" close={leave} isHeld={isBusy.value}>
      <Form send={start}>
        <fieldset class="choice">
          <legend>Form</legend>
          {forms.map(({ name, title }) => (
            <label key={name}>
              <input
                type="radio"
                name="form"
                checked={form.value === name}
                onChange={() => {
                  form.value = name
                }}
              />
              {title}
            </label>
          ))}
        </fieldset>
        <label for="batch-text">Memories for the graph {place.graph}</label>
        <textarea
          id="batch-text"
          rows={10}
          spellcheck={false}
          disabled={isBusy.value}
          value={text.value}
          placeholder={form.value === 'lines' ? '' : '{"text": "…", "entities": ["Ada"]}'}
          onInput={({ currentTarget }) => {
            text.value = currentTarget.value
          }}
        />
        <p class="faint" role="status">
          {memories.length === 1 ? '1 memory' : `${figure(memories.length)} memories`}
          {refused.length > 0 && `, and ${counted(refused.length, 'line')} that cannot be read`}
        </p>
        {told.value !== undefined && <Outcome {...told.value} />}
        <Actions problem={problem.value}>
          <button type="submit" class="main" disabled={isBusy.value || memories.length === 0}>
            Remember all
          </button>
          <button type="button" disabled={isBusy.value} onClick={leave}>
            Close
          </button>
        </Actions>
      </Form>
    </Dialog>
  )
}

async function sendAll(
  place: GraphPlace,
  { memories, refused }: ReturnType<typeof batchOf>,
  tell: (told: Told) => void,
): Promise<void> {
  let told: Told = { done: 0, of: memories.length, added: 0, known: 0, refused }
  for (const part of partsOf(memories)) {
    tell(told)
    const results = await rememberAll(
      place,
      part.map(({ json }) => json),
    )
    const failed = results.flatMap(({ index, error }) =>
      error === undefined ? [] : [{ line: part[index]?.line ?? 0, why: error.message }],
    )
    const known = results.filter(({ duplicate }) => duplicate === true).length
    told = {
      ...told,
      done: told.done + part.length,
      added: told.added + results.length - failed.length - known,
      known: told.known + known,
      refused: [...told.refused, ...failed],
    }
  }
  tell(told)
}

function Outcome({ done, of, added, known, refused }: Told) {
  return (
    <section aria-label="Outcome" aria-live="polite">
      <progress aria-label="Sent memories" value={done} max={of} />
      <p>
        {`${figure(done)} of ${figure(of)} sent: ${figure(added)} added, `}
        {`${figure(known)} known already, ${figure(refused.length)} refused.`}
      </p>
      {refused.length > 0 && (
        <ul class="edges">
          {refused.slice(0, refusedShown).map(({ line, why }) => (
            <li key={line}>
              <span class="faint">Line {figure(line)}:</span> {visible(why)}
            </li>
          ))}
        </ul>
      )}
      {refused.length > refusedShown && (
        <p>
          The first {refusedShown} of {figure(refused.length)} refusals are listed.
        </p>
      )}
    </section>
  )
}
