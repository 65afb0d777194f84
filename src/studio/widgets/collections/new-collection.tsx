// A new collection: its name, and on wish a bound (capped) and a validator. Its code comes when the
// form is opened.

import { useSignal } from '@preact/signals'
import { createCollection, type Validation } from '../../lib/collections/collection-changes.js'
import { linkTo } from '../../lib/route.js'
import { Actions, Dialog, useAction } from '../dialog.js'
import { Field, Form } from '../form.js'
import { ValidatorFields } from './validator-fields.js'
import '../../pages/access.css'

export function NewCollectionDialog({ close }: { close: () => void }) {
  const name = useSignal('')
  const isCapped = useSignal(false)
  const size = useSignal('1048576')
  const max = useSignal('')
  const validation = useSignal<Validation>({ validator: '', level: 'strict', action: 'error' })
  const { problem, isBusy, start } = useAction(
    () =>
      createCollection('', {
        name: name.value,
        isCapped: isCapped.value,
        sizeBytes: size.value,
        documentsMax: max.value,
        validation: validation.value,
      }),
    () => {
      close()
      location.hash = linkTo(['collections', name.value])
    },
  )
  return (
    <Dialog title="Create a collection" close={close}>
      <Form send={start}>
        <Field label="Name" id="collection-name" typed={name} isRequired />
        <label class="check">
          <input
            type="checkbox"
            checked={isCapped.value}
            onChange={({ currentTarget }) => {
              isCapped.value = currentTarget.checked
            }}
          />
          Capped: the oldest documents make room for new ones
        </label>
        {isCapped.value && (
          <>
            <Field label="Size in bytes" id="capped-size" typed={size} isRequired />
            <Field label="Documents at most (empty: no bound)" id="capped-max" typed={max} />
          </>
        )}
        <details>
          <summary>Validator</summary>
          <div class="row">
            <ValidatorFields typed={validation} />
          </div>
        </details>
        <Actions problem={problem.value} close={close}>
          <button type="submit" class="main" disabled={isBusy.value}>
            Create
          </button>
        </Actions>
      </Form>
    </Dialog>
  )
}
