// The pages of the Studio in the order of its menu, each with the key that follows `g`: the menu
// and the keyboard ways know the same ones.

interface Place {
  readonly name: string
  readonly title: string
  readonly letter: string
}

export const places: readonly Place[] = [
  { name: 'start', title: 'Start', letter: 's' },
  { name: 'collections', title: 'Collections', letter: 'c' },
  { name: 'keys', title: 'Keys', letter: 'k' },
  { name: 'channels', title: 'Channels', letter: 'h' },
  { name: 'memory', title: 'Memory', letter: 'm' },
  { name: 'console', title: 'Console', letter: 'q' },
  { name: 'api-keys', title: 'API keys', letter: 'a' },
  { name: 'operations', title: 'Operations', letter: 'o' },
]
