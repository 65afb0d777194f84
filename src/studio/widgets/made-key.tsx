// A new key, shown this once, with ready lines for clients. It is hidden until asked for, and the
// page keeps it nowhere.

import { useSignal } from '@preact/signals'
import type { MadeKey } from '../lib/api-keys.js'
import { CopyButton } from './copy-button.js'
import { Dialog } from './dialog.js'

const lines = [
  { name: 'wire', title: 'mongosh' },
  { name: 'redis', title: 'redis-cli' },
  { name: 'sql', title: 'psql' },
  { name: 'http', title: 'curl' },
] as const

interface MadeProps {
  readonly made: MadeKey
  /** What the dialog is called. */
  readonly title?: string
  readonly close: () => void
}

export function MadeKeyDialog({ made, title = 'Your new key', close }: MadeProps) {
  const isOpen = useSignal(false)
  const { apiKey, connection } = made
  const hidden = `${apiKey.slice(0, 15)}…`
  const shown = (line: string) => (isOpen.value ? line : line.replaceAll(apiKey, hidden))
  return (
    <Dialog title={title} close={close} isHeld>
      <p>Copy it now: it is shown this once. Shells keep lines with keys in their history.</p>
      <section class="line" aria-label="Key">
        <h3>Key of {connection.user}</h3>
        <button
          type="button"
          aria-pressed={isOpen.value}
          onClick={() => {
            isOpen.value = !isOpen.value
          }}
        >
          Show keys
        </button>
        <CopyButton name="the key" text={apiKey} />
        <pre>{shown(apiKey)}</pre>
      </section>
      {lines.map(({ name, title: client }) => (
        <section key={name} class="line" aria-label={client}>
          <h3>{client}</h3>
          <CopyButton name={`the line for ${client}`} text={connection[name]} />
          <pre>{shown(connection[name])}</pre>
        </section>
      ))}
      <div class="actions">
        <button type="button" class="main" onClick={close}>
          I have kept the key
        </button>
      </div>
    </Dialog>
  )
}
