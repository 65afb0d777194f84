// Lines of key-value commands: the command, quoted words and numbers are told apart, by the rules
// of redis-cli.

import { StreamLanguage } from '@codemirror/language'

interface Position {
  isFirst: boolean
}

export const commandLanguage = StreamLanguage.define<Position>({
  startState: () => ({ isFirst: true }),
  token: (stream, position) => {
    if (stream.eatSpace()) return null
    const { isFirst } = position
    position.isFirst = false
    if (stream.match(/^"(?:[^"\\]|\\.)*"?/) || stream.match(/^'(?:[^'\\]|\\.)*'?/)) return 'string'
    stream.match(/^[^\s"']+/) || stream.next()
    if (isFirst) return 'keyword'
    return /^-?\d+(?:\.\d+)?$/.test(stream.current()) ? 'number' : null
  },
})
