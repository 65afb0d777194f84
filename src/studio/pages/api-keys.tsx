// The wallet's own API keys: made by its signature, shown once, given other permissions, replaced
// and ended.

import { type Signal, useSignal } from '@preact/signals'
import {
  type ApiKey,
  listKeys,
  type MadeKey,
  revokeKey,
  rotateKey,
  type Signer,
  setPermissions,
} from '../lib/api-keys.js'
import { counted, day, figure, visible } from '../lib/format.js'
import { derivationText } from '../lib/key-derivation.js'
import { recoverKey, useOfAll } from '../lib/key-use.js'
import { useLoad } from '../lib/load.js'
import { me } from '../lib/session.js'
import { injectedWallet, type Wallet, wallets } from '../lib/wallets.js'
import { KeyUseDialog } from '../widgets/api-keys/key-use.js'
import { Actions, Confirm, Dialog, useAction } from '../widgets/dialog.js'
import { KeyMaker, PermissionChoice, Sent } from '../widgets/key-maker.js'
import { MadeKeyDialog } from '../widgets/made-key.js'
import { Empty, Failure, Loading } from '../widgets/states.js'

/** What the user does with a key, or with none yet. */
type Doing =
  | { readonly what: 'make' }
  | { readonly what: 'made'; readonly made: MadeKey; readonly title?: string }
  | { readonly what: 'use' | 'recover' | 'permit' | 'rotate' | 'revoke'; readonly key: ApiKey }

export function ApiKeysPage() {
  const address = me.value?.address ?? null
  if (address !== null) return <OwnKeys address={address} />
  return (
    <>
      <div class="head">
        <h1>API keys</h1>
      </div>
      <Empty>
        <p>API keys belong to wallets: sign in with one to make a key.</p>
        <p>The operator has a key already, and may make service users.</p>
      </Empty>
    </>
  )
}

function OwnKeys({ address }: { address: string }) {
  const { loaded, reload } = useLoad(listKeys, [])
  const doing = useSignal<Doing | undefined>(undefined)
  const { value, error } = loaded.value
  return (
    <>
      <div class="head">
        <h1>API keys</h1>
        <button
          type="button"
          class="main"
          onClick={() => {
            doing.value = { what: 'make' }
          }}
        >
          Make a key
        </button>
        <p class="faint" role="status">
          {value !== undefined && counted(value.length, 'active key')}
        </p>
      </div>
      {error !== undefined && <Failure error={error} retry={reload} />}
      {error === undefined && value === undefined && <Loading />}
      {value?.length === 0 && (
        <Empty>No keys yet. A key lets programs in, with the rights of your wallet.</Empty>
      )}
      {value !== undefined && value.length > 0 && <KeyTable keys={value} doing={doing} />}
      <Step doing={doing} address={address} reload={reload} />
    </>
  )
}

interface TableProps {
  readonly keys: readonly ApiKey[]
  readonly doing: Signal<Doing | undefined>
}

