// What a row of either table of commands says of its command, without its handler: the policy of
// both executors reads these facts. They stand apart from the rows, whose handlers take calls.

/**
 * Who may send it: all clients; those who may read (all under ANONYMOUS=read); those who have
 * signed in; a wallet by its session; administrators; the operator alone.
 */
export type RowAccess = 'anonymous' | 'reader' | 'identity' | 'session' | 'admin' | 'operator'

/**
 * What a command may make larger of what counts as its owner's: over its space quota, a wallet may
 * still send what grows nothing, and whatever does not grow in the event (bus/quota.ts).
 */
export const growths = ['nothing', 'documents', 'indexes', 'keys', 'ownership'] as const

export type Growth = (typeof growths)[number]
