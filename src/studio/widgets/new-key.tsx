// Asks for the name and the type of a new key. Nothing is written before its editor saves the first
// members.

import { useSignal } from '@preact/signals'
import { type Kind, kinds } from '../lib/key-change.js'
import { Dialog } from './dialog.js'

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
      <form
        onSubmit={(event) => {
          event.preventDefault()
          make(name.value, kind.value)
        }}
      >
        <label for="key-name">Name</label>
        <input
          id="key-name"
          class="data"
          autocomplete="off"
          spellcheck={false}
          required
          value={name.value}
          onInput={({ currentTarget }) => {
            name.value = currentTarget.value
          }}
        />
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
      </form>
    </Dialog>
  )
}
