// The sample data of `sigil demo`: a small bookshop. Books and authors are real; prices, stock,
// customers and orders are computed, so each load gives the same documents and the docs can print
// results.

interface Author {
  readonly _id: string
  readonly name: string
  readonly country: string
  readonly born: number
}

interface Book {
  readonly _id: string
  readonly title: string
  readonly author: string
  readonly year: number
  readonly genres: readonly string[]
  readonly price: number
  readonly stock: number
}

interface Order {
  readonly _id: number
  readonly customer: string
  readonly day: string
  readonly lines: readonly { readonly book: string; readonly count: number }[]
}

interface Memory {
  readonly text: string
  readonly entities: readonly string[]
  readonly source: { readonly kind: 'note'; readonly ref: string }
}

const authorRows: readonly (readonly [name: string, country: string, born: number])[] = [
  ['Jane Austen', 'GB', 1775],
  ['Mary Shelley', 'GB', 1797],
  ['Charles Dickens', 'GB', 1812],
  ['Charlotte Brontë', 'GB', 1816],
  ['Herman Melville', 'US', 1819],
  ['Gustave Flaubert', 'FR', 1821],
  ['Fyodor Dostoevsky', 'RU', 1821],
  ['Jules Verne', 'FR', 1828],
  ['Leo Tolstoy', 'RU', 1828],
  ['Lewis Carroll', 'GB', 1832],
  ['Mark Twain', 'US', 1835],
  ['Robert Louis Stevenson', 'GB', 1850],
  ['Arthur Conan Doyle', 'GB', 1859],
  ['H. G. Wells', 'GB', 1866],
  ['Selma Lagerlöf', 'SE', 1858],
  ['Thomas Mann', 'DE', 1875],
]

const bookRows: readonly (readonly [
  title: string,
  author: string,
  year: number,
  genres: readonly string[],
])[] = [
  ['Sense and Sensibility', 'Jane Austen', 1811, ['romance']],
  ['Pride and Prejudice', 'Jane Austen', 1813, ['romance', 'satire']],
  ['Emma', 'Jane Austen', 1815, ['romance', 'satire']],
  ['Frankenstein', 'Mary Shelley', 1818, ['horror', 'science fiction']],
  ['Oliver Twist', 'Charles Dickens', 1838, ['society']],
  ['A Tale of Two Cities', 'Charles Dickens', 1859, ['history']],
  ['Great Expectations', 'Charles Dickens', 1861, ['society']],
  ['Jane Eyre', 'Charlotte Brontë', 1847, ['romance', 'society']],
  ['Moby-Dick', 'Herman Melville', 1851, ['adventure', 'sea']],
  ['Madame Bovary', 'Gustave Flaubert', 1857, ['society']],
  ['Crime and Punishment', 'Fyodor Dostoevsky', 1866, ['crime', 'society']],
  ['The Idiot', 'Fyodor Dostoevsky', 1869, ['society']],
  ['Journey to the Centre of the Earth', 'Jules Verne', 1864, ['adventure', 'science fiction']],
  ['Twenty Thousand Leagues Under the Seas', 'Jules Verne', 1870, ['adventure', 'sea']],
  ['Around the World in Eighty Days', 'Jules Verne', 1872, ['adventure']],
  ['War and Peace', 'Leo Tolstoy', 1869, ['history']],
  ['Anna Karenina', 'Leo Tolstoy', 1878, ['romance', 'society']],
  ["Alice's Adventures in Wonderland", 'Lewis Carroll', 1865, ['fantasy']],
  ['Through the Looking-Glass', 'Lewis Carroll', 1871, ['fantasy']],
  ['The Adventures of Tom Sawyer', 'Mark Twain', 1876, ['adventure']],
  ['Adventures of Huckleberry Finn', 'Mark Twain', 1884, ['adventure', 'satire']],
  ['Treasure Island', 'Robert Louis Stevenson', 1883, ['adventure', 'sea']],
  ['A Study in Scarlet', 'Arthur Conan Doyle', 1887, ['crime']],
  ['The Hound of the Baskervilles', 'Arthur Conan Doyle', 1902, ['crime', 'horror']],
  ['The Time Machine', 'H. G. Wells', 1895, ['science fiction']],
  ['The Invisible Man', 'H. G. Wells', 1897, ['horror', 'science fiction']],
  ['The War of the Worlds', 'H. G. Wells', 1898, ['science fiction']],
  ["Gösta Berling's Saga", 'Selma Lagerlöf', 1891, ['history']],
  ['Buddenbrooks', 'Thomas Mann', 1901, ['society']],
  ['The Magic Mountain', 'Thomas Mann', 1924, ['society']],
]

const customers = [
  'Ada',
  'Ben',
  'Chloe',
  'Deniz',
  'Elif',
  'Farid',
  'Grace',
  'Hugo',
  'Ines',
  'Jonas',
]
const ordersCount = 300
const daysCount = 90
const firstDay = Date.UTC(2026, 0, 1)
const dayMs = 86_400_000

export const authors: readonly Author[] = authorRows.map(([name, country, born]) => ({
  _id: idOf(name),
  name,
  country,
  born,
}))

export const books: readonly Book[] = bookRows.map(([title, author, year, genres], at) => ({
  _id: idOf(title),
  title,
  author: idOf(author),
  year,
  genres,
  price: 7.5 + ((at * 13) % 24) / 2,
  stock: (at * 7) % 23,
}))

export const orders: readonly Order[] = Array.from({ length: ordersCount }, (_, at) => ({
  _id: at + 1,
  customer: pick(customers, at * 7),
  day: new Date(firstDay + Math.floor((at * daysCount) / ordersCount) * dayMs)
    .toISOString()
    .slice(0, 10),
  // Squares are distributed unevenly, so some books sell better.
  lines: Array.from({ length: 1 + (at % 2) }, (_, line) => ({
    book: pick(books, Math.floor((at * at) / 7) + line * 11)._id,
    count: 1 + ((at + line) % 3),
  })),
}))

/** Sold copies of each book. */
export function soldCopies(): ReadonlyMap<string, number> {
  const sold = new Map<string, number>()
  for (const { book, count } of orders.flatMap(({ lines }) => lines)) {
    sold.set(book, (sold.get(book) ?? 0) + count)
  }
  return sold
}

export const memories: readonly Memory[] = (
  [
    ['Ada asked for a first edition of Frankenstein.', ['Ada', 'Frankenstein']],
    ['Ada moved to Lisbon and wants her orders sent there.', ['Ada', 'Lisbon']],
    ['The publisher of Moby-Dick delivers two weeks late.', ['Moby-Dick']],
    ['Grace reads a sea adventure every month; she liked Treasure Island.', ['Grace']],
    ['Hugo returned Madame Bovary because of a torn cover.', ['Hugo', 'Madame Bovary']],
    ['The shop closes at noon on 24 December.', ['Shop']],
  ] as const
).map(([text, entities], at) => ({
  text,
  entities,
  source: { kind: 'note', ref: `demo-${at + 1}` },
}))

/** `jane-austen` for a name or a title. */
function idOf(text: string): string {
  const plain = text.normalize('NFD').replaceAll(/[\u0300-\u036f']/g, '')
  return plain
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, '-')
    .replace(/-$/, '')
}

function pick<T>(list: readonly T[], at: number): T {
  return list[at % list.length] as T
}
