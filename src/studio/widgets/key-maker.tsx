// Makes an API key: what it may do, where it is registered, and the exact text that the wallet
// signs for it.

import { type Signal, useSignal } from '@preact/signals'
import { type MadeKey, makeKey, type Registry, registryOf } from '../lib/api-keys.js'
import { derivationText } from '../lib/key-derivation.js'
import { useLoad } from '../lib/load.js'
import { injectedWallet, wallets } from '../lib/wallets.js'
import { Actions, Dialog, useAction } from './dialog.js'
import { Form } from './form.js'

const kinds = [
  { name: 'onchain', title: 'On the chain, this server pays' },
  { name: 'own', title: 'On the chain, your wallet pays' },
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
  const registry = loaded.value.value
  const relays = registry?.relays !== false
  const chosen = kind.value === 'onchain' && !relays ? 'own' : kind.value
  const hash = useSignal('')
  const tell = (sent: string) => {
    hash.value = sent
  }
  const { problem, isBusy, start } = useAction(async () => {
    const wishes = {
      label: label.value,
      permissions: permissions.value,
      rateLimit: Number(rateLimit.value),
    }
    if (chosen === 'issued') return makeKey(wishes)
    const wallet = wallets.value[0] ?? injectedWallet()
    if (wallet === undefined) throw new Error('No wallet was found in this browser.')
    return makeKey(wishes, { wallet, address, sent: chosen === 'own' ? tell : undefined })
  }, done)
  const canSign = chosen === 'issued' || registry !== undefined
  return (
    <Dialog title="Make a key" close={close}>
      <Form send={start}>
        <label for="label">Name</label>
        <Field id="label" value={label} />
        <PermissionChoice chosen={permissions} />
        <label for="rate">Requests a minute (0: no limit)</label>
        <Field id="rate" value={rateLimit} pattern="[0-9]+" />
        <KindChoice kind={kind} chosen={chosen} relays={relays} />
        {chosen !== 'issued' ? (
          <Signed address={address} loaded={loaded.value} isOwn={chosen === 'own'} />
        ) : (
          <p class="faint">The server makes it, and keeps no copy. If it is lost, make another.</p>
        )}
        <Sent hash={hash.value} isBusy={isBusy.value} />
        <Actions problem={problem.value} close={close}>
          <button
            type="submit"
            class="main"
            disabled={isBusy.value || !canSign || permissions.value.length === 0}
          >
            {{ onchain: 'Sign and make', own: 'Sign, send and make', issued: 'Make' }[chosen]}
          </button>
        </Actions>
      </Form>
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

interface KindProps {
  readonly kind: Signal<Kind>
  readonly chosen: Kind
  /** Whether this server pays. */
  readonly relays: boolean
}

function KindChoice({ kind, chosen, relays }: KindProps) {
  return (
    <fieldset class="choice">
      <legend>Where the key is registered</legend>
      {kinds.map(({ name, title }) => (
        <label key={name}>
          <input
            type="radio"
            name="kind"
            checked={chosen === name}
            disabled={name === 'onchain' && !relays}
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
  readonly isOwn: boolean
}

function Signed({ address, loaded: { value, error }, isOwn }: SignedProps) {
  if (error !== undefined) {
    return <p class="problem">{error.message} A key on this server can still be made.</p>
  }
  if (value === undefined) return <p role="status">Asking the registry…</p>
  return (
    <>
      <p class="faint">
        Your wallet signs this text, from which this page makes the key, and then{' '}
        {isOwn
          ? 'sends the registration, some 140,000 gas, for which it pays.'
          : 'the registration, which costs you nothing.'}{' '}
        Who has the first signature has the key: sign it nowhere else. The same signature gives the
        same key again.
      </p>
      <pre>{derivationText(address, value.nextIndex)}</pre>
    </>
  )
}

/** That a transaction of the wallet is on its way. */
export function Sent({ hash, isBusy }: { hash: string; isBusy: boolean }) {
  return (
    <p class="faint" role="status">
      {hash !== '' && isBusy && (
        <>
          Waiting for the chain to confirm <code class="transaction">{hash}</code>
        </>
      )}
    </p>
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
