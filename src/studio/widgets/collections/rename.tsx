// Renames a collection, then opens it under its new name: what the address said before would lead
// to a collection that is not there.

import { useSignal } from '@preact/signals'
import { renameCollection } from '../../lib/collections/collection-changes.js'
import type { CollectionPlace } from '../../lib/collections/collection-place.js'
import { linkTo } from '../../lib/route.js'
import { Actions, Dialog, useAction } from '../dialog.js'

interface RenameProps {
  readonly at: CollectionPlace
  /** What is shown of it afterwards. */
  readonly view: string
  readonly close: () => void
}

export function RenameDialog({ at, view, close }: RenameProps) {
  const to = useSignal(at.name)
  const { problem, isBusy, start } = useAction(
    () => renameCollection(at, to.value),
    () => {
      location.hash = linkTo(['collections', to.value, view], { database: at.database })
    },
  )
  return (
    <Dialog title="Rename" close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          start()
        }}
      >
        <label for="new-name">New name</label>
        <input
          id="new-name"
          class="data"
          autocomplete="off"
          spellcheck={false}
          required
          value={to.value}
          onInput={({ currentTarget }) => {
            to.value = currentTarget.value
          }}
        />
        <p class="faint">Programs that use the old name will not find the collection.</p>
        <Actions problem={problem.value}>
          <button type="submit" class="main" disabled={isBusy.value || to.value === at.name}>
            Rename
          </button>
          <button type="button" onClick={close}>
            Cancel
          </button>
        </Actions>
      </form>
    </Dialog>
  )
}
