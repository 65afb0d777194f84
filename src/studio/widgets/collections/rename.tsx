// Renames a collection, then opens it under its new name: what the address said before would lead
// to a collection that is not there.

import { useSignal } from '@preact/signals'
import { renameCollection } from '../../lib/collections/collection-changes.js'
import type { CollectionPlace } from '../../lib/collections/collection-place.js'
import { linkTo } from '../../lib/route.js'
import { Actions, Dialog, useAction } from '../dialog.js'
import { Field, Form } from '../form.js'

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
      <Form send={start}>
        <Field label="New name" id="new-name" typed={to} isRequired />
        <p class="faint">Programs that use the old name will not find the collection.</p>
        <Actions problem={problem.value} close={close}>
          <button type="submit" class="main" disabled={isBusy.value || to.value === at.name}>
            Rename
          </button>
        </Actions>
      </Form>
    </Dialog>
  )
}
