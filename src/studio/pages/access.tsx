// Who may do what with a collection: mode, owner and roles, what other wallets see of it, and the
// forms that change this, as far as the server lets the caller.

import { useSignal } from '@preact/signals'
import {
  type Access,
  accessOf,
  grantRole,
  type Mode,
  modes,
  revokeRole,
  setMode,
  setOwner,
  sightsOf,
} from '../lib/collections/access.js'
import { dropCollection } from '../lib/collections/collection-changes.js'
import type { CollectionPlace } from '../lib/collections/collection-place.js'
import { visible } from '../lib/format.js'
import { useLoad } from '../lib/load.js'
import { linkTo } from '../lib/route.js'
import { me } from '../lib/session.js'
import { CollectionTabs } from '../widgets/collection-tabs.js'
import { RenameDialog } from '../widgets/collections/rename.js'
import { CopyButton } from '../widgets/copy-button.js'
import { DataField } from '../widgets/data-field.js'
import { Confirm, useAction } from '../widgets/dialog.js'
import { Form, Problem } from '../widgets/form.js'
import { Scroll } from '../widgets/scroll.js'
import { Empty, Failure, Loading } from '../widgets/states.js'
import './access.css'

export function AccessPage({ at }: { at: CollectionPlace }) {
  const { name } = at
  const { loaded, reload } = useLoad((signal) => accessOf(at, signal), [me.value?.unlockedUntil])
  const doing = useSignal<'rename' | 'drop' | undefined>(undefined)
  const release = useSignal(false)
  const { value, error } = loaded.value
  const close = () => {
    doing.value = undefined
  }
  return (
    <>
      <div class="head">
        <h1>{visible(name)}</h1>
        {value?.may.includes('admin') && (
          <>
            <button
              type="button"
              onClick={() => {
                doing.value = 'rename'
              }}
            >
              Rename
            </button>
            <button
              type="button"
              class="bad"
              onClick={() => {
                doing.value = 'drop'
              }}
            >
              Drop the collection
            </button>
          </>
        )}
      </div>
      <CollectionTabs at={at} />
      {error !== undefined && <Failure error={error} retry={reload} />}
      {error === undefined && value === undefined && <Loading />}
      {value !== undefined && <Parts at={at} access={value} reload={reload} />}
      {doing.value === 'rename' && <RenameDialog at={at} view="access" close={close} />}
      {doing.value === 'drop' && (
        <Confirm
          title="Drop the collection"
          text="All documents and indexes go. The name stays reserved for its owner."
          name={name}
          run={async () => {
            await dropCollection(at, release.value)
            location.hash = linkTo(['collections'])
          }}
          close={close}
        >
          <label class="check">
            <input
              type="checkbox"
              checked={release.value}
              onChange={({ currentTarget }) => {
                release.value = currentTarget.checked
              }}
            />
            Give up the name too
          </label>
        </Confirm>
      )}
    </>
  )
}

interface PartProps {
  readonly at: CollectionPlace
  readonly access: Access
  readonly reload: () => void
}

function Parts({ at, access, reload }: PartProps) {
  const isOperator = me.value?.address === null
  return (
    <div class="access">
      <section aria-labelledby="own">
        <h2 id="own">You</h2>
        <p>{ownWords(access)}</p>
      </section>
      <section aria-labelledby="owner">
        <h2 id="owner">Owner</h2>
        {access.owner === null ? (
          <p>The operator: no wallet owns it.</p>
        ) : (
          <p class="line">
            <span class="data">{access.owner}</span>
            <CopyButton name="the owner's address" text={access.owner} />
          </p>
        )}
        {isOperator && access.may.includes('admin') && <OwnerForm at={at} reload={reload} />}
      </section>
      <ModeForm key={access.mode} at={at} access={access} reload={reload} />
      <Roles at={at} access={access} reload={reload} />
      <Sights mode={access.mode} />
    </div>
  )
}

/** "You" comes from the server's word about the session. */
function ownWords({ owner, may }: Access): string {
  const address = me.value?.address ?? null
  const given = may.filter((one) => one === 'read' || one === 'write').join(' and ')
  if (address === null) {
    if (may.includes('admin')) return 'The operator may do everything.'
    return 'This session of the operator only reads. Unlock changes to change access.'
  }
  if (owner === address && may.includes('admin')) return 'You own the collection.'
  if (given === '') return 'You may not read the collection.'
  return `You may ${given}. Only the owner and the operator change access.`
}

