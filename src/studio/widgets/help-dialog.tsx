// The keyboard ways of the page, and the switch of those that are single keys: who dictates would
// press them by mistake.

import { hasSingleKeys, setSingleKeys, ways } from '../lib/frame/shortcuts.js'
import { Dialog } from './dialog.js'

export function HelpDialog({ close }: { close: () => void }) {
  return (
    <Dialog title="Keyboard" close={close}>
      <dl class="ways">
        {ways.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <label class="choice">
        <input
          type="checkbox"
          checked={hasSingleKeys.value}
          onChange={({ currentTarget }) => setSingleKeys(currentTarget.checked)}
        />
        Single keys are on
      </label>
      <div class="actions">
        <button type="button" class="main" onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  )
}
