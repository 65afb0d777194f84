// The administration of the server, by the address: the whitelist, the audit, a backup and the
// settings. Who may not see a part is told so, in the place of an error.

import { route } from '../lib/route.js'
import { OperationsTabs } from '../widgets/operations-tabs.js'
import { AuditView } from './audit.js'
import { BackupView } from './backup.js'
import { SettingsView } from './settings.js'
import { WhitelistView } from './whitelist.js'

export function AdministrationPage() {
  const [, view] = route.value.path
  return (
    <>
      <div class="head">
        <h1>Operations</h1>
      </div>
      <OperationsTabs />
      {view === 'whitelist' && <WhitelistView />}
      {view === 'audit' && <AuditView />}
      {view === 'backup' && <BackupView />}
      {view === 'settings' && <SettingsView />}
    </>
  )
}