function OwnerForm({ at, reload }: Omit<PartProps, 'access'>) {
  const address = useSignal('')
  const { problem, isBusy, start } = useAction(() => setOwner(at, address.value.trim()), reload)
  return (
    <Form class="row" send={start}>
      <DataField label="A wallet's address" typed={address} placeholder="0x…" isRequired />
      <button type="submit" disabled={isBusy.value}>
        Make it the owner
      </button>
      <Problem text={problem.value} />
    </Form>
  )
}

function ModeForm({ at, access, reload }: PartProps) {
  const mode = useSignal<string>(access.mode)
  const chosen = modes.find((one) => one === mode.value)
  const change = (given: Mode | undefined) =>
    given === undefined ? Promise.resolve() : setMode(at, given)
  const { problem, isBusy, start } = useAction(() => change(chosen), reload)
  // The first wallet that sets the mode of an unowned collection may own it: the server decides.
  const isOpen = access.may.includes('admin') || access.owner === null
  return (
    <section aria-labelledby="mode">
      <h2 id="mode">Mode</h2>
      <Form class="row" send={start}>
        <label>
          What others may do
          <select
            value={mode.value}
            disabled={!isOpen}
            onChange={({ currentTarget }) => {
              mode.value = currentTarget.value
            }}
          >
            {modes.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <button type="submit" disabled={!isOpen || isBusy.value || mode.value === access.mode}>
          Save the mode
        </button>
        <Problem text={problem.value} />
      </Form>
    </section>
  )
}

function Roles({ at, access, reload }: PartProps) {
  const { roles, may } = access
  const gone = useSignal('')
  const { problem, start } = useAction(() => revokeRole(at, gone.value), reload)
  if (roles === undefined) return null
  const rows = Object.entries(roles)
  return (
    <section aria-labelledby="roles">
      <h2 id="roles">Roles</h2>
      {rows.length === 0 && <Empty>No wallet has a role.</Empty>}
      {rows.length > 0 && (
        <Scroll name="Wallets with a role">
          <table>
            <thead>
              <tr>
                <th scope="col">Wallet</th>
                <th scope="col">Role</th>
                <th scope="col">Actions</th>
              </tr>
            </thead>
            <tbody>
              {rows.map(([address, role]) => (
                <tr key={address}>
                  <th scope="row">{address}</th>
                  <td>{role === 1 ? '1: reads' : '2: reads and writes'}</td>
                  <td class="commands">
                    {may.includes('admin') && (
                      <button
                        type="button"
                        class="bad"
                        aria-label={`Remove the role of ${address}`}
                        onClick={() => {
                          gone.value = address
                          start()
                        }}
                      >
                        Remove
                      </button>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      <Problem text={problem.value} />
      {may.includes('admin') && <RoleForm at={at} reload={reload} />}
    </section>
  )
}

function RoleForm({ at, reload }: Omit<PartProps, 'access'>) {
  const address = useSignal('')
  const role = useSignal<1 | 2>(1)
  const grant = () => grantRole(at, address.value.trim(), role.value)
  const { problem, isBusy, start } = useAction(grant, () => {
    address.value = ''
    reload()
  })
  return (
    <Form class="row" send={start}>
      <DataField label="Another wallet's address" typed={address} placeholder="0x…" isRequired />
      <label>
        Role
        <select
          value={String(role.value)}
          onChange={({ currentTarget }) => {
            role.value = currentTarget.value === '2' ? 2 : 1
          }}
        >
          <option value="1">1: reads</option>
          <option value="2">2: reads and writes</option>
        </select>
      </label>
      <button type="submit" disabled={isBusy.value}>
        Give the role
      </button>
      <Problem text={problem.value} />
    </Form>
  )
}

function Sights({ mode }: { mode: string }) {
  return (
    <section aria-labelledby="sights">
      <h2 id="sights">What each of them sees</h2>
      <dl class="sights">
        {sightsOf(mode).map(({ who, may }) => (
          <div key={who}>
            <dt>{who}</dt>
            <dd>{may}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
