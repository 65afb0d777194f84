// The sign beside a title that says whether the page follows changes.

export function LiveSign({ isLive }: { isLive: boolean }) {
  return (
    <p class={isLive ? 'live' : 'faint'} role="status">
      {isLive ? 'live' : 'not live'}
    </p>
  )
}
