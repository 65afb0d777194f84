// The protocols that can be switched on and off, as commands and listeners see their switches: one
// table of names, so that a protocol cannot be forgotten in one place.

/** As they are called outside. */
export const switchedProtocols = ['wire', 'redis', 'sql'] as const
export type SwitchedProtocol = (typeof switchedProtocols)[number]

export interface ProtocolEntry {
  readonly name: SwitchedProtocol
  readonly enabled: boolean
  /** Undefined while it is disabled. */
  readonly port: number | undefined
}

export interface ProtocolSwitches {
  list(): readonly ProtocolEntry[]
  isEnabled(name: SwitchedProtocol): boolean
  /**
   * Opens or closes the listener, and keeps that over restarts. Rejects with HostUnreachable where
   * the port cannot be had.
   */
  set(name: SwitchedProtocol, isEnabled: boolean): Promise<void>
}

export function isSwitched(name: string): name is SwitchedProtocol {
  return (switchedProtocols as readonly string[]).includes(name)
}
