// A small part of the sample data of `sigil demo`: the same documents, so that either can be loaded
// after the other.

const authors = [
  ['jane-austen', 'Jane Austen', 'GB', 1775],
  ['mary-shelley', 'Mary Shelley', 'GB', 1797],
  ['charles-dickens', 'Charles Dickens', 'GB', 1812],
  ['charlotte-bronte', 'Charlotte Brontë', 'GB', 1816],
  ['herman-melville', 'Herman Melville', 'US', 1819],
  ['gustave-flaubert', 'Gustave Flaubert', 'FR', 1821],
  ['fyodor-dostoevsky', 'Fyodor Dostoevsky', 'RU', 1821],
  ['jules-verne', 'Jules Verne', 'FR', 1828],
] as const

type Book = readonly [string, string, string, number, readonly string[], number, number]

const books: readonly Book[] = [
  ['sense-and-sensibility', 'Sense and Sensibility', 'jane-austen', 1811, ['romance'], 7.5, 0],
  ['pride-and-prejudice', 'Pride and Prejudice', 'jane-austen', 1813, ['romance', 'satire'], 14, 7],
  ['emma', 'Emma', 'jane-austen', 1815, ['romance', 'satire'], 8.5, 14],
  ['frankenstein', 'Frankenstein', 'mary-shelley', 1818, ['horror', 'science fiction'], 15, 21],
  ['oliver-twist', 'Oliver Twist', 'charles-dickens', 1838, ['society'], 9.5, 5],
  ['a-tale-of-two-cities', 'A Tale of Two Cities', 'charles-dickens', 1859, ['history'], 16, 12],
  ['great-expectations', 'Great Expectations', 'charles-dickens', 1861, ['society'], 10.5, 19],
  ['jane-eyre', 'Jane Eyre', 'charlotte-bronte', 1847, ['romance', 'society'], 17, 3],
  ['moby-dick', 'Moby-Dick', 'herman-melville', 1851, ['adventure', 'sea'], 11.5, 10],
  ['madame-bovary', 'Madame Bovary', 'gustave-flaubert', 1857, ['society'], 18, 17],
  [
    'crime-and-punishment',
    'Crime and Punishment',
    'fyodor-dostoevsky',
    1866,
    ['crime', 'society'],
    12.5,
    1,
  ],
  ['the-idiot', 'The Idiot', 'fyodor-dostoevsky', 1869, ['society'], 19, 8],
]

export const sampleCommands = [
  ['HSET', 'demo:shop', 'name', 'The Whale Bookshop', 'city', 'Bergen', 'opened', '1998'],
  ['SADD', 'demo:genres', ...new Set(books.flatMap(([, , , , genres]) => genres))],
  ['SET', 'demo:visits', '0', 'NX'],
] as const

export const sampleCollections = {
  demo_authors: authors.map(([_id, name, country, born]) => ({ _id, name, country, born })),
  demo_books: books.map(([_id, title, author, year, genres, price, stock]) => {
    return { _id, title, author, year, genres, price, stock }
  }),
}
