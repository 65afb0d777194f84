// Adds one memory. The server says beforehand, without writing anything, to which entities the text
// would be linked, and whether it is there already.

import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ApiError } from '../../lib/api.js'
import { figure, visible } from '../../lib/format.js'
import { useLoad } from '../../lib/load.js'
import type { WholeMemory } from '../../lib/memory/graph.js'
import {
  type GraphPlace,
  type Preview,
  previewMemory,
  rememberMemory,
} from '../../lib/memory/routes.js'
import { Actions, Dialog, useAction } from '../dialog.js'
import { Form } from '../form.js'
import { Failure } from '../states.js'

/** After the last key. */
const quietMs = 300
const charsMax = 8_192

export interface Added {
  readonly id: string
  /** Another one than that of the page where the user has named one. */
  readonly graph: string
}

interface AddMemoryProps {
  readonly place: GraphPlace
  /** The memory that the new one corrects. */
  readonly corrected?: WholeMemory
  readonly done: (added: Added) => void
  readonly close: () => void
}

export function AddMemory({ place, corrected, done, close }: AddMemoryProps) {
  const graph = useSignal(place.graph)
  const text = useSignal(corrected?.text ?? '')
  const entities = useSignal('')
  const reference = useSignal('')
  const link = useSignal('')
  const memory = memoryOf({ text, entities, reference, link }, corrected)
  const target = { graph: graph.value.trim(), database: place.database }
  const { problem, isBusy, start } = useAction(
    () => rememberMemory(target, memory),
    ({ id }) => done({ id, graph: target.graph }),
  )
  const title = corrected === undefined ? 'Add a memory' : 'Correct a memory'
  const chars = [...text.value].length
  return (
    <Dialog title={title} close={close}>
      <Form send={start}>
        <p class="faint">The text cannot be changed later, only corrected by a new memory.</p>
        <label for="memory-text">Text</label>
        <textarea
          id="memory-text"
          rows={5}
          required
          value={text.value}
          onInput={({ currentTarget }) => {
            text.value = currentTarget.value
          }}
        />
        <p class={chars > charsMax ? 'problem' : 'faint'}>
          {figure(chars)} of {figure(charsMax)} characters
        </p>
        {corrected === undefined && (
          <Field id="memory-graph" label="Graph; a new name makes a new one" of={graph} />
        )}
        <Field
          id="memory-entities"
          label="Entities, if the text does not name them"
          of={entities}
        />
        <Field id="memory-ref" label="Source, such as a conversation" of={reference} />
        <Field id="memory-link" label="Link of the source" of={link} />
        <Extraction place={target} memory={JSON.stringify(memory)} isEmpty={text.value === ''} />
        <Actions problem={problem.value} close={close}>
          <button
            type="submit"
            class="main"
            disabled={isBusy.value || text.value.trim() === '' || chars > charsMax}
          >
            Remember
          </button>
        </Actions>
      </Form>
    </Dialog>
  )
}

interface Typed {
  readonly text: Signal<string>
  readonly entities: Signal<string>
  readonly reference: Signal<string>
  readonly link: Signal<string>
}

function memoryOf({ text, entities, reference, link }: Typed, corrected?: WholeMemory): object {
  const names = entities.value
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  const [ref, url] = [reference.value.trim(), link.value.trim()]
  const source = { ...(ref === '' ? {} : { ref }), ...(url === '' ? {} : { url }) }
  return {
    text: text.value,
    ...(names.length === 0 ? {} : { entities: names }),
    ...(Object.keys(source).length === 0 ? {} : { source }),
    ...(corrected === undefined ? {} : { supersedes: corrected.id }),
  }
}

function Field({ id, label, of }: { id: string; label: string; of: Signal<string> }) {
  return (
    <>
      <label for={id}>{label}</label>
      <input
        id={id}
        autocomplete="off"
        value={of.value}
        onInput={({ currentTarget }) => {
          of.value = currentTarget.value
        }}
      />
    </>
  )
}

interface ExtractionProps {
  readonly place: GraphPlace
  readonly memory: string
  readonly isEmpty: boolean
}

function Extraction({ place, memory, isEmpty }: ExtractionProps) {
  const wanted = useSignal('')
  useEffect(() => {
    const timer = setTimeout(() => {
      wanted.value = isEmpty ? '' : memory
    }, quietMs)
    return () => clearTimeout(timer)
  }, [memory, isEmpty])
  const { loaded } = useLoad(
    async (signal) =>
      wanted.value === ''
        ? undefined
        : previewMemory(place, JSON.parse(wanted.value) as object, signal),
    [wanted.value, place.graph],
  )
  const { value, error } = loaded.value
  const isNew = error instanceof ApiError && error.status === 404
  if (error !== undefined && !isNew) return <Failure error={error} />
  return (
    <section class="preview" aria-label="Preview" aria-live="polite">
      <h3>Preview</h3>
      {value === undefined ? (
        <p class="faint">
          {isNew
            ? 'The graph is new: the entities are found when the memory is written.'
            : 'The entities of the text are shown here. Nothing is written.'}
        </p>
      ) : (
        <Previewed {...value} />
      )}
    </section>
  )
}

function Previewed({ entities, duplicateOf }: Preview) {
  return (
    <>
      {duplicateOf !== null && <p>The same memory is there already: {duplicateOf}.</p>}
      {entities.length === 0 && <p class="faint">The text names no entity.</p>}
      <ul class="edges">
        {entities.map(({ id, name, kind, rule, isNew }) => (
          <li key={id}>
            <strong>{visible(name)}</strong>
            <span class="faint">
              {visible(kind)}, by the rule {visible(rule)}, {isNew ? 'new' : 'known'}
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}
