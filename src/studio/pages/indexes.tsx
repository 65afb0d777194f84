// The indexes of a collection with how often queries have used them, and the forms that create one
// and drop one.

import { type Signal, useSignal } from '@preact/signals'
import type { CollectionPlace } from '../lib/collections/collection-place.js'
import { createIndex, dropIndex, type Index, listIndexes } from '../lib/collections/inspection.js'
import { counted, figure, visible } from '../lib/format.js'
import { useLoad } from '../lib/load.js'
import { CollectionTabs } from '../widgets/collection-tabs.js'
import { Actions, Confirm, Dialog, useAction } from '../widgets/dialog.js'
import { Field, Form } from '../widgets/form.js'
import { Scroll } from '../widgets/scroll.js'
import { Empty, Failure, Loading } from '../widgets/states.js'

export function IndexesPage({ at }: { at: CollectionPlace }) {
  const { name } = at
  const { loaded, reload } = useLoad((signal) => listIndexes(at, signal), [name])
  const isCreating = useSignal(false)
  const dropping = useSignal<string | undefined>(undefined)
  const { value, error } = loaded.value
  const close = () => {
    isCreating.value = false
    dropping.value = undefined
    reload()
  }
  return (
    <>
      <div class="head">
        <h1>{visible(name)}</h1>
        <button
          type="button"
          onClick={() => {
            isCreating.value = true
          }}
        >
          Create an index
        </button>
        <p class="faint" role="status">
          {value !== undefined &&
            `${figure(value.length)} ${value.length === 1 ? 'index' : 'indexes'}`}
        </p>
      </div>
      <CollectionTabs at={at} />
      {error !== undefined && <Failure error={error} retry={reload} />}
      {error === undefined && value === undefined && <Loading />}
      {value?.length === 0 && <Empty>The collection has no indexes, as it has no documents.</Empty>}
      {value !== undefined && value.length > 0 && <IndexTable rows={value} dropping={dropping} />}
      {isCreating.value && <IndexForm at={at} close={close} />}
      {dropping.value !== undefined && (
        <Confirm
          title="Drop"
          text="Queries that use the index will read more documents."
          name={dropping.value}
          run={() => dropIndex(at, dropping.value ?? '')}
          close={close}
        />
      )}
    </>
  )
}

interface TableProps {
  readonly rows: readonly Index[]
  readonly dropping: Signal<string | undefined>
}

function IndexTable({ rows, dropping }: TableProps) {
  return (
    <Scroll name="Indexes">
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Key</th>
            <th scope="col">Unique</th>
            <th scope="col" class="number">
              Used since the start
            </th>
            <th scope="col">Actions</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, key, isUnique, uses }) => (
            <tr key={name}>
              <th scope="row">{visible(name)}</th>
              <td>{visible(JSON.stringify(key))}</td>
              <td>{isUnique ? 'unique' : ''}</td>
              <td class="number">{uses === undefined ? 'not known' : counted(uses, 'time')}</td>
              <td class="commands">
                {name !== '_id_' && (
                  <button
                    type="button"
                    class="bad"
                    aria-label={`Drop ${visible(name)}`}
                    onClick={() => {
                      dropping.value = name
                    }}
                  >
                    Drop
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}

function IndexForm({ at, close }: { at: CollectionPlace; close: () => void }) {
  const fields = useSignal('')
  const indexName = useSignal('')
  const isUnique = useSignal(false)
  const { problem, isBusy, start } = useAction(
    () =>
      createIndex(at, {
        fields: fields.value,
        indexName: indexName.value.trim(),
        isUnique: isUnique.value,
      }),
    close,
  )
  return (
    <Dialog title="Create an index" close={close}>
      <Form send={start}>
        <Field
          label="Fields (-year,title) or the key as JSON"
          id="fields"
          typed={fields}
          isRequired
        />
        <Field label="Name (empty: from the key)" id="index-name" typed={indexName} />
        <div class="choice">
          <label>
            <input
              type="checkbox"
              checked={isUnique.value}
              onChange={({ currentTarget }) => {
                isUnique.value = currentTarget.checked
              }}
            />
            No two documents have the same values
          </label>
        </div>
        <Actions problem={problem.value} close={close}>
          <button type="submit" class="main" disabled={isBusy.value}>
            Create
          </button>
        </Actions>
      </Form>
    </Dialog>
  )
}