function KeyTable({ keys, doing }: TableProps) {
  // What is used how much is no reason to show no keys: without an answer the column is empty.
  const uses = useLoad(useOfAll, [keys]).loaded.value.value
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Begins with</th>
            <th scope="col">Kind</th>
            <th scope="col">Permissions</th>
            <th scope="col" class="number">
              A minute
            </th>
            <th scope="col" class="number">
              Seven days
            </th>
            <th scope="col">Made</th>
            <th scope="col">Actions</th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr key={key.hash}>
              <th scope="row">{nameOf(key)}</th>
              <td>{key.prefix === '' ? '' : `${key.prefix}…`}</td>
              <td>{key.source === 'onchain' ? `on-chain ${key.index}` : `server s${key.index}`}</td>
              <td>{key.permissions.join(', ')}</td>
              <td class="number">{key.rateLimit === 0 ? 'no limit' : figure(key.rateLimit)}</td>
              <td class="number">{uses === undefined ? '' : figure(uses.get(key.hash) ?? 0)}</td>
              <td>{day(key.createdAt)}</td>
              <td class="commands">
                {actionsOf(key).map(({ what, title }) => (
                  <button
                    key={what}
                    type="button"
                    class={what === 'revoke' ? 'bad' : ''}
                    aria-label={`${title} ${nameOf(key)}`}
                    onClick={() => {
                      doing.value = { what, key }
                    }}
                  >
                    {title}
                  </button>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const actions = [
  { what: 'use', title: 'Use' },
  { what: 'recover', title: 'Recover' },
  { what: 'permit', title: 'Permissions' },
  { what: 'rotate', title: 'Rotate' },
  { what: 'revoke', title: 'Revoke' },
] as const

/** A key of this server cannot be made again from a signature. */
function actionsOf({ source }: ApiKey) {
  return actions.filter(({ what }) => what !== 'recover' || source === 'onchain')
}

/** A key without a label goes by its name on the server. */
function nameOf({ label, source, index }: ApiKey): string {
  return label === '' ? `key ${source === 'onchain' ? '' : 's'}${index}` : visible(label)
}

interface StepProps {
  readonly doing: Signal<Doing | undefined>
  readonly address: string
  readonly reload: () => void
}

function Step({ doing, address, reload }: StepProps) {
  const { value } = doing
  if (value === undefined) return null
  const close = () => {
    doing.value = undefined
    reload()
  }
  const show = (made: MadeKey, title?: string) => {
    doing.value = { what: 'made', made, ...(title === undefined ? {} : { title }) }
    reload()
  }
  if (value.what === 'make') return <KeyMaker address={address} done={show} close={close} />
  if (value.what === 'made') {
    const { made, title } = value
    return <MadeKeyDialog made={made} close={close} {...(title === undefined ? {} : { title })} />
  }
  const { key } = value
  if (value.what === 'use') return <KeyUseDialog of={key} name={nameOf(key)} close={close} />
  if (value.what === 'recover') {
    return (
      <Recovery
        of={key}
        address={address}
        done={(made) => show(made, 'Your key, recovered')}
        close={close}
      />
    )
  }
  if (value.what === 'permit') return <Permissions key={key.hash} of={key} close={close} />
  if (value.what === 'rotate') {
    return <Rotation of={key} address={address} done={show} close={close} />
  }
  return <Revocation of={key} address={address} close={close} />
}

function Revocation({ of, address, close }: Omit<ChangeProps, 'done'>) {
  const payment = usePayment()
  return (
    <Confirm
      title="Revoke"
      text={`${nameOf(of)} fails from the next request on, on every protocol.`}
      name={nameOf(of)}
      run={() => revokeKey(of, signerOf(of, address, payment))}
      close={close}
    >
      <PaymentChoice of={of} payment={payment} />
    </Confirm>
  )
}

interface Payment {
  /** The wallet sends the transaction itself. */
  readonly isOwn: Signal<boolean>
  readonly hash: Signal<string>
}

function usePayment(): Payment {
  return { isOwn: useSignal(false), hash: useSignal('') }
}

function PaymentChoice({ of, payment }: { of: ApiKey; payment: Payment }) {
  const { isOwn, hash } = payment
  if (of.source === 'issued') return null
  return (
    <>
      <p>Your wallet signs for it, or sends it to the chain itself and pays.</p>
      <div class="choice">
        <label>
          <input
            type="checkbox"
            checked={isOwn.value}
            onChange={({ currentTarget }) => {
              isOwn.value = currentTarget.checked
            }}
          />
          My wallet pays
        </label>
      </div>
      <Sent hash={hash.value} isBusy />
    </>
  )
}

/** A key on the chain is replaced and ended there, by the wallet's signature. */
function signerOf({ source }: ApiKey, address: string, payment?: Payment): Signer | undefined {
  if (source === 'issued') return undefined
  const wallet: Wallet | undefined = wallets.value[0] ?? injectedWallet()
  if (wallet === undefined) throw new Error('No wallet was found in this browser.')
  const tell = (sent: string) => {
    if (payment !== undefined) payment.hash.value = sent
  }
  return { wallet, address, sent: payment?.isOwn.value === true ? tell : undefined }
}

interface RecoveryProps {
  readonly of: ApiKey
  readonly address: string
  readonly done: (made: MadeKey) => void
  readonly close: () => void
}

/** The same signature gives the same key again. */
function Recovery({ of, address, done, close }: RecoveryProps) {
  const { problem, isBusy, start } = useAction(async () => {
    const signer = signerOf(of, address)
    if (signer === undefined) throw new Error('A key of this server cannot be recovered.')
    return recoverKey(of, signer)
  }, done)
  return (
    <Dialog title={`Recover ${nameOf(of)}`} close={close}>
      <p>
        Your wallet signs this text again, from which this page makes the same key. Who has the
        signature has the key: sign it nowhere else.
      </p>
      <pre>{derivationText(address, of.index)}</pre>
      <Actions problem={problem.value} close={close}>
        <button type="button" class="main" disabled={isBusy.value} onClick={start}>
          Sign and recover
        </button>
      </Actions>
    </Dialog>
  )
}

interface ChangeProps {
  readonly of: ApiKey
  readonly address: string
  readonly done: (made: MadeKey) => void
  readonly close: () => void
}

function Rotation({ of, address, done, close }: ChangeProps) {
  const payment = usePayment()
  const run = async () => rotateKey(of, signerOf(of, address, payment))
  const { problem, isBusy, start } = useAction(run, done)
  return (
    <Dialog title={`Rotate ${nameOf(of)}`} close={close}>
      <p>A new key with the same permissions takes its place; the old one fails at once.</p>
      <PaymentChoice of={of} payment={payment} />
      <Actions problem={problem.value} close={close}>
        <button type="button" class="main" disabled={isBusy.value} onClick={start}>
          Rotate
        </button>
      </Actions>
    </Dialog>
  )
}

function Permissions({ of, close }: { of: ApiKey; close: () => void }) {
  const chosen = useSignal<readonly string[]>(of.permissions)
  const { problem, isBusy, start } = useAction(() => setPermissions(of, chosen.value), close)
  return (
    <Dialog title={`Permissions of ${nameOf(of)}`} close={close}>
      <PermissionChoice chosen={chosen} />
      <Actions problem={problem.value} close={close}>
        <button
          type="button"
          class="main"
          disabled={isBusy.value || chosen.value.length === 0}
          onClick={start}
        >
          Save
        </button>
      </Actions>
    </Dialog>
  )
}
