// Asks for the name and the type of a new key. Nothing is written before its editor saves the first
// members.

import { useSignal } from '@preact/signals'
import { type Kind, kinds } from '../lib/key-change.js'
import { Dialog } from './dialog.js'
import { Field, Form } from './form.js'

interface MakerProps {
  readonly prefix: string
  readonly make: (key: string, kind: Kind) => void
  readonly close: () => void
}

export function KeyMakerForm({ prefix, make, close }: MakerProps) {
  const name = useSignal(prefix)
  const kind = useSignal<Kind>('string')
  return (
    <Dialog title="Add a key" close={close}>
      <Form send={() => make(name.value, kind.value)}>
        <Field label="Name" id="key-name" typed={name} isRequired />
        <label for="key-kind">Type</label>
        <select
          id="key-kind"
          value={kind.value}
          onChange={({ currentTarget }) => {
            kind.value = kinds.find((one) => one === currentTarget.value) ?? 'string'
          }}
        >
          {kinds.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
        <div class="actions">
          <button type="submit" class="main">
            Continue
          </button>
          <button type="button" onClick={close}>
            Cancel
          </button>
        </div>
      </Form>
    </Dialog>
  )
}
