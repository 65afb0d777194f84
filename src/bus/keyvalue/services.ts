// What key-value commands share: given once by the composition root. Each part is a file of its own
// beside this one; a family that needs something new adds it here.

import type { KeyEvent } from '../../engine/keyspace/work.js'
import type { Allow } from '../../identity/rights/allow.js'
import type { Services } from '../services.js'
import type { HomeLimit } from '../spaces/home-limit.js'
import type { SpaceChoice } from '../spaces/space-choice.js'
import type { Channels } from './clients/channels.js'
import type { Clients } from './clients/clients.js'
import type { Monitors } from './clients/monitors.js'
import type { Notifications } from './clients/notifications.js'
import type { Pause } from './clients/pause.js'
import type { ScanCursors } from './clients/scan-cursors.js'
import type { Figures } from './figures.js'
import type { KeyValueSettings } from './settings.js'
import type { SlowLog } from './slow-log.js'

export interface KeyValueServices
  extends Pick<
    Services,
    | 'clock'
    | 'random'
    | 'log'
    | 'version'
    | 'credentials'
    | 'keyLimit'
    | 'keyUse'
    | 'slowCommandMs'
    | 'rules'
    | 'standing'
    | 'quotas'
    | 'audit'
  > {
  /** Which space a caller means. */
  readonly spaces: SpaceChoice
  /** How many homes there may be; without it there is no bound. */
  readonly homes?: HomeLimit
  /** The decision about rights. */
  readonly allow: Allow
  /** Setting AUTH_MODE=off: there is no password. */
  readonly authOff: boolean
  /** Who is connected. */
  readonly clients: Clients
  /** Who listens to what is published. */
  readonly channels: Channels
  /** Who is shown every command. */
  readonly monitors: Monitors
  /** What CONFIG SET notify-keyspace-events changes. */
  readonly notifications: Notifications
  /** Where iterations go on. */
  readonly cursors: ScanCursors
  /** What CONFIG reads and sets. */
  readonly settings: KeyValueSettings
  /** What INFO counts. */
  readonly figures: Figures
  /** Which commands took longest. */
  readonly slowLog: SlowLog
  /** Who has to wait because of CLIENT PAUSE. */
  readonly pause: Pause
  /** Told of what has been committed, in that order. */
  announce: (events: readonly KeyEvent[]) => void
}
