// How backups of a data folder are made: its worker, and what the worker has to know. A backup of
// PostgreSQL has another worker.

import type { BackupScript } from './backup-messages.js'

export function folderBackups(folder: string): BackupScript {
  return { script: new URL('./backup-worker.js', import.meta.url), store: { folder } }
}
