// The validator of a collection, beside the fields that its documents have: shown to readers,
// changed by the owner and the operator. It applies from the next write.

import { useSignal } from '@preact/signals'
import {
  setValidation,
  type Validation,
  validationOf,
} from '../lib/collections/collection-changes.js'
import type { CollectionPlace } from '../lib/collections/collection-place.js'
import { useLoad } from '../lib/load.js'
import { me } from '../lib/session.js'
import { ValidatorFields } from '../widgets/collections/validator-fields.js'
import { useAction } from '../widgets/dialog.js'
import { Form, Problem } from '../widgets/form.js'
import { Failure, Loading } from '../widgets/states.js'
import './access.css'

export function Validator({ at }: { at: CollectionPlace }) {
  const { loaded, reload } = useLoad(
    (signal) => validationOf(at, signal),
    [me.value?.unlockedUntil],
  )
  const { value, error } = loaded.value
  return (
    <section aria-labelledby="validator">
      <h2 id="validator">Validator</h2>
      {error !== undefined && <Failure error={error} retry={reload} />}
      {error === undefined && value === undefined && <Loading />}
      {value !== undefined && (
        <ValidatorForm
          key={JSON.stringify(value)}
          at={at}
          given={value}
          isOwn={value.may.includes('own')}
          reload={reload}
        />
      )}
    </section>
  )
}

interface FormProps {
  readonly at: CollectionPlace
  readonly given: Validation
  readonly isOwn: boolean
  readonly reload: () => void
}

function ValidatorForm({ at, given: { validator, level, action }, isOwn, reload }: FormProps) {
  const before = { validator, level, action }
  const typed = useSignal<Validation>(before)
  const { problem, isBusy, start } = useAction(() => setValidation(at, typed.value), reload)
  const isChanged = JSON.stringify(typed.value) !== JSON.stringify(before)
  return (
    <Form class="row" send={start}>
      <ValidatorFields typed={typed} isReadOnly={!isOwn} />
      {isOwn && (
        <button type="submit" class="main" disabled={!isChanged || isBusy.value}>
          Save the validator
        </button>
      )}
      <Problem text={problem.value} />
      <p class="faint">
        {isOwn
          ? 'It applies from the next write. Stored documents are not checked.'
          : 'Only the owner and the operator change it.'}
      </p>
    </Form>
  )
}
