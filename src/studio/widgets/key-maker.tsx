// Makes an API key: what it may do, where it is registered, and the exact text that the wallet
// signs for it.

import { type Signal, useSignal } from '@preact/signals'
import { type MadeKey, makeKey, type Registry, registryOf } from '../lib/api-keys.js'
import { derivationText } from '../lib/key-derivation.js'
import { useLoad } from '../lib/load.js'
import { injectedWallet, wallets } from '../lib/wallets.js'
import { Actions, Dialog, useAction } from './dialog.js'

const kinds = [
  { name: 'onchain', title: 'On the chain' },
  { name: 'issued', title: 'On this server' },
] as const

type Kind = (typeof kinds)[number]['name']

interface KeyMakerProps {
  readonly address: string
  readonly done: (made: MadeKey) => void
  readonly close: () => void
}

export function KeyMaker({ address, done, close }: KeyMakerProps) {
  const label = useSignal('')
  const permissions = useSignal<readonly string[]>(['all'])
  const rateLimit = useSignal('0')
  const kind = useSignal<Kind>('onchain')
  const { loaded } = useLoad((signal) => registryOf(address, signal), [address])
  const { problem, isBusy, start } = useAction(async () => {
    const wishes = {
      label: label.value,
      permissions: permissions.value,
      rateLimit: Number(rateLimit.value),
    }
    if (kind.value === 'issued') return makeKey(wishes)
    const wallet = wallets.value[0] ?? injectedWallet()
    if (wallet === undefined) throw new Error('No wallet was found in this browser.')
    return makeKey(wishes, { wallet, registry: await registryOf(address) })
  }, done)
  const canSign = kind.value === 'issued' || loaded.value.value?.relays === true
  return (
    <Dialog title="Make a key" close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          start()
        }}
      >
        <label for="label">Name</label>
        <Field id="label" value={label} />
        <PermissionChoice chosen={permissions} />
        <label for="rate">Requests a minute (0: no limit)</label>
        <Field id="rate" value={rateLimit} pattern="[0-9]+" />
        <KindChoice kind={kind} />
        {kind.value === 'onchain' ? (
          <Signed address={address} loaded={loaded.value} />
        ) : (
          <p class="faint">The server makes it, and keeps no copy. If it is lost, make another.</p>
        )}
        <Actions problem={problem.value}>
          <button
            type="submit"
            class="main"
            disabled={isBusy.value || !canSign || permissions.value.length === 0}
          >
            {kind.value === 'onchain' ? 'Sign and make' : 'Make'}
          </button>
          <button type="button" onClick={close}>
            Cancel
          </button>
        </Actions>
      </form>
    </Dialog>
  )
}

interface FieldProps {
  readonly id: string
  readonly value: Signal<string>
  readonly pattern?: string
}

function Field({ id, value, pattern = '.*' }: FieldProps) {
  return (
    <input
      id={id}
      autocomplete="off"
      required
      maxLength={100}
      pattern={pattern}
      value={value.value}
      onInput={({ currentTarget }) => {
        value.value = currentTarget.value
      }}
    />
  )
}

function KindChoice({ kind }: { kind: Signal<Kind> }) {
  return (
    <fieldset class="choice">
      <legend>Where the key is registered</legend>
      {kinds.map(({ name, title }) => (
        <label key={name}>
          <input
            type="radio"
            name="kind"
            checked={kind.value === name}
            onChange={() => {
              kind.value = name
            }}
          />
          {title}
        </label>
      ))}
    </fieldset>
  )
}

interface SignedProps {
  readonly address: string
  readonly loaded: { readonly value: Registry | undefined; readonly error: Error | undefined }
}

function Signed({ address, loaded: { value, error } }: SignedProps) {
  if (error !== undefined) {
    return <p class="problem">{error.message} A key on this server can still be made.</p>
  }
  if (value === undefined) return <p role="status">Asking the registry…</p>
  if (!value.relays) {
    return <p class="problem">This server pays for no registrations. Make a key on this server.</p>
  }
  return (
    <>
      <p class="faint">
        Your wallet signs this text, from which this page makes the key, and then the registration,
        which costs you nothing. Who has the first signature has the key: sign it nowhere else. The
        same signature gives the same key again.
      </p>
      <pre>{derivationText(address, value.nextIndex)}</pre>
    </>
  )
}

const permissionNames = ['all', 'read', 'write', 'admin'] as const

/** `all` stays `all`: it is a permission of its own. */
export function PermissionChoice({ chosen }: { chosen: Signal<readonly string[]> }) {
  const turn = (name: string, isOn: boolean) => {
    const others = chosen.value.filter(
      (one) => one !== name && (one === 'all') === (name === 'all'),
    )
    chosen.value = isOn ? [...others, name] : others
  }
  return (
    <fieldset class="choice">
      <legend>Permissions</legend>
      {permissionNames.map((name) => (
        <label key={name}>
          <input
            type="checkbox"
            checked={chosen.value.includes(name)}
            onChange={({ currentTarget }) => turn(name, currentTarget.checked)}
          />
          {name}
        </label>
      ))}
    </fieldset>
  )
}
