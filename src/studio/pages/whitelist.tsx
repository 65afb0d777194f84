// The whitelist: addresses that may sign in under WHITELIST=enforce. All callers may see it,
// administrators change it.

import { type Signal, useSignal } from '@preact/signals'
import { askJson } from '../lib/api.js'
import { figure } from '../lib/format.js'
import { useLoad } from '../lib/load.js'
import { me } from '../lib/session.js'
import { DataField } from '../widgets/data-field.js'
import { Confirm, useAction } from '../widgets/dialog.js'
import { Form, Problem } from '../widgets/form.js'
import { Scroll } from '../widgets/scroll.js'
import { Empty, Failure, Loading } from '../widgets/states.js'

const path = '/api/v1/whitelist'
const rowsMax = 200

export function WhitelistView() {
  const removing = useSignal<string | undefined>(undefined)
  const wanted = useSignal('')
  const { loaded, reload } = useLoad(async (signal) => {
    return (await askJson<{ addresses: string[] }>('GET', path, undefined, { signal })).addresses
  }, [])
  const { value, error } = loaded.value
  const isAdministrator = me.value?.administrator === true
  const found = (value ?? []).filter((one) =>
    one.toLowerCase().includes(wanted.value.trim().toLowerCase()),
  )
  return (
    <section aria-label="Whitelist">
      <p class="faint">
        With the setting WHITELIST=enforce, only these wallets may sign in and use their keys.
      </p>
      {isAdministrator ? (
        <Adding done={reload} />
      ) : (
        <p>The operator and administrators (ADMIN_ADDRESSES) change this list.</p>
      )}
      {error !== undefined && <Failure error={error} retry={reload} />}
      {error === undefined && value === undefined && <Loading />}
      {value?.length === 0 && <Empty>No address is on the whitelist.</Empty>}
      {value !== undefined && value.length > 0 && (
        <>
          <div class="filter">
            <DataField label="Contains" typed={wanted} shortcut="/" />
            <p class="faint" role="status">
              {Math.min(found.length, rowsMax)} of {figure(value.length)}
            </p>
          </div>
          <Addresses
            rows={found.slice(0, rowsMax)}
            isAdministrator={isAdministrator}
            remove={removing}
          />
        </>
      )}
      {removing.value !== undefined && (
        <Confirm
          title="Remove"
          text="Under WHITELIST=enforce, this wallet can no longer sign in, and its keys fail."
          name={removing.value}
          run={() => askJson('POST', path, { address: removing.value, action: 'remove' })}
          close={() => {
            removing.value = undefined
            reload()
          }}
        />
      )}
    </section>
  )
}

function Adding({ done }: { done: () => void }) {
  const address = useSignal('')
  const { problem, isBusy, start } = useAction(
    () => askJson('POST', path, { address: address.value.trim(), action: 'add' }),
    () => {
      address.value = ''
      done()
    },
  )
  return (
    <Form class="filter" send={start}>
      <DataField label="Address" typed={address} placeholder="0x…" />
      <button type="submit" disabled={isBusy.value || address.value.trim() === ''}>
        Add
      </button>
      <Problem text={problem.value} />
    </Form>
  )
}

interface AddressesProps {
  readonly rows: readonly string[]
  readonly isAdministrator: boolean
  readonly remove: Signal<string | undefined>
}

function Addresses({ rows, isAdministrator, remove }: AddressesProps) {
  if (rows.length === 0) return <Empty>No address contains this.</Empty>
  return (
    <Scroll name="Addresses">
      <table>
        <thead>
          <tr>
            <th scope="col">Address</th>
            {isAdministrator && <th scope="col">Action</th>}
          </tr>
        </thead>
        <tbody>
          {rows.map((address) => (
            <tr key={address}>
              <th scope="row">{address}</th>
              {isAdministrator && (
                <td class="commands">
                  <button
                    type="button"
                    class="bad"
                    aria-label={`Remove ${address}`}
                    onClick={() => {
                      remove.value = address
                    }}
                  >
                    Remove
                  </button>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}
