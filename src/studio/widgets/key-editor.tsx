// The editor of one key. Its members are read by pages; what the user changes is written by Save
// alone, and only if no other client has changed the same members meanwhile.

import { type Signal, useSignal } from '@preact/signals'
import { linkToDocument } from '../lib/collections/document-forms.js'
import { counted, figure, visible } from '../lib/format.js'
import {
  type Change,
  changeOf,
  columnsOf,
  type Kind,
  type Member,
  type Word,
} from '../lib/key-change.js'
import {
  applyChange,
  type OpenKey,
  openKey,
  readMembers,
  stringBytesMax,
} from '../lib/key-value.js'
import { runCommand, wordText } from '../lib/keyspace.js'
import { useLoad } from '../lib/load.js'
import { me } from '../lib/session.js'
import { Actions, Confirm, Dialog, useAction } from './dialog.js'
import { Form } from './form.js'
import { MemberTable } from './member-table.js'
import { Failure, Loading } from './states.js'

interface EditorProps {
  readonly database: number
  readonly name: Word
  /** Of a key that is not stored yet. */
  readonly made?: Kind
  readonly close: () => void
}

export function KeyEditor({ database, name, made, close }: EditorProps) {
  const isDeleting = useSignal(false)
  const { loaded, reload } = useLoad<OpenKey | undefined>(
    async (signal) => (made === undefined ? openKey(database, name, signal) : emptyKey(name, made)),
    [],
  )
  const { value, error, isLoading } = loaded.value
  const title = `Key ${visible(wordText(name))}`
  if (isDeleting.value) {
    return (
      <Confirm
        title="Delete"
        text="The key and all its members are removed. This cannot be undone."
        name={wordText(name)}
        run={() => runCommand(database, ['DEL', name])}
        close={close}
      />
    )
  }
  if (value === undefined) {
    return (
      <Dialog title={title} close={close}>
        {error !== undefined && <Failure error={error} retry={reload} />}
        {isLoading ? <Loading /> : error === undefined && <p>The key has gone meanwhile.</p>}
        <div class="actions">
          <button type="button" onClick={close}>
            Close
          </button>
        </div>
      </Dialog>
    )
  }
  const remove = () => {
    isDeleting.value = true
  }
  return (
    <Dialog title={title} close={close}>
      {made === undefined && (
        <p>
          <a href={linkToDocument(database, name, ownSpace())}>Open as a document</a>
        </p>
      )}
      <Members
        database={database}
        of={value}
        isNew={made !== undefined}
        remove={remove}
        close={close}
      />
    </Dialog>
  )
}

/** Keys of a wallet are in its home, those of the operator in the default database. */
function ownSpace(): string {
  const { address = null, home = '' } = me.value ?? {}
  return address === null ? '' : home
}

function emptyKey(key: Word, kind: Kind): OpenKey {
  const now = columnsOf[kind].map(() => '')
  const members = [{ id: 0, now, isGone: false }]
  return { key, kind, length: 0, ttlMs: undefined, bytes: 0, members, next: undefined }
}

interface MembersProps {
  readonly database: number
  readonly of: OpenKey
  readonly isNew: boolean
  readonly remove: () => void
  readonly close: () => void
}

function Members({ database, of, isNew, remove, close }: MembersProps) {
  const { key, kind, length } = of
  const members = useSignal<readonly Member[]>(of.members)
  const next = useSignal(of.next)
  const before = of.ttlMs === undefined ? '' : String(Math.ceil(of.ttlMs / 1_000))
  const ttl = useSignal(before)
  const change = withExpiry(changeOf(of, members.value, randomMark()), key, {
    before,
    now: ttl.value,
    isNew,
  })
  const { problem, isBusy, start } = useAction(() => applyChange(database, change), close)
  const more = useAction(
    () => readMembers(database, { key, kind, from: next.value ?? '0' }),
    (page) => {
      const known = members.value.length
      const renumbered = kind === 'hash' || kind === 'set'
      const found = page.members.map((one) => (renumbered ? { ...one, id: known + one.id } : one))
      members.value = [...members.value, ...found]
      next.value = page.next
    },
  )
  const read = members.value.filter((one) => one.before !== undefined).length
  return (
    <Form send={start}>
      {!isNew && <KeyFacts of={of} read={read} isPartial={next.value !== undefined} />}
      {kind === 'string' ? (
        <StringText members={members} isPartial={length > stringBytesMax} />
      ) : (
        <MemberTable kind={kind} members={members} />
      )}
      {next.value !== undefined && (
        <button type="button" disabled={more.isBusy.value} onClick={more.start}>
          Read more members
        </button>
      )}
      <label for="ttl">Expires in seconds (empty: never)</label>
      <input
        id="ttl"
        class="data"
        autocomplete="off"
        pattern="[0-9]*"
        value={ttl.value}
        onInput={({ currentTarget }) => {
          ttl.value = currentTarget.value
        }}
      />
      <Actions problem={problem.value || more.problem.value}>
        <button type="submit" class="main" disabled={isBusy.value || change.commands.length === 0}>
          Save
        </button>
        {!isNew && (
          <button type="button" class="bad" onClick={remove}>
            Delete
          </button>
        )}
        <button type="button" onClick={close}>
          Close
        </button>
      </Actions>
    </Form>
  )
}

/** With what the time to live needs, and for a new key that there is none of its name. */
function withExpiry(
  { guards, commands }: Change,
  key: Word,
  ttl: { readonly before: string; readonly now: string; readonly isNew: boolean },
): Change {
  const expiry = ttl.now === '' ? ['PERSIST', key] : ['EXPIRE', key, ttl.now]
  return {
    guards: [...guards, [['EXISTS', key], ttl.isNew ? 0 : 1]],
    commands: ttl.now === ttl.before ? commands : [...commands, expiry],
  }
}

/** Stands for removed elements of a list until all of them are taken out. */
function randomMark(): string {
  return `sigil-studio-removed-${crypto.getRandomValues(new BigUint64Array(2)).join('-')}`
}

interface FactsProps {
  readonly of: OpenKey
  readonly read: number
  readonly isPartial: boolean
}

function KeyFacts({ of: { kind, length, bytes }, read, isPartial }: FactsProps) {
  const text =
    kind === 'string'
      ? counted(length, 'byte')
      : isPartial
        ? `${figure(read)} of ${counted(length, 'member')} are read, more follow`
        : counted(length, 'member')
  return (
    <p class="faint" role="status">
      {kind}, {text}, {figure(bytes)} B in memory
    </p>
  )
}

interface StringProps {
  readonly members: Signal<readonly Member[]>
  readonly isPartial: boolean
}

function StringText({ members, isPartial }: StringProps) {
  const [member] = members.value
  const [word = ''] = member?.now ?? []
  const isText = typeof word === 'string'
  // A textarea would make line feeds of carriage returns.
  const hasReturns = isText && word.includes('\r')
  return (
    <>
      <textarea
        class="data"
        aria-label="Value"
        rows={8}
        spellcheck={false}
        readOnly={isPartial || !isText || hasReturns}
        value={isText ? word : word.$binary}
        onInput={({ currentTarget }) => {
          if (member !== undefined) members.value = [{ ...member, now: [currentTarget.value] }]
        }}
      />
      {isPartial && (
        <p class="faint">
          The first {figure(stringBytesMax)} bytes are shown, and not edited here.
        </p>
      )}
      {hasReturns && !isPartial && (
        <p class="faint">A text with carriage returns is not edited here.</p>
      )}
      {!isText && !isPartial && (
        <p class="faint">Not text: shown in base64, and not edited here.</p>
      )}
    </>
  )
}
