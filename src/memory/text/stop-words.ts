// English words without meaning for a search: they are neither indexed nor searched for, unless a
// text has no others.

const words =
  "a about all also am an and any are as at be been but by can can't could did do does " +
  "doesn't don't for from had has have he her him his how i if in into is isn't it its " +
  'just me my no not of on or our she so that the their them then there these they this to ' +
  'too us was we were what when where which who why will with would you your'

export const stopWords: ReadonlySet<string> = new Set(words.split(' '))
