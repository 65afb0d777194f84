// Links of data to other hosts: to pages of the web only, and with the host in view, so that no
// text can hide where its link leads.

interface OutsideLink {
  readonly href: string
  readonly host: string
}

/** Undefined for other schemes, and for addresses with a name and a password. */
export function outsideLink(address: string): OutsideLink | undefined {
  if (!URL.canParse(address)) return undefined
  const { protocol, href, host, username, password } = new URL(address)
  if (protocol !== 'https:' && protocol !== 'http:') return undefined
  return username === '' && password === '' && host !== '' ? { href, host } : undefined
}
